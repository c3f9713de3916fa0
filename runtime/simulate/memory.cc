// Memory in use during each entry of a schedule.
#include <algorithm>
#include <map>
#include <utility>

#include "runtime/simulate/simulate.h"

namespace mpc::runtime {

// A slot is in use from the first to the last entry that runs its microbatch.
std::vector<MemoryPoint> MemoryOverTime(const plan::Role& role,
                                        const std::vector<PricedList>& lists) {
  std::map<std::pair<uint32_t, uint32_t>, std::pair<int, int>> lives;
  for (int i = 0; i < role.schedule_size(); ++i) {
    const plan::ScheduleEntry& entry = role.schedule(i);
    const plan::Phase phase = role.lists(entry.list()).phase();
    if (phase == plan::PHASE_PROLOGUE || phase == plan::PHASE_UPDATE) continue;
    lives.try_emplace({entry.slot(), entry.microbatch()}, i, i)
        .first->second.second = i;
  }
  std::vector<int64_t> change(role.schedule_size() + 1, 0);
  for (const auto& [slot, life] : lives) {
    ++change[life.first];
    --change[life.second + 1];
  }
  std::vector<MemoryPoint> points;
  int64_t in_use = 0;
  for (int i = 0; i < role.schedule_size(); ++i) {
    in_use += change[i];
    const int64_t slots = std::min<int64_t>(in_use, role.slots());
    const uint64_t transient = lists[role.schedule(i).list()].transient_bytes;
    points.push_back(
        {slots, transient,
         role.persistent_bytes() + slots * role.slot_bytes() + transient});
  }
  return points;
}

}  // namespace mpc::runtime
