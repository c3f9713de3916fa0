#include "runtime/comm/mpi/exchange.h"

#include "runtime/comm/combine.h"
#include "runtime/comm/mpi/reduce_exchange.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

Cut WholeOf(const Piece& piece) {
  return {piece, 0, piece.bytes(), PartBytesOf(piece.bytes())};
}

/// Every member's source, or the piece of it that is for this one, at its place
/// in the destination.
std::unique_ptr<Exchange> CreateCopy(const GroupRoute& route,
                                     const Collective& c) {
  const int size = route.size();
  auto exchange = std::make_unique<CopyExchange>(route);
  for (int i = 0; i < size; ++i) {
    const Piece from = c.kind == plan::COLLECTIVE_KIND_ALL_TO_ALL
                           ? PieceOf(c.source, c.source_dimension, i, size)
                           : PieceOf(c.source, 0, 0, 1);
    const Piece to = PieceOf(c.destination, c.destination_dimension, i, size);
    if (i == route.index) {
      CopyPiece(from, to);
    } else {
      exchange->Send(i, from);
      exchange->Receive(i, to);
    }
  }
  return exchange;
}

}  // namespace

void CopyExchange::Send(int member, const Piece& piece) {
  sends_.push_back(std::make_unique<SendFlow>(route_.engine, route_.To(member),
                                              WholeOf(piece)));
}

void CopyExchange::Receive(int member, const Piece& piece) {
  receives_.push_back(std::make_unique<ReceiveFlow>(
      route_.engine, route_.To(member), WholeOf(piece),
      /*keeps=*/false));
}

absl::Status CopyExchange::Advance() {
  for (const auto& flow : receives_) MPC_RETURN_IF_ERROR(flow->Advance());
  for (const auto& flow : sends_) MPC_RETURN_IF_ERROR(flow->Advance());
  return absl::OkStatus();
}

bool CopyExchange::done() const {
  for (const auto& flow : receives_)
    if (!flow->done()) return false;
  for (const auto& flow : sends_)
    if (!flow->done()) return false;
  return true;
}

std::unique_ptr<Exchange> CreateExchange(const GroupRoute& route,
                                         const Collective& c) {
  switch (c.kind) {
    case plan::COLLECTIVE_KIND_ALL_REDUCE:
    case plan::COLLECTIVE_KIND_REDUCE_SCATTER:
      return CreateReduceExchange(route, c);
    default:
      return CreateCopy(route, c);
  }
}

}  // namespace mpc::runtime
