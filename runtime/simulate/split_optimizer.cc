// Reductions become reductions of buckets; what the plan gathers is left alone.
#include "runtime/simulate/split_optimizer.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/plan/mesh.h"
#include "runtime/simulate/work_of.h"

namespace mpc::runtime {
namespace {

constexpr int64_t kBucketElements = 40'000'000;

using Commands = std::vector<plan::Command>;
using Place = std::pair<int, uint64_t>;

Place PlaceOf(const plan::Slice& slice) {
  return {slice.region(), slice.offset_bytes()};
}

void Assign(const Commands& commands, plan::CommandList* list) {
  list->clear_commands();
  for (const plan::Command& command : commands) *list->add_commands() = command;
}

/// A list of the first forward pass alone; made if others run the same one.
plan::CommandList* FirstForward(plan::Role* role) {
  for (plan::ScheduleEntry& entry : *role->mutable_schedule()) {
    const uint32_t index = entry.list();
    const plan::Phase phase = role->lists(index).phase();
    if (phase != plan::PHASE_FORWARD && phase != plan::PHASE_FORWARD_BACKWARD)
      continue;
    const int64_t runs = std::count_if(
        role->schedule().begin(), role->schedule().end(),
        [&](const plan::ScheduleEntry& run) { return run.list() == index; });
    if (runs == 1) return role->mutable_lists(index);
    const plan::CommandList copy = role->lists(index);
    entry.set_list(role->lists_size());
    *role->add_lists() = copy;
    return role->mutable_lists(role->lists_size() - 1);
  }
  return nullptr;
}

plan::CommandList* FindList(plan::Role* role, plan::Phase phase) {
  for (plan::CommandList& list : *role->mutable_lists())
    if (list.phase() == phase) return &list;
  return nullptr;
}

void SetElements(int64_t elements, plan::DataType type, plan::Slice* slice) {
  slice->clear_sizes();
  slice->add_sizes(elements);
  slice->clear_row_stride();
  slice->set_type(type);
}

class Splitter {
 public:
  Splitter(const plan::Plan& plan, plan::Role* role)
      : plan_(plan), role_(role) {}

  void Split() {
    for (plan::CommandList& list : *role_->mutable_lists()) FillBuckets(&list);
    DropWaits();
    if (plan::CommandList* update = FindList(role_, plan::PHASE_UPDATE))
      ShrinkUpdate(update);
    GatherBuckets();
  }

 private:
  bool IsWhole(const plan::Command& command) const {
    if (!command.has_collective_start()) return false;
    const auto& start = command.collective_start();
    return start.kind() == plan::COLLECTIVE_KIND_ALL_REDUCE &&
           IsDataParallel(plan_, start.group()) &&
           start.source().region() == plan::REGION_PERSISTENT &&
           start.source().sizes_size() > 0;
  }
  bool IsReduction(const plan::Command& command) const {
    return IsWhole(command) ||
           (command.has_collective_start() &&
            command.collective_start().kind() ==
                plan::COLLECTIVE_KIND_REDUCE_SCATTER &&
            IsDataParallel(plan_, command.collective_start().group()));
  }

  // A bucket begins where its last gradient is there. Those of other groups,
  // such as of norms that tensor parallel ranks share, go with the rest: they
  // are small.
  void FillBuckets(plan::CommandList* list) {
    Commands kept;
    int64_t elements = 0, whole = 0;
    size_t last = 0;
    auto close = [&] {
      if (elements == 0) return;
      auto* start = kept[last].mutable_collective_start();
      start->set_kind(plan::COLLECTIVE_KIND_REDUCE_SCATTER);
      SetElements(elements, plan::DATA_TYPE_F32, start->mutable_source());
      SetElements(1, plan::DATA_TYPE_F32, start->mutable_destination());
      if (whole > 0) gathered_.push_back({*start, whole});
      elements = whole = 0;
    };
    for (const plan::Command& command : list->commands()) {
      kept.push_back(command);
      if (!IsReduction(command)) continue;
      const auto& start = command.collective_start();
      if (elements > 0) {
        dropped_.insert(kept[last].collective_start().handle());
        kept.erase(kept.begin() + static_cast<int64_t>(last));
      }
      last = kept.size() - 1;
      const int64_t own = ElementBytes(start.source()) / 4;
      elements += own;
      if (IsWhole(command)) {
        whole += own;
        gradients_.insert(PlaceOf(start.destination()));
        dp_ = GroupSize(plan_.mesh(), plan_.groups(start.group()));
      }
      if (elements >= kBucketElements) close();
    }
    close();
    Assign(kept, list);
  }

  void DropWaits() {
    for (plan::CommandList& list : *role_->mutable_lists()) {
      Commands kept;
      for (const plan::Command& command : list.commands())
        if (!command.has_collective_wait() ||
            dropped_.count(command.collective_wait().handle()) == 0)
          kept.push_back(command);
      Assign(kept, &list);
    }
  }

  // Kernels of the update that read a gradient that was whole.
  void ShrinkUpdate(plan::CommandList* update) {
    for (plan::Command& command : *update->mutable_commands()) {
      if (!command.has_kernel()) continue;
      auto& kernel = *command.mutable_kernel();
      if (std::none_of(kernel.inputs().begin(), kernel.inputs().end(),
                       [&](const plan::Slice& slice) {
                         return gradients_.count(PlaceOf(slice)) > 0;
                       }))
        continue;
      for (auto* slices : {kernel.mutable_inputs(), kernel.mutable_outputs()})
        for (plan::Slice& slice : *slices)
          if (slice.sizes_size() > 0)
            slice.set_sizes(0, (slice.sizes(0) + dp_ - 1) / dp_);
    }
  }

  // Reductions begin with the last layer. A forward pass that waits for all at
  // its end hides nearly as much as one that waits where each is read.
  void GatherBuckets() {
    if (gathered_.empty()) return;
    plan::CommandList* const forward = FirstForward(role_);
    plan::CommandList* const prologue = FindList(role_, plan::PHASE_PROLOGUE);
    if (prologue == nullptr || forward == nullptr) return;
    uint32_t handle = 0;
    for (const plan::CommandList& list : role_->lists())
      for (const plan::Command& command : list.commands())
        if (command.has_collective_start())
          handle = std::max(handle, command.collective_start().handle() + 1);
    std::reverse(gathered_.begin(), gathered_.end());
    for (auto& [gather, elements] : gathered_) {
      gather.set_kind(plan::COLLECTIVE_KIND_ALL_GATHER);
      gather.set_handle(handle);
      SetElements(elements, plan::DATA_TYPE_BF16, gather.mutable_destination());
      SetElements(1, plan::DATA_TYPE_BF16, gather.mutable_source());
      *prologue->add_commands()->mutable_collective_start() = gather;
      forward->add_commands()->mutable_collective_wait()->set_handle(handle++);
    }
  }

  const plan::Plan& plan_;
  plan::Role* const role_;
  std::set<uint32_t> dropped_;
  std::set<Place> gradients_;
  int64_t dp_ = 1;
  std::vector<std::pair<plan::CollectiveStartCommand, int64_t>> gathered_;
};

}  // namespace

bool IsDataParallel(const plan::Plan& plan, uint32_t group) {
  bool is = false;
  for (uint32_t axis : plan.groups(group).axes()) {
    const std::string& name = plan.mesh().axes(axis).name();
    if (name == kPipelineAxis) return false;
    is |= name == "dp";
  }
  return is;
}

void SplitOptimizer(const plan::Plan& plan, plan::Role* role) {
  Splitter(plan, role).Split();
}

}  // namespace mpc::runtime
