// How the data of one collective moves once its members agree on it.
#ifndef MPC_RUNTIME_COMM_MPI_EXCHANGE_H_
#define MPC_RUNTIME_COMM_MPI_EXCHANGE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/comm/communicator.h"
#include "runtime/comm/mpi/flow.h"

namespace mpc::runtime {

/// Who takes part, and how messages are told apart.
struct GroupRoute {
  Engine* engine = nullptr;
  absl::Span<const int> members;
  int index = 0;
  uint32_t stream = 0;

  int size() const { return static_cast<int>(members.size()); }
  /// Of what members bring, and of results.
  Route To(int member, bool is_result = false) const {
    return {members[member], engine->TagOf(stream, is_result),
            engine->TagOf(stream, 2 + is_result)};
  }
};

/// One member's part of an exchange.
class Exchange {
 public:
  virtual ~Exchange() = default;
  /// Goes on as far as it can without waiting.
  virtual absl::Status Advance() = 0;
  virtual bool done() const = 0;
};

/// Bytes that only move: pieces to be sent and to be filled, by member. Those
/// without bytes are left out.
class CopyExchange : public Exchange {
 public:
  explicit CopyExchange(const GroupRoute& route) : route_(route) {}
  void Send(int member, const Piece& piece);
  void Receive(int member, const Piece& piece);

  absl::Status Advance() override;
  bool done() const override;

 private:
  const GroupRoute route_;
  std::vector<std::unique_ptr<SendFlow>> sends_;
  std::vector<std::unique_ptr<ReceiveFlow>> receives_;
};

/// All data of `collective` among the members. The tensors must outlive the
/// exchange.
std::unique_ptr<Exchange> CreateExchange(const GroupRoute& route,
                                         const Collective& collective);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_EXCHANGE_H_
