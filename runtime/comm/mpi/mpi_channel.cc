// A message goes as its number of bytes, which the receiver compares with what
// it expects, and then in parts. The sender learns of a difference as of any
// failure.
#include "runtime/comm/mpi/mpi_channel.h"

#include <cstdint>
#include <deque>
#include <utility>

#include "absl/strings/str_format.h"
#include "runtime/comm/mpi/flow.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

class MpiChannelEnd : public ChannelEnd, public Lane {
 public:
  MpiChannelEnd(Engine* engine, ChannelId id, uint32_t stream,
                CompletedCounts* completed)
      : engine_(engine),
        id_(std::move(id)),
        stream_(stream),
        noted_(completed),
        is_source_(engine->rank() == id_.source) {
    engine_->Add(this);
  }
  ~MpiChannelEnd() override {
    (*noted_)[stream_] = completed_;
    engine_->Remove(this);
  }

  absl::Status Start(absl::Span<char> message) override;
  absl::Status Wait() override;

  absl::Status Advance() override;
  void LookForMissing() override;
  uint64_t completed() const override { return completed_; }

 private:
  int peer() const { return is_source_ ? id_.destination : id_.source; }
  absl::Status BeginMessage();
  absl::Status CheckSize();
  Route RouteOfData(bool is_synchronous) const {
    return {peer(), engine_->TagOf(stream_, 1), engine_->TagOf(stream_, 2),
            is_synchronous};
  }
  Cut CutOf(absl::Span<char> message) const {
    const int64_t bytes = static_cast<int64_t>(message.size());
    return {Contiguous(message.data(), bytes), 0, bytes, PartBytesOf(bytes)};
  }

  Engine* const engine_;
  const ChannelId id_;
  const uint32_t stream_;
  CompletedCounts* const noted_;
  const bool is_source_;
  std::deque<absl::Span<char>> messages_;
  uint64_t started_ = 0, awaited_ = 0, completed_ = 0;
  enum class Phase { kIdle, kSize, kData } phase_ = Phase::kIdle;
  int64_t bytes_ = 0;
  Ticket size_ticket_;
  std::unique_ptr<SendFlow> send_;
  std::unique_ptr<ReceiveFlow> receive_;
};

absl::Status MpiChannelEnd::Start(absl::Span<char> message) {
  MPC_RETURN_IF_ERROR(engine_->Check());
  messages_.push_back(message);
  ++started_;
  return Advance();
}

absl::Status MpiChannelEnd::Wait() {
  if (awaited_ == started_)
    return absl::FailedPreconditionError(
        absl::StrFormat("wait for message %d of a channel, %d were started",
                        awaited_ + 1, started_));
  const uint64_t count = ++awaited_;
  MPC_RETURN_IF_ERROR(engine_->Check());
  return engine_->Await([&] { return completed_ >= count; });
}

absl::Status MpiChannelEnd::BeginMessage() {
  const int tag = engine_->TagOf(stream_, 0);
  if (!is_source_)
    return engine_->Receive(&bytes_, sizeof(bytes_), peer(), tag,
                            &size_ticket_);
  const Cut cut = CutOf(messages_.front());
  bytes_ = cut.end;
  send_ = std::make_unique<SendFlow>(engine_,
                                     RouteOfData(/*is_synchronous=*/true), cut);
  return engine_->Send(&bytes_, sizeof(bytes_), peer(), tag,
                       /*is_synchronous=*/false, &size_ticket_);
}

absl::Status MpiChannelEnd::CheckSize() {
  const Cut cut = CutOf(messages_.front());
  if (cut.end != bytes_)
    return engine_->Fail(
        id_.source,
        absl::InvalidArgumentError(absl::StrFormat(
            "message %d of channel \"%s\" has %d bytes, rank %d "
            "expects %d bytes",
            completed_ + 1, id_.name, bytes_, id_.destination, cut.end)));
  receive_ = std::make_unique<ReceiveFlow>(
      engine_, RouteOfData(/*is_synchronous=*/false), cut, /*keeps=*/false);
  return absl::OkStatus();
}

absl::Status MpiChannelEnd::Advance() {
  while (!messages_.empty()) {
    if (phase_ == Phase::kIdle) {
      MPC_RETURN_IF_ERROR(BeginMessage());
      phase_ = is_source_ ? Phase::kData : Phase::kSize;
    }
    if (phase_ == Phase::kSize) {
      if (size_ticket_.is_busy) break;
      MPC_RETURN_IF_ERROR(CheckSize());
      phase_ = Phase::kData;
    }
    MPC_RETURN_IF_ERROR(is_source_ ? send_->Advance() : receive_->Advance());
    if (size_ticket_.is_busy ||
        !(is_source_ ? send_->done() : receive_->done()))
      break;
    messages_.pop_front();
    ++completed_;
    phase_ = Phase::kIdle;
  }
  return absl::OkStatus();
}

void MpiChannelEnd::LookForMissing() {
  if (messages_.empty()) return;
  const auto completed =
      engine_->watch().CompletedBy(engine_->world(), peer(), stream_);
  if (!completed || *completed > completed_) return;
  engine_->watch().Fail(
      engine_->world(), peer(),
      absl::FailedPreconditionError(absl::StrFormat(
          "has ended while rank %d waits for message %d of channel \"%s\"",
          engine_->rank(), completed_ + 1, id_.name)));
}

}  // namespace

std::unique_ptr<ChannelEnd> CreateMpiChannelEnd(Engine* engine, ChannelId id,
                                                uint32_t stream,
                                                CompletedCounts* completed) {
  return std::make_unique<MpiChannelEnd>(engine, std::move(id), stream,
                                         completed);
}

}  // namespace mpc::runtime
