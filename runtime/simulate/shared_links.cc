// Speeds change where a flow begins or ends, and nowhere else.
#include "runtime/simulate/shared_links.h"

#include <algorithm>

namespace mpc::runtime {

void SharedLinks::Add(int flow, double seconds, std::vector<LinkUse> uses,
                      double now) {
  if (flow >= static_cast<int>(flows_.size())) flows_.resize(flow + 1);
  Flow& added = flows_[flow];
  added = {std::move(uses), seconds, 0, now, true, false};
  for (const LinkUse& use : added.uses) {
    links_[use.link].flows.push_back(flow);
    links_[use.link].demand += use.demand;
  }
  if (added.uses.empty()) {
    added.speed = 1;
    added.changed = true;
    changed_.push_back(flow);
  }
  Update(added.uses, now);
}

void SharedLinks::Remove(int flow, double now) {
  Flow& removed = flows_[flow];
  removed.active = false;
  for (const LinkUse& use : removed.uses) {
    Link& link = links_[use.link];
    link.flows.erase(std::find(link.flows.begin(), link.flows.end(), flow));
    link.demand = 0;
    for (int other : link.flows)
      for (const LinkUse& other_use : flows_[other].uses)
        if (other_use.link == use.link) link.demand += other_use.demand;
  }
  Update(removed.uses, now);
}

std::vector<std::pair<int, double>> SharedLinks::TakeChanges() {
  std::vector<std::pair<int, double>> changes;
  for (int flow : changed_) {
    flows_[flow].changed = false;
    if (flows_[flow].active)
      changes.emplace_back(flow, flows_[flow].since + flows_[flow].remaining /
                                                          flows_[flow].speed);
  }
  changed_.clear();
  return changes;
}

void SharedLinks::Update(const std::vector<LinkUse>& uses, double now) {
  for (const LinkUse& use : uses) {
    for (int index : links_[use.link].flows) {
      Flow& flow = flows_[index];
      double speed = 1;
      for (const LinkUse& own : flow.uses)
        speed = std::min(speed, 1 / std::max(1.0, links_[own.link].demand));
      if (speed == flow.speed) continue;
      flow.remaining =
          std::max(0.0, flow.remaining - flow.speed * (now - flow.since));
      flow.since = now;
      flow.speed = speed;
      if (!flow.changed) changed_.push_back(index);
      flow.changed = true;
    }
  }
}

}  // namespace mpc::runtime
