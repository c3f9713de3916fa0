// The events of a step.
#ifndef MPC_RUNTIME_SIMULATE_STEP_CLOCK_H_
#define MPC_RUNTIME_SIMULATE_STEP_CLOCK_H_

#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "cluster/pricing.h"
#include "runtime/plan/plan.pb.h"
#include "runtime/simulate/priced_plan.h"
#include "runtime/simulate/shared_links.h"
#include "runtime/simulate/simulate.h"
#include "runtime/simulate/world.h"

namespace mpc::runtime {

/// Discrete events: a rank computes up to its next command of communication; a
/// transfer begins when all of its members have started it and the one before
/// it in its stream (a group's, a channel's) has ended, waits for its latency
/// and then shares its links with others.
///
/// Used once.
class StepClock {
 public:
  /// The arguments must outlive it.
  StepClock(const plan::Plan& plan, const PricedPlan& priced,
            const SimulatedWorld& world, const cluster::Pricing& pricing,
            bool record);

  /// kFailedPrecondition if ranks wait for ever.
  absl::Status Run();

  double end() const { return end_; }
  int64_t events() const { return events_; }
  std::vector<RankTime> TakeTimes() { return std::move(times_); }
  std::vector<Timeline> TakeTimelines() { return std::move(timelines_); }

 private:
  enum class State : uint8_t { kGathering, kQueued, kLatency, kMoving, kDone };
  struct Transfer {
    State state = State::kGathering;
    int missing = 0;     // Members that have not started it.
    int references = 0;  // Members that have not waited for it.
    int category = 0;
    int64_t bytes = 0;
    const cluster::TransferParts* parts = nullptr;
    const std::vector<int>* members = nullptr;  // Of a collective.
    int source = -1, destination = -1;          // Of a message.
    int stream = -1;
    double ready = 0, begin = 0, end = 0;
    int64_t version = 0;  // Of its event.
    std::vector<int> waiting;
  };
  /// Transfers in order: of a group's instance or of a channel between two
  /// ranks.
  struct Stream {
    /// Those that not all members have started, from number `first` on.
    std::deque<int> gathering;
    int64_t first = 0;
    std::deque<int> queue;
    int running = -1;
    /// How many each member has started: of a group by its place in it, of a
    /// channel the source's and the destination's.
    std::vector<int64_t> started;
  };
  struct Rank {
    double time = 0;
    int entry = 0;
    size_t step = 0;
    double list_begin = 0;
    bool computed = false;  // The step's computing.
    bool ended = false;
    std::vector<int> handles;
    /// By channel: transfers that it has not waited for.
    std::map<uint32_t, std::deque<int>> messages;
  };
  struct Event {
    double time;
    int64_t number;  // Equal times: in order of creation.
    bool is_rank;
    int index;
    int64_t version;
    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  void Push(double time, bool is_rank, int index, int64_t version);
  /// Goes on until the rank must wait for the clock or for a transfer.
  void Advance(int rank, double now);
  /// False if the rank is blocked.
  bool Execute(int rank, const PricedStep& step, double now);
  void EndList(int rank);
  bool Start(int rank, int transfer, double now);
  bool Wait(int rank, int transfer, double now);
  int JoinCollective(int rank, const PricedStep& step);
  int JoinMessage(int rank, const PricedStep& step, bool is_source);
  int Join(Stream& stream, int stream_index, int member, int members,
           int references);
  void Begin(Stream& stream, double now);
  void Move(int transfer, double now);
  void Finish(int transfer, double now);
  void Release(int transfer);
  void PushChanges();
  std::vector<LinkUse> UsesOf(const Transfer& transfer) const;
  const cluster::TransferParts* MessageParts(uint32_t channel, int source,
                                             int64_t bytes);
  void AccountWait(int rank, const Transfer& transfer, double since,
                   double now);
  void AccountTransfer(int rank, const Transfer& transfer);
  std::string Stuck() const;

  const plan::Plan& plan_;
  const PricedPlan& priced_;
  const SimulatedWorld& world_;
  const cluster::Pricing& pricing_;
  const bool record_;
  const int levels_;
  std::vector<Rank> ranks_;
  std::vector<RankTime> times_;
  std::vector<Timeline> timelines_;
  std::vector<Transfer> transfers_;
  std::vector<int> free_;
  std::vector<Stream> streams_;
  std::map<std::pair<uint32_t, int>, int> group_streams_, channel_streams_;
  std::map<std::pair<uint32_t, int64_t>, cluster::TransferParts>
      folded_messages_;
  SharedLinks links_;
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> queue_;
  double end_ = 0;
  int64_t events_ = 0;
  int64_t pushed_ = 0;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_SIMULATE_STEP_CLOCK_H_
