// Ranks go on as processes, transfers as flows over shared links.
#include "runtime/simulate/step_clock.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace mpc::runtime {

StepClock::StepClock(const plan::Plan& plan, const PricedPlan& priced,
                     const SimulatedWorld& world,
                     const cluster::Pricing& pricing, bool record)
    : plan_(plan),
      priced_(priced),
      world_(world),
      pricing_(pricing),
      record_(record),
      levels_(pricing.cluster().links_size()),
      ranks_(world.size()),
      times_(world.size()),
      links_(2 * levels_ * world.size()) {
  if (record) timelines_.resize(world.size());
  for (int rank = 0; rank < world.size(); ++rank) {
    times_[rank].stage = world.StageOf(rank);
    times_[rank].communication.resize(priced.categories.size());
    times_[rank].list_seconds.resize(priced.roles[times_[rank].stage].size());
  }
}

absl::Status StepClock::Run() {
  for (int rank = 0; rank < world_.size(); ++rank) Push(0, true, rank, 0);
  while (!queue_.empty()) {
    const Event event = queue_.top();
    queue_.pop();
    if (event.is_rank) {
      Advance(event.index, event.time);
    } else {
      const Transfer& transfer = transfers_[event.index];
      if (transfer.version != event.version) continue;
      if (transfer.state == State::kLatency) {
        Move(event.index, event.time);
      } else {
        Finish(event.index, event.time);
      }
    }
    ++events_;
  }
  for (const Rank& rank : ranks_)
    if (!rank.ended) return absl::FailedPreconditionError(Stuck());
  for (size_t rank = 0; rank < ranks_.size(); ++rank)
    times_[rank].bubble_seconds += end_ - ranks_[rank].time;
  return absl::OkStatus();
}

void StepClock::Push(double time, bool is_rank, int index, int64_t version) {
  queue_.push({time, pushed_++, is_rank, index, version});
}

// ------------------------------------------------------------------ ranks

void StepClock::Advance(int rank, double now) {
  Rank& self = ranks_[rank];
  const plan::Role& role = plan_.roles(world_.StageOf(rank));
  const auto& lists = priced_.roles[world_.StageOf(rank)];
  self.time = now;
  while (self.entry < role.schedule_size()) {
    const PricedList& list = lists[role.schedule(self.entry).list()];
    if (self.step == 0 && !self.computed) {
      self.list_begin = self.time;
      if (self.handles.size() < list.handles) self.handles.resize(list.handles);
    }
    const PricedStep& step = list.steps[self.step];
    if (!self.computed) {
      self.time += step.seconds;
      self.computed = true;
    }
    if (step.kind == PricedStep::kEnd) {
      EndList(rank);
      continue;
    }
    // What others see happens in the order of the clock.
    if (self.time > now) return Push(self.time, true, rank, 0);
    self.computed = false;
    ++self.step;
    if (!Execute(rank, step, now)) return;
  }
  self.ended = true;
  end_ = std::max(end_, self.time);
}

void StepClock::EndList(int rank) {
  Rank& self = ranks_[rank];
  const int stage = world_.StageOf(rank);
  const plan::ScheduleEntry& entry = plan_.roles(stage).schedule(self.entry);
  const PricedList& list = priced_.roles[stage][entry.list()];
  times_[rank].computing.Add(list.computing, 1);
  times_[rank].list_seconds[entry.list()] += self.time - self.list_begin;
  times_[rank].flops.hardware += list.flops.hardware;
  times_[rank].flops.model += list.flops.model;
  if (record_ && self.time > self.list_begin)
    timelines_[rank].lists.push_back({self.list_begin, self.time, entry.list(),
                                      entry.microbatch(),
                                      static_cast<uint32_t>(self.entry)});
  ++self.entry;
  self.step = 0;
  self.computed = false;
}

bool StepClock::Execute(int rank, const PricedStep& step, double now) {
  Rank& self = ranks_[rank];
  switch (step.kind) {
    case PricedStep::kCollectiveStart: {
      const int transfer = JoinCollective(rank, step);
      self.handles[step.number] = transfer;
      return Start(rank, transfer, now);
    }
    case PricedStep::kCollectiveWait:
      return Wait(rank, self.handles[step.number], now);
    case PricedStep::kSendStart:
    case PricedStep::kReceiveStart: {
      const int transfer =
          JoinMessage(rank, step, step.kind == PricedStep::kSendStart);
      self.messages[step.number].push_back(transfer);
      return Start(rank, transfer, now);
    }
    default: {
      std::deque<int>& messages = self.messages[step.number];
      if (messages.empty()) return false;  // Never started: for ever.
      const int transfer = messages.front();
      messages.pop_front();
      return Wait(rank, transfer, now);
    }
  }
}

// Where transfers take the device's time, it waits for a collective in its
// start. A message takes the time of the side that starts it last: neither
// start may wait.
bool StepClock::Start(int rank, int transfer, double now) {
  Transfer& self = transfers_[transfer];
  if (--self.missing == 0) {
    self.ready = now;
    Stream& stream = streams_[self.stream];
    stream.queue.push_back(transfer);
    self.state = State::kQueued;
    while (!stream.gathering.empty() &&
           transfers_[stream.gathering.front()].state != State::kGathering) {
      stream.gathering.pop_front();
      ++stream.first;
    }
    Begin(stream, now);
  }
  if (pricing_.overlaps_transfers() || self.state == State::kDone) return true;
  if (self.members == nullptr && self.state == State::kGathering) return true;
  // Released by the wait, which finds it done.
  ++transfers_[transfer].references;
  transfers_[transfer].waiting.push_back(rank);
  return false;
}

bool StepClock::Wait(int rank, int transfer, double now) {
  Transfer& self = transfers_[transfer];
  if (self.state == State::kDone) {
    Release(transfer);
    return true;
  }
  self.waiting.push_back(rank);
  return false;
}

// ------------------------------------------------------------------ transfers

int StepClock::JoinCollective(int rank, const PricedStep& step) {
  const PricedCollective& collective = priced_.collectives[step.argument];
  const std::vector<int>& members = world_.Members(collective.group, rank);
  const auto [found, is_new] = group_streams_.try_emplace(
      {collective.group, members.front()}, streams_.size());
  if (is_new) streams_.emplace_back();
  const int stream = found->second;
  const int place =
      std::find(members.begin(), members.end(), rank) - members.begin();
  const int size = static_cast<int>(members.size());
  const int index = Join(streams_[stream], stream, place, size, size);
  Transfer& transfer = transfers_[index];
  transfer.members = &members;
  transfer.parts = &collective.parts;
  transfer.category = collective.category;
  transfer.bytes = collective.bytes;
  return index;
}

int StepClock::JoinMessage(int rank, const PricedStep& step, bool is_source) {
  const uint32_t number = step.number;
  const plan::Channel& channel = plan_.channels(number);
  const int peer = world_.PeerOf(channel, rank);
  const int source = is_source ? rank : peer;
  const auto [found, is_new] =
      channel_streams_.try_emplace({number, source}, streams_.size());
  if (is_new) streams_.emplace_back();
  const int stream = found->second;
  const int index = Join(streams_[stream], stream, is_source ? 0 : 1, 2, 2);
  Transfer& transfer = transfers_[index];
  transfer.source = source;
  transfer.destination = is_source ? peer : rank;
  if (is_source) {
    transfer.bytes = static_cast<int64_t>(step.argument);
    transfer.parts = MessageParts(number, source, transfer.bytes);
  }
  return index;
}

int StepClock::Join(Stream& stream, int stream_index, int member, int members,
                    int references) {
  stream.started.resize(members, 0);
  const int64_t number = stream.started[member]++;
  while (stream.first + static_cast<int64_t>(stream.gathering.size()) <=
         number) {
    int index = static_cast<int>(transfers_.size());
    if (free_.empty()) {
      transfers_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    Transfer& transfer = transfers_[index];
    const int64_t version = transfer.version + 1;
    transfer = {};
    transfer.version = version;
    transfer.missing = members;
    transfer.references = references;
    transfer.stream = stream_index;
    stream.gathering.push_back(index);
  }
  return stream.gathering[number - stream.first];
}

const cluster::TransferParts* StepClock::MessageParts(uint32_t channel,
                                                      int source,
                                                      int64_t bytes) {
  // Ranks of a stage may differ in how far they send.
  const int64_t key = bytes * world_.size() + source;
  const auto found = folded_messages_.find({channel, key});
  if (found != folded_messages_.end()) return &found->second;
  return &folded_messages_
              .emplace(
                  std::make_pair(channel, key),
                  world_.MessageParts(plan_.channels(channel), source, bytes))
              .first->second;
}

void StepClock::Begin(Stream& stream, double now) {
  if (stream.running >= 0 || stream.queue.empty()) return;
  const int index = stream.queue.front();
  stream.queue.pop_front();
  stream.running = index;
  Transfer& transfer = transfers_[index];
  transfer.begin = now;
  transfer.state = State::kLatency;
  Push(now + transfer.parts->latency, false, index, ++transfer.version);
}

void StepClock::Move(int index, double now) {
  Transfer& transfer = transfers_[index];
  transfer.state = State::kMoving;
  links_.Add(index, transfer.parts->slowest(), UsesOf(transfer), now);
  PushChanges();
}

void StepClock::PushChanges() {
  for (const auto& [flow, end] : links_.TakeChanges())
    Push(end, false, flow, ++transfers_[flow].version);
}

void StepClock::Finish(int index, double now) {
  links_.Remove(index, now);
  PushChanges();
  Transfer& transfer = transfers_[index];
  transfer.state = State::kDone;
  transfer.end = now;
  if (transfer.members != nullptr) {
    for (int member : *transfer.members) AccountTransfer(member, transfer);
  } else {
    AccountTransfer(transfer.source, transfer);
    AccountTransfer(transfer.destination, transfer);
  }
  Stream& stream = streams_[transfer.stream];
  stream.running = -1;
  Begin(stream, now);
  const std::vector<int> waiting = std::move(transfers_[index].waiting);
  for (int rank : waiting) {
    AccountWait(rank, transfers_[index], ranks_[rank].time, now);
    Push(now, true, rank, 0);
    Release(index);
  }
}

void StepClock::Release(int index) {
  if (--transfers_[index].references == 0) free_.push_back(index);
}

std::vector<LinkUse> StepClock::UsesOf(const Transfer& transfer) const {
  std::vector<LinkUse> uses;
  const double slowest = transfer.parts->slowest();
  if (slowest <= 0) return uses;
  const auto& seconds = transfer.parts->level_seconds;
  for (size_t level = 0; level < seconds.size(); ++level) {
    if (seconds[level] <= 0) continue;
    const double demand = seconds[level] / slowest;
    // A device's links out of it, and into it.
    auto out = [&](int rank) {
      return 2 * (rank * levels_ + static_cast<int>(level));
    };
    if (transfer.members == nullptr) {
      uses.push_back({out(transfer.source), demand});
      uses.push_back({out(transfer.destination) + 1, demand});
      continue;
    }
    for (int member : *transfer.members) {
      uses.push_back({out(member), demand});
      uses.push_back({out(member) + 1, demand});
    }
  }
  return uses;
}

// ------------------------------------------------------------------ accounts

void StepClock::AccountTransfer(int rank, const Transfer& transfer) {
  CommunicationTime& time = times_[rank].communication[transfer.category];
  ++time.count;
  time.bytes += transfer.bytes;
  // What is exposed of it is taken away by AccountWait.
  time.hidden_seconds += transfer.end - transfer.begin;
  if (record_)
    timelines_[rank].transfers.push_back(
        {transfer.begin, transfer.end, transfer.category, transfer.bytes});
}

void StepClock::AccountWait(int rank, const Transfer& transfer, double since,
                            double now) {
  const double ready = std::clamp(transfer.ready, since, now);
  times_[rank].bubble_seconds += ready - since;
  CommunicationTime& time = times_[rank].communication[transfer.category];
  time.exposed_seconds += now - ready;
  time.hidden_seconds -= now - std::clamp(transfer.begin, ready, now);
  if (!record_) return;
  if (ready > since)
    timelines_[rank].waits.push_back({since, ready, transfer.category, true});
  if (now > ready)
    timelines_[rank].waits.push_back({ready, now, transfer.category, false});
}

std::string StepClock::Stuck() const {
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (ranks_[rank].ended) continue;
    const plan::Role& role = plan_.roles(world_.StageOf(rank));
    const plan::ScheduleEntry& entry = role.schedule(ranks_[rank].entry);
    return absl::StrCat(
        "the step never ends: stage ", role.stage(), " waits for ever in list ",
        role.lists(entry.list()).name(), " of microbatch ", entry.microbatch());
  }
  return "";
}

}  // namespace mpc::runtime
