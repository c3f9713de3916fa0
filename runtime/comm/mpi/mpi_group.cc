#include "runtime/comm/mpi/mpi_group.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"
#include "runtime/comm/combine.h"
#include "runtime/comm/reduce_pieces.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

constexpr int64_t kHeaderBytes = sizeof(GroupHeader);

/// Whether the data of a collective comes with the headers.
bool IsInline(const Collective& c) {
  return c.kind == plan::COLLECTIVE_KIND_ALL_REDUCE &&
         PieceOf(c.source, 0, 0, 1).bytes() <= GroupHeader::kInlineBytes;
}

}  // namespace

MpiGroup::MpiGroup(Engine* engine, std::vector<int> members, int index,
                   uint32_t stream)
    : engine_(engine),
      members_(std::move(members)),
      index_(index),
      stream_(stream),
      messages_(members_.size()),
      sent_(members_.size()),
      heard_(members_.size()),
      received_(members_.size()) {
  engine_->Add(this);
}

MpiGroup::~MpiGroup() { engine_->Remove(this); }

GroupRoute MpiGroup::route() const {
  return {engine_, members_, index_, stream_};
}

absl::StatusOr<uint64_t> MpiGroup::Begin(const Collective& collective) {
  auto operation = std::make_unique<Operation>();
  operation->posted.SetCollective(collective);
  if (IsInline(collective)) {
    const Piece source = PieceOf(collective.source, 0, 0, 1);
    operation->own_bytes = source.bytes();
    CopyPiece(source, Contiguous(operation->own.data, source.bytes()));
  }
  return Begin(std::move(operation));
}

absl::StatusOr<uint64_t> MpiGroup::Begin(Posted::Kind kind,
                                         absl::string_view bytes, int root) {
  auto operation = std::make_unique<Operation>();
  operation->posted.SetOther(kind, bytes, root);
  if (bytes.size() <= GroupHeader::kInlineBytes) {
    operation->own_bytes = static_cast<int64_t>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), operation->own.data);
  }
  return Begin(std::move(operation));
}

absl::StatusOr<uint64_t> MpiGroup::Begin(std::unique_ptr<Operation> operation) {
  MPC_RETURN_IF_ERROR(engine_->Check());
  MPC_ASSIGN_OR_RETURN(operation->own.header,
                       HeaderOf(operation->posted, members_));
  operations_.push_back(std::move(operation));
  ++begun_;
  MPC_RETURN_IF_ERROR(Advance());
  return begun_;
}

absl::Status MpiGroup::SendHeaders(Operation& operation) {
  const int tag = engine_->TagOf(stream_, 0);
  for (int i = 0; i < size(); ++i) {
    if (i == index_) continue;
    MPC_RETURN_IF_ERROR(engine_->Receive(&messages_[i], sizeof(Message),
                                         members_[i], tag, &heard_[i]));
    MPC_RETURN_IF_ERROR(
        engine_->Send(&operation.own, kHeaderBytes + operation.own_bytes,
                      members_[i], tag, /*is_synchronous=*/false, &sent_[i]));
  }
  messages_[index_] = operation.own;
  return absl::OkStatus();
}

absl::Status MpiGroup::Compare() {
  for (int i = 1; i < size(); ++i) {
    const GroupHeader &first = messages_[0].header,
                      &other = messages_[i].header;
    if (Agree(first, other)) continue;
    return engine_->Fail(
        members_[i],
        absl::InvalidArgumentError(absl::StrFormat(
            "starts %s, rank %d starts %s%s", Describe(other), members_[0],
            Describe(first),
            first.members == other.members ? "" : " in another group")));
  }
  return absl::OkStatus();
}

void MpiGroup::ReduceInline(const Collective& c, Operation& operation) {
  std::vector<Piece> sources;
  for (const Message& message : messages_)
    sources.push_back(Contiguous(message.data, operation.own_bytes));
  const Piece destination = PieceOf(c.destination, 0, 0, 1);
  ReducePieces(sources, {destination}, CombinerOf(c.source.type, c.reduction),
               0, operation.own_bytes);
}

void MpiGroup::TakeBytes(Operation& operation) {
  const Posted::Kind kind = operation.posted.kind();
  if (kind == Posted::Kind::kBarrier) return;
  const int root = static_cast<int>(
      std::find(members_.begin(), members_.end(), operation.posted.root()) -
      members_.begin());
  auto exchange = std::make_unique<CopyExchange>(route());
  const std::string& own = operation.posted.bytes();
  const bool is_long = own.size() > GroupHeader::kInlineBytes;
  for (int i = 0; i < size(); ++i) {
    const bool sends =
        kind == Posted::Kind::kBroadcast ? index_ == root : i == root;
    const bool receives =
        kind == Posted::Kind::kBroadcast ? i == root : index_ == root;
    if (i != index_ && sends && is_long)
      exchange->Send(i, Contiguous(own.data(), own.size()));
    std::string& to = received_[i];
    if (!receives) {
      to.clear();
    } else if (i == index_) {
      to = own;
    } else if (messages_[i].header.bytes <= GroupHeader::kInlineBytes) {
      to.assign(messages_[i].data, messages_[i].header.bytes);
    } else {
      to.resize(messages_[i].header.bytes);
      exchange->Receive(i, Contiguous(to.data(), to.size()));
    }
  }
  operation.exchange = std::move(exchange);
}

void MpiGroup::UseHeaders(Operation& operation) {
  if (operation.posted.kind() != Posted::Kind::kCollective)
    return TakeBytes(operation);
  const Collective& c = operation.posted.collective();
  if (IsInline(c))
    ReduceInline(c, operation);
  else
    operation.exchange = CreateExchange(route(), c);
}

absl::Status MpiGroup::Advance() {
  const auto is_busy = [](const Ticket& ticket) { return ticket.is_busy; };
  while (!operations_.empty()) {
    Operation& operation = *operations_.front();
    if (phase_ == Phase::kIdle) {
      MPC_RETURN_IF_ERROR(SendHeaders(operation));
      phase_ = Phase::kHeaders;
    }
    if (phase_ == Phase::kHeaders) {
      if (std::any_of(heard_.begin(), heard_.end(), is_busy)) break;
      MPC_RETURN_IF_ERROR(Compare());
      UseHeaders(operation);
      phase_ = Phase::kData;
    }
    if (operation.exchange) {
      MPC_RETURN_IF_ERROR(operation.exchange->Advance());
      if (!operation.exchange->done()) break;
    }
    if (std::any_of(sent_.begin(), sent_.end(), is_busy)) break;
    operations_.pop_front();
    ++completed_;
    phase_ = Phase::kIdle;
  }
  return absl::OkStatus();
}

void MpiGroup::LookForMissing() {
  if (operations_.empty()) return;
  for (int i = 0; i < size(); ++i) {
    if (i == index_) continue;
    const auto completed =
        engine_->watch().CompletedBy(engine_->world(), members_[i], stream_);
    if (!completed || *completed > completed_) continue;
    engine_->watch().Fail(
        engine_->world(), members_[i],
        absl::FailedPreconditionError(absl::StrFormat(
            "has ended while rank %d waits for it", members_[index_])));
    return;
  }
}

absl::Status MpiGroup::Await(uint64_t count) {
  return engine_->Await([&] { return completed_ >= count; });
}

}  // namespace mpc::runtime
