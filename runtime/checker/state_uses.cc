#include "runtime/checker/state_uses.h"

#include <algorithm>
#include <map>

namespace mpc::runtime {
namespace {

void Add(std::map<int, StateUse>& uses, int state, const Access& access,
         int command) {
  const auto [place, is_new] = uses.emplace(state, StateUse{state});
  StateUse& use = place->second;
  if (is_new) {
    use.reads_first = !access.writes;
    use.command = command;
  }
  (access.writes ? use.writes : use.reads) = true;
}

}  // namespace

std::vector<std::vector<StateUse>> FindStateUses(
    const plan::Role& role, const std::vector<plan::StateKind>& kinds,
    const RoleAccesses& accesses) {
  RangeTable<int> states;
  for (int i = 0; i < role.states_size(); ++i) {
    const plan::State& state = role.states(i);
    if (std::find(kinds.begin(), kinds.end(), state.kind()) != kinds.end())
      states.Add(Memory::kPersistent, RangeOf(state.slice()), i);
  }
  std::vector<std::vector<StateUse>> all;
  for (const auto& commands : accesses) {
    std::map<int, StateUse> uses;
    for (size_t command = 0; command < commands.size(); ++command)
      for (const Access& access : commands[command])
        if (access.region == plan::REGION_PERSISTENT)
          states.ForEachOverlap(
              Memory::kPersistent, access.range,
              [&](int state) { Add(uses, state, access, command); });
    auto& list = all.emplace_back();
    for (const auto& [state, use] : uses) list.push_back(use);
  }
  return all;
}

}  // namespace mpc::runtime
