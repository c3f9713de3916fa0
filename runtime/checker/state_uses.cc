#include "runtime/checker/state_uses.h"

#include <algorithm>
#include <map>

namespace mpc::runtime {
namespace {

void Add(std::map<int, StateUse>& uses, int state, const Access& access,
         int command, bool is_collective) {
  const auto [place, is_new] = uses.emplace(state, StateUse{state});
  StateUse& use = place->second;
  if (is_new) {
    use.reads_first = !access.writes;
    use.command = command;
  }
  (access.writes ? use.writes : use.reads) = true;
  if (is_collective)
    use.is_reduced |= !access.writes;
  else if (access.writes && use.is_reduced)
    use.writes_after_reduction = true;
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
  for (size_t list = 0; list < accesses.size(); ++list) {
    const std::vector<std::vector<Access>>& commands = accesses[list];
    std::map<int, StateUse> uses;
    for (size_t command = 0; command < commands.size(); ++command) {
      const bool is_collective =
          role.lists(list).commands(command).has_collective_start();
      for (const Access& access : commands[command])
        if (access.region == plan::REGION_PERSISTENT)
          states.ForEachOverlap(
              Memory::kPersistent, access.range,
              [&](int state) {
                Add(uses, state, access, command, is_collective);
              });
    }
    auto& found = all.emplace_back();
    for (const auto& [state, use] : uses) found.push_back(use);
  }
  return all;
}

}  // namespace mpc::runtime
