// Finds the twins of forward commands in backward lists.
#include "runtime/simulate/recompute_whole.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace mpc::runtime {
namespace {

using Commands = std::vector<plan::Command>;

/// `h.3` of `h.3.mlp.c_proj + h.3.mlp.dropout`: up to the first number; empty
/// if there is none.
std::string LayerOf(const std::string& location) {
  const std::string first(
      *absl::StrSplit(location, absl::MaxSplits(" + ", 1)).begin());
  std::vector<std::string> parts = absl::StrSplit(first, '.');
  for (size_t i = 0; i < parts.size(); ++i) {
    int64_t number;
    if (!absl::SimpleAtoi(parts[i], &number)) continue;
    parts.resize(i + 1);
    return absl::StrJoin(parts, ".");
  }
  return "";
}

/// What two runs of the same op have in common. Where a parameter lies tells a
/// product from that of a gradient, of which no operand or another is a
/// parameter.
std::string IdentityOf(const plan::Plan& plan, const plan::Command& command) {
  switch (command.kind_case()) {
    case plan::Command::kGemm: {
      const plan::GemmCommand& gemm = command.gemm();
      std::string key = absl::StrCat(
          command.location(), "|", gemm.rows(), "x", gemm.inner(), "x",
          gemm.columns(), "|", gemm.transpose_left(), gemm.transpose_right());
      for (const auto& batch : gemm.batch())
        absl::StrAppend(&key, "|", batch.count(), ",", batch.left_stride(), ",",
                        batch.right_stride(), ",", batch.destination_stride());
      if (gemm.right().region() == plan::REGION_PERSISTENT)
        absl::StrAppend(&key, "|", gemm.right().offset_bytes());
      return key;
    }
    case plan::Command::kKernel:
      return absl::StrCat(
          command.location(), "|",
          plan.target().kernels(command.kernel().kernel()).description());
    case plan::Command::kAttention:
      return absl::StrCat(command.location(), "|attention");
    case plan::Command::kCollectiveStart:
      return absl::StrCat(command.location(), "|",
                          command.collective_start().kind(), "|",
                          command.collective_start().group());
    default:
      return absl::StrCat(command.location(), "|", command.kind_case());
  }
}

/// Commands of the forward pass by layer; a wait follows its start.
std::map<std::string, Commands> ByLayer(const Commands& forward) {
  std::map<std::string, Commands> layers;
  for (const plan::Command& command : forward) {
    if (command.has_collective_wait() || command.has_send_start() ||
        command.has_receive_start())
      continue;
    layers[LayerOf(command.location())].push_back(command);
  }
  layers.erase("");
  return layers;
}

/// The commands of the layer that complete what `backward` recomputes, and
/// behind which command of it they belong.
std::pair<Commands, int> MissingOf(const plan::Plan& plan,
                                   const Commands& layer,
                                   const Commands& backward) {
  std::map<std::string, std::vector<int>> places;
  for (size_t i = 0; i < backward.size(); ++i)
    places[IdentityOf(plan, backward[i])].push_back(static_cast<int>(i));
  int last = -1;
  bool recomputes_linear = false;
  std::set<std::string> attention;
  std::vector<bool> found(layer.size(), false);
  for (size_t i = 0; i < layer.size(); ++i) {
    std::vector<int>& twins = places[IdentityOf(plan, layer[i])];
    // Scores and the values that they weight have a twin each among the
    // gradients.
    const bool is_batched =
        layer[i].has_gemm() && !layer[i].gemm().batch().empty();
    if (twins.size() <= (is_batched ? 1 : 0)) continue;
    found[i] = true;
    if (layer[i].has_gemm() || layer[i].has_attention()) {
      last = std::max(last, twins.front());
      if (layer[i].has_gemm() && !is_batched) {
        recomputes_linear = true;
      } else {
        attention.insert(layer[i].location());
      }
    }
    twins.erase(twins.begin());
  }
  Commands missing;
  for (size_t i = 0; i < layer.size(); ++i) {
    if (found[i]) continue;
    if (recomputes_linear ||
        (attention.count(layer[i].location()) > 0 && layer[i].has_gemm()))
      missing.push_back(layer[i]);
  }
  return {missing, last};
}

uint32_t HandleBound(const Commands& commands) {
  uint32_t bound = 0;
  for (const plan::Command& command : commands)
    if (command.has_collective_start())
      bound = std::max(bound, command.collective_start().handle() + 1);
  return bound;
}

/// `handle` and larger ones are free.
Commands Complete(const plan::Plan& plan, const Commands& forward,
                  const Commands& backward, uint32_t handle) {
  std::map<int, Commands> insertions;
  for (const auto& [layer, commands] : ByLayer(forward)) {
    auto [missing, place] = MissingOf(plan, commands, backward);
    if (!missing.empty() && place >= 0) insertions[place] = std::move(missing);
  }
  Commands complete;
  for (size_t i = 0; i < backward.size(); ++i) {
    complete.push_back(backward[i]);
    const auto found = insertions.find(static_cast<int>(i));
    if (found == insertions.end()) continue;
    for (plan::Command command : found->second) {
      if (command.has_collective_start()) {
        command.mutable_collective_start()->set_handle(handle);
        complete.push_back(command);
        command.mutable_collective_wait()->set_handle(handle++);
      }
      complete.push_back(std::move(command));
    }
  }
  return complete;
}

/// Where the backward pass begins in a list that holds both: at the first sum
/// of a gradient in the persistent region.
int BackwardBegin(const plan::CommandList& list) {
  for (int i = 0; i < list.commands_size(); ++i) {
    const plan::Command& command = list.commands(i);
    if (command.has_gemm() && command.gemm().transpose_left() &&
        command.gemm().destination().region() == plan::REGION_PERSISTENT)
      return i;
  }
  return list.commands_size();
}

void Assign(const Commands& commands, plan::CommandList* list) {
  list->clear_commands();
  for (const plan::Command& command : commands) *list->add_commands() = command;
}

}  // namespace

plan::Plan RecomputeWhole(plan::Plan plan) {
  for (plan::Role& role : *plan.mutable_roles()) {
    std::map<uint32_t, Commands> forward;  // By chunk.
    for (const plan::CommandList& list : role.lists())
      if (list.phase() == plan::PHASE_FORWARD)
        forward[list.chunk()].assign(list.commands().begin(),
                                     list.commands().end());
    for (plan::CommandList& list : *role.mutable_lists()) {
      const Commands all(list.commands().begin(), list.commands().end());
      const uint32_t handle = HandleBound(all);
      if (list.phase() == plan::PHASE_BACKWARD) {
        Assign(Complete(plan, forward[list.chunk()], all, handle), &list);
      } else if (list.phase() == plan::PHASE_FORWARD_BACKWARD) {
        const auto begin = all.begin() + BackwardBegin(list);
        Commands both(all.begin(), begin);
        const Commands backward =
            Complete(plan, both, Commands(begin, all.end()), handle);
        both.insert(both.end(), backward.begin(), backward.end());
        Assign(both, &list);
      }
    }
  }
  return plan;
}

}  // namespace mpc::runtime
