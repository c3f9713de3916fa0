// Small messages between two processes of a run, beside MPI.
#ifndef MPC_RUNTIME_COMM_MPI_CONNECTION_H_
#define MPC_RUNTIME_COMM_MPI_CONNECTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace mpc::runtime {

struct Frame {
  enum class Kind : uint8_t {
    /// The first of a process that joins: the token of the run, its host.
    kHello,
    /// The answer.
    kWelcome,
    /// The sender runs.
    kBeat,
    /// `rank` failed in `world` with `text`: told to rank 0.
    kFailed,
    /// The first failure of `world`: told by rank 0.
    kVerdict,
    /// `rank` has ended its part of `world`; what it completed is in `text`.
    kLeft,
    /// The sender needs no one any more; from rank 0: nobody does.
    kGoodbye,
  };

  Kind kind = Kind::kBeat;
  int32_t world = 0;
  int32_t rank = 0;
  std::string text;
};

/// One end of a TCP connection, which it owns. Never blocks.
///
/// Thread-compatible.
class Connection {
 public:
  explicit Connection(int descriptor);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int descriptor() const { return descriptor_; }

  /// Queues a frame; Flush hands it to the system.
  void Put(const Frame& frame);
  bool has_output() const { return !output_.empty(); }

  /// Each returns false once the other side is gone.
  bool Flush();
  bool Receive(std::vector<Frame>& frames);

 private:
  const int descriptor_;
  std::string input_;
  std::string output_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_CONNECTION_H_
