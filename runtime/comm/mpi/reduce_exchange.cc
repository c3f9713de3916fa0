#include "runtime/comm/mpi/reduce_exchange.h"

#include <algorithm>
#include <utility>

#include "runtime/comm/combine.h"
#include "runtime/comm/reduce_pieces.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

/// Shares of an all-reduce begin at such multiples.
constexpr int64_t kShareAlignment = 64;

class ReduceExchange : public Exchange {
 public:
  /// `contributions` are what this member has for each member's share, its own
  /// included, and `result` is where its share goes.
  ReduceExchange(const GroupRoute& route, const Combiner& combiner,
                 std::vector<Cut> contributions, const Piece& result);

  /// Adds the exchange of results: the shares of an all-reduce in `whole`.
  void AddResults(const Piece& whole);

  absl::Status Advance() override;
  bool done() const override;

 private:
  /// Parts of the own share that all others have sent.
  int64_t PartsToReduce() const;
  void Reduce(int64_t part);

  const GroupRoute route_;
  const Combiner combiner_;
  const std::vector<Cut> contributions_;
  const Piece result_;
  int64_t reduced_ = 0;
  /// By member; null for this one.
  std::vector<std::unique_ptr<SendFlow>> sends_;
  std::vector<std::unique_ptr<ReceiveFlow>> receives_;
  /// Empty without an exchange of results.
  std::vector<std::unique_ptr<SendFlow>> result_sends_;
  std::vector<std::unique_ptr<ReceiveFlow>> result_receives_;
};

ReduceExchange::ReduceExchange(const GroupRoute& route,
                               const Combiner& combiner,
                               std::vector<Cut> contributions,
                               const Piece& result)
    : route_(route),
      combiner_(combiner),
      contributions_(std::move(contributions)),
      result_(result),
      sends_(route.size()),
      receives_(route.size()) {
  for (int i = 0; i < route_.size(); ++i) {
    if (i == route_.index) continue;
    const Route to = route_.To(i);
    sends_[i] =
        std::make_unique<SendFlow>(route_.engine, to, contributions_[i]);
    receives_[i] = std::make_unique<ReceiveFlow>(
        route_.engine, to, contributions_[route_.index], /*keeps=*/true);
  }
}

void ReduceExchange::AddResults(const Piece& whole) {
  result_sends_.resize(route_.size());
  result_receives_.resize(route_.size());
  for (int i = 0; i < route_.size(); ++i) {
    if (i == route_.index) continue;
    const Route to = route_.To(i, /*is_result=*/true);
    Cut own = contributions_[route_.index], other = contributions_[i];
    own.piece = other.piece = whole;
    result_sends_[i] = std::make_unique<SendFlow>(route_.engine, to, own);
    result_receives_[i] = std::make_unique<ReceiveFlow>(route_.engine, to,
                                                        other, /*keeps=*/false);
  }
}

int64_t ReduceExchange::PartsToReduce() const {
  int64_t parts = contributions_[route_.index].parts();
  for (const auto& flow : receives_)
    if (flow) parts = std::min(parts, flow->complete());
  return parts;
}

void ReduceExchange::Reduce(int64_t part) {
  const Cut& own = contributions_[route_.index];
  const int64_t begin = own.PartBegin(part), end = own.PartEnd(part);
  std::vector<Piece> sources(route_.size());
  for (int i = 0; i < route_.size(); ++i) {
    if (i == route_.index) {
      sources[i] = own.piece;
      continue;
    }
    // As if the kept part stood in a piece of its own: byte `begin` of the one
    // is the first of the other.
    sources[i] = Contiguous(receives_[i]->Kept(part) - begin, end);
  }
  ReducePieces(sources, {result_}, combiner_, begin, end);
}

absl::Status ReduceExchange::Advance() {
  for (int i = 0; i < route_.size(); ++i) {
    if (i == route_.index) continue;
    MPC_RETURN_IF_ERROR(receives_[i]->Advance());
    MPC_RETURN_IF_ERROR(sends_[i]->Advance());
  }
  for (; reduced_ < PartsToReduce(); ++reduced_) {
    Reduce(reduced_);
    for (int i = 0; i < route_.size(); ++i) {
      if (i == route_.index) continue;
      receives_[i]->Release(reduced_ + 1);
      MPC_RETURN_IF_ERROR(receives_[i]->Advance());
      if (result_sends_.empty()) continue;
      result_sends_[i]->Limit(reduced_ + 1);
      MPC_RETURN_IF_ERROR(result_sends_[i]->Advance());
    }
  }
  for (int i = 0; i < static_cast<int>(result_sends_.size()); ++i) {
    if (i == route_.index) continue;
    result_sends_[i]->Limit(reduced_);
    MPC_RETURN_IF_ERROR(result_sends_[i]->Advance());
    // In place a result takes the memory of what this member has sent.
    result_receives_[i]->Limit(sends_[i]->complete());
    MPC_RETURN_IF_ERROR(result_receives_[i]->Advance());
  }
  return absl::OkStatus();
}

bool ReduceExchange::done() const {
  if (reduced_ < contributions_[route_.index].parts()) return false;
  const auto all_done = [](const auto& flows) {
    return std::all_of(flows.begin(), flows.end(),
                       [](const auto& flow) { return !flow || flow->done(); });
  };
  return all_done(sends_) && all_done(receives_) && all_done(result_sends_) &&
         all_done(result_receives_);
}

}  // namespace

std::unique_ptr<Exchange> CreateReduceExchange(const GroupRoute& route,
                                               const Collective& c) {
  const int size = route.size();
  const bool is_all_reduce = c.kind == plan::COLLECTIVE_KIND_ALL_REDUCE;
  std::vector<Cut> contributions(size);
  for (int i = 0; i < size; ++i) {
    Cut& cut = contributions[i];
    if (is_all_reduce) {
      cut.piece = PieceOf(c.source, 0, 0, 1);
      const int64_t bytes = cut.piece.bytes();
      const int64_t share = (bytes / size + kShareAlignment - 1) /
                            kShareAlignment * kShareAlignment;
      cut.begin = std::min(bytes, share * i);
      cut.end = i == size - 1 ? bytes : std::min(bytes, cut.begin + share);
      cut.part_bytes = PartBytesOf(share);
    } else {
      cut.piece = PieceOf(c.source, c.source_dimension, i, size);
      cut.end = cut.piece.bytes();
      cut.part_bytes = PartBytesOf(cut.end);
    }
  }
  const Piece destination = PieceOf(c.destination, 0, 0, 1);
  auto exchange = std::make_unique<ReduceExchange>(
      route, CombinerOf(c.source.type, c.reduction), std::move(contributions),
      destination);
  if (is_all_reduce) exchange->AddResults(destination);
  return exchange;
}

}  // namespace mpc::runtime
