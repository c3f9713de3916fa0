// Transfers that go on at the same time over the same links.
#ifndef MPC_RUNTIME_SIMULATE_SHARED_LINKS_H_
#define MPC_RUNTIME_SIMULATE_SHARED_LINKS_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace mpc::runtime {

/// The part of a link that a flow needs to go on at its full speed, above 0, at
/// most 1.
struct LinkUse {
  int link = 0;
  double demand = 1;
};

/// Flows and the links that they pass. Where more than a link has is demanded
/// of it, all of its flows slow down by the same factor; a flow goes as fast as
/// its slowest link lets it. (Fair sharing of what a flow leaves over on a link
/// because another holds it back is left out: it errs on the slow side.)
class SharedLinks {
 public:
  explicit SharedLinks(int links) : links_(links) {}

  /// Begins a flow that takes `seconds` if it is alone. Numbers of flows are
  /// reused.
  void Add(int flow, double seconds, std::vector<LinkUse> uses, double now);

  /// Ends a flow.
  void Remove(int flow, double now);

  /// The flows whose time of ending has changed since the last call, and the
  /// new one.
  std::vector<std::pair<int, double>> TakeChanges();

 private:
  struct Flow {
    std::vector<LinkUse> uses;
    /// Of work at full speed, at `since`.
    double remaining = 0;
    double speed = 0;
    double since = 0;
    bool active = false;
    bool changed = false;
  };
  struct Link {
    std::vector<int> flows;
    double demand = 0;
  };

  void Update(const std::vector<LinkUse>& uses, double now);

  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<int> changed_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_SIMULATE_SHARED_LINKS_H_
