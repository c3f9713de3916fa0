//===- PartSource.h - prices of a model's parts, made once ------*- C++ -*-===//

#ifndef MPC_PASSES_SEARCH_PARTSOURCE_H
#define MPC_PASSES_SEARCH_PARTSOURCE_H

#include "passes/search/Representative.h"
#include "passes/search/StepModel.h"
#include <map>
#include <memory>

namespace mpc::search {

/// Expands what the search asks for and keeps it. The parts of a setup at any
/// microbatch size follow from those at two.
class PartSource {
public:
  PartSource(const Representative &model, const cluster::Pricing &pricing,
             std::string attention, bool strict)
      : model(model), pricing(pricing), attention(std::move(attention)),
        strict(strict) {}

  /// As Problem's members of these names.
  const PricedParts *getParts(const Setup &setup);
  const PricedParts *getStates(const Setup &setup);
  const PricedParts *getOptimisticStates(const Setup &setup) const;
  std::vector<int64_t> getSlots(const Setup &setup, mlir::MLIRContext *context);

  /// How many times the compiler ran.
  int64_t getExpansions() const { return expansions; }
  /// Why it refused, by the last one that it did.
  const std::string &getReason() const { return reason; }

private:
  const Parts *expand(const Seed &seed);
  Seed getStateSeed(const Setup &setup) const;

  const Representative &model;
  const cluster::Pricing &pricing;
  const std::string attention;
  const bool strict;
  int64_t expansions = 0;
  std::string reason;
  std::map<Seed, std::unique_ptr<Parts>> expanded;
  std::map<Seed, std::unique_ptr<PricedParts>> priced, states;
  /// Nothing is stored or sent.
  const PricedParts nothing;
  std::map<std::array<int64_t, 4>, std::vector<int64_t>> slots;
};

} // namespace mpc::search

#endif // MPC_PASSES_SEARCH_PARTSOURCE_H
