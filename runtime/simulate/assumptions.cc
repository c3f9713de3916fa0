// Moves starts and waits of collectives.
#include "runtime/simulate/assumptions.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "runtime/plan/mesh.h"
#include "runtime/simulate/recompute_whole.h"
#include "runtime/simulate/split_optimizer.h"

namespace mpc::runtime {
namespace {

using Commands = std::vector<plan::Command>;

struct Named {
  const char* name;
  bool Assumptions::*field;
};
constexpr Named kNames[] = {
    {"recompute-whole", &Assumptions::recompute_whole},
    {"overlap-products", &Assumptions::overlap_products},
    {"overlap-steps", &Assumptions::overlap_steps},
    {"reduce-late", &Assumptions::reduce_late},
    {"eager-attention", &Assumptions::eager_attention},
    {"split-optimizer", &Assumptions::split_optimizer},
};

Commands CommandsOf(const plan::CommandList& list) {
  return {list.commands().begin(), list.commands().end()};
}

void Assign(const Commands& commands, plan::CommandList* list) {
  list->clear_commands();
  for (const plan::Command& command : commands) *list->add_commands() = command;
}

bool SamePlace(const plan::Slice& a, const plan::Slice& b) {
  return a.region() == b.region() && a.offset_bytes() == b.offset_bytes();
}

bool Reads(const plan::Command& command, const plan::Slice& slice) {
  return command.has_gemm() && (SamePlace(command.gemm().left(), slice) ||
                                SamePlace(command.gemm().right(), slice));
}

/// Handles that are unique in a role, so that starts and waits may part.
void NumberHandles(plan::Role* role) {
  uint32_t next = 0;
  for (plan::CommandList& list : *role->mutable_lists()) {
    std::map<uint32_t, uint32_t> numbers;
    for (plan::Command& command : *list.mutable_commands()) {
      if (command.has_collective_start()) {
        uint32_t& number = numbers[command.collective_start().handle()];
        number = next++;
        command.mutable_collective_start()->set_handle(number);
      } else if (command.has_collective_wait()) {
        command.mutable_collective_wait()->set_handle(
            numbers[command.collective_wait().handle()]);
      }
    }
  }
}

/// Where the start, the product before it that makes its operand, and the wait
/// and the products behind it that read its result stand next to each other.
void OverlapProducts(plan::CommandList* list) {
  Commands commands = CommandsOf(*list);
  for (size_t i = 0; i < commands.size(); ++i) {
    if (!commands[i].has_collective_start()) continue;
    const plan::CollectiveStartCommand start = commands[i].collective_start();
    if (i > 0 && commands[i - 1].has_gemm() &&
        SamePlace(commands[i - 1].gemm().destination(), start.source())) {
      std::swap(commands[i - 1], commands[i]);
      continue;
    }
    if (i + 1 >= commands.size() || !commands[i + 1].has_collective_wait())
      continue;
    for (size_t wait = i + 1; wait + 1 < commands.size() &&
                              Reads(commands[wait + 1], start.destination());
         ++wait)
      std::swap(commands[wait], commands[wait + 1]);
  }
  Assign(commands, list);
}

/// Each kernel that a fused one stands for reads and writes the scores.
void SplitSoftmax(const plan::Plan& plan, plan::CommandList* list) {
  Commands commands;
  for (const plan::Command& command : list->commands()) {
    commands.push_back(command);
    if (!command.has_kernel() || command.kernel().inputs().empty()) continue;
    const std::string& does =
        plan.target().kernels(command.kernel().kernel()).description();
    // Softmax and dropout are in the fused kernel's own operands.
    const int others = absl::StrContains(does, "masked_softmax_grad") ? 2
                       : absl::StrContains(does, "masked_softmax")    ? 3
                                                                      : -1;
    for (int i = 0; i <= others; ++i) {
      plan::Command& copy = commands.emplace_back();
      copy.set_location(command.location());
      *copy.mutable_copy()->mutable_source() = command.kernel().inputs(0);
      *copy.mutable_copy()->mutable_destination() = command.kernel().inputs(0);
    }
  }
  Assign(commands, list);
}

plan::CommandList* FindList(plan::Role* role, plan::Phase phase) {
  for (plan::CommandList& list : *role->mutable_lists())
    if (list.phase() == phase) return &list;
  return nullptr;
}

/// Moves commands of collectives among data parallel ranks between the lists of
/// a role: gathers to the end of the prologue, waits for reductions, and with
/// `late` the reductions, to the beginning of the update.
void OverlapSteps(const plan::Plan& plan, bool late, plan::Role* role) {
  plan::CommandList* const prologue = FindList(role, plan::PHASE_PROLOGUE);
  plan::CommandList* const update = FindList(role, plan::PHASE_UPDATE);
  if (prologue == nullptr || update == nullptr) return;
  Commands starts, waits;
  for (plan::CommandList& list : *role->mutable_lists()) {
    if (&list == prologue || &list == update) continue;
    Commands rest;
    std::map<uint32_t, bool> reduces;
    for (const plan::Command& command : list.commands()) {
      if (command.has_collective_start()) {
        const auto& start = command.collective_start();
        const bool moves = IsDataParallel(plan, start.group());
        const bool gathers = start.kind() == plan::COLLECTIVE_KIND_ALL_GATHER;
        reduces[start.handle()] = moves && !gathers;
        if (moves && gathers) {
          *prologue->add_commands() = command;
          continue;
        }
        if (moves && late) {
          starts.push_back(command);
          continue;
        }
      } else if (command.has_collective_wait() &&
                 reduces[command.collective_wait().handle()]) {
        waits.push_back(command);
        continue;
      }
      rest.push_back(command);
    }
    Assign(rest, &list);
  }
  starts.insert(starts.end(), waits.begin(), waits.end());
  const Commands own = CommandsOf(*update);
  starts.insert(starts.end(), own.begin(), own.end());
  Assign(starts, update);
}

}  // namespace

std::vector<std::string> AssumptionNames() {
  std::vector<std::string> names;
  for (const Named& one : kNames) names.push_back(one.name);
  return names;
}

absl::StatusOr<Assumptions> ParseAssumptions(absl::string_view text) {
  Assumptions assumptions;
  for (absl::string_view word : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const auto* found =
        std::find_if(std::begin(kNames), std::end(kNames),
                     [&](const Named& one) { return word == one.name; });
    if (found == std::end(kNames))
      return absl::InvalidArgumentError(
          absl::StrCat("--assume has ", word, ", expected some of ",
                       absl::StrJoin(AssumptionNames(), ", ")));
    assumptions.*(found->field) = true;
  }
  return assumptions;
}

plan::Plan Assume(plan::Plan plan, const Assumptions& assumptions) {
  if (assumptions.recompute_whole) plan = RecomputeWhole(std::move(plan));
  for (plan::Role& role : *plan.mutable_roles()) {
    NumberHandles(&role);
    if (assumptions.eager_attention)
      for (plan::CommandList& list : *role.mutable_lists())
        SplitSoftmax(plan, &list);
    if (assumptions.overlap_products)
      for (plan::CommandList& list : *role.mutable_lists())
        OverlapProducts(&list);
    if (assumptions.overlap_steps || assumptions.reduce_late)
      OverlapSteps(plan, assumptions.reduce_late, &role);
    if (assumptions.split_optimizer) SplitOptimizer(plan, &role);
  }
  return plan;
}

}  // namespace mpc::runtime
