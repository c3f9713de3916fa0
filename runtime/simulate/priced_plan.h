// A plan whose commands have been replaced by the seconds that they take.
#ifndef MPC_RUNTIME_SIMULATE_PRICED_PLAN_H_
#define MPC_RUNTIME_SIMULATE_PRICED_PLAN_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cluster/pricing.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// What computing seconds go into.
struct ComputeSeconds {
  double products = 0;
  double attention = 0;
  /// Kernels, copies and fills.
  double kernels = 0;
  double total() const { return products + attention + kernels; }
  void Add(const ComputeSeconds& other, double times);
};

/// Floating-point operations of products and attention.
struct Flops {
  /// All that are executed.
  double hardware = 0;
  /// Those of a step without recomputation: three times the forward pass, which
  /// is the products of weight gradients for linear layers, and attention.
  double model = 0;
};

/// Computing, and then one command of communication.
struct PricedStep {
  enum Kind : uint8_t {
    kEnd,  // Of the list.
    kCollectiveStart,
    kCollectiveWait,
    kSendStart,
    kSendWait,
    kReceiveStart,
    kReceiveWait,
  };
  double seconds = 0;
  Kind kind = kEnd;
  /// Of collectives the handle, of messages the channel.
  uint32_t number = 0;
  /// Of a kCollectiveStart, into PricedPlan::transfers; of a kSendStart the
  /// bytes.
  uint64_t argument = 0;
};

struct PricedList {
  /// The last one is a kEnd.
  std::vector<PricedStep> steps;
  ComputeSeconds computing;
  Flops flops;
  /// From the start of the transient region, what its commands touch.
  uint64_t transient_bytes = 0;
  /// A bound of its handles.
  uint32_t handles = 0;
};

struct PricedCollective {
  cluster::TransferParts parts;
  uint32_t group = 0;
  int64_t bytes = 0;
  /// Index into PricedPlan::categories.
  int category = 0;
};

struct PricedPlan {
  /// By stage and list.
  std::vector<std::vector<PricedList>> roles;
  /// Each kind, group and size once.
  std::vector<PricedCollective> collectives;
  /// E.g. `all_reduce tp`; the first is `messages`.
  std::vector<std::string> categories;
  /// What most products compute in.
  cluster::ElementType type = cluster::ElementType::kF32;
};

/// Prices a valid plan.
PricedPlan PricePlan(const plan::Plan& plan, const cluster::Pricing& pricing);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_SIMULATE_PRICED_PLAN_H_
