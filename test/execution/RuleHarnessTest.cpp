//===- RuleHarnessTest.cpp - every rule of the tfm dialect ------*- C++ -*-===//
//
// Each rule is proven by execution, each clause of it is shown to be needed, and
// the verifier is shown to demand neither more nor less than the rule.
//
//===----------------------------------------------------------------------===//

#include "test/execution/RuleHarness.h"
#include "llvm/ADT/StringSet.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::execution;
using ::testing::AnyOf;
using ::testing::HasSubstr;

namespace {

/// What an op is linear in without its rule saying so, and why.
llvm::StringMap<std::string> getToleratedLinearity() {
  // A parameter is state and never partial; its gradient must not be either.
  return {{"sgd", "parameter gradient"}};
}

TEST(OpInstances, EveryOpHasAnInstance) {
  std::unique_ptr<MLIRContext> context = makeContext();
  llvm::StringSet<> listed;
  for (const OpInstance &instance : getOpInstances())
    listed.insert(("tfm." + instance.op).str());
  unsigned ops = 0;
  for (RegisteredOperationName name : context->getRegisteredOperations()) {
    if (name.getDialectNamespace() != "tfm")
      continue;
    ++ops;
    EXPECT_TRUE(listed.contains(name.getStringRef()))
        << name.getStringRef().str()
        << " has no instance in test/execution/OpInstances.cpp, so nothing "
           "proves its sharding rule";
  }
  EXPECT_GT(ops, 0u);
}

class RuleTest : public ::testing::TestWithParam<OpInstance> {
protected:
  RuleTest()
      : context(makeContext()), instance(context.get(), GetParam()),
        rule(getShardingRule(instance.getOp())) {}

  std::vector<Arrangement> arrangements() {
    return enumerateArrangements(context.get(), rule);
  }

  std::unique_ptr<MLIRContext> context;
  BuiltInstance instance;
  const ShardingRule &rule;
};

TEST_P(RuleTest, RanksComputeWhatTheGlobalOpDoes) {
  EXPECT_EQ(RuleHarness(instance, rule).findWrongResult(), "")
      << describe(GetParam());
}

TEST_P(RuleTest, LinearityIsDeclared) {
  EXPECT_EQ(RuleHarness(instance, rule).findUndeclaredLinearity(),
            getToleratedLinearity().lookup(GetParam().op));
}

// ------------------------------------------------------------ wrong rules

struct Mutant {
  std::string mistake;
  ShardingRule rule;
};

/// Rules that claim too much, or too little of linearity.
std::vector<Mutant> getMutants(const BuiltInstance &instance,
                               const ShardingRule &rule) {
  std::vector<Mutant> mutants;
  auto add = [&](std::string mistake, auto change) {
    Mutant &mutant = mutants.emplace_back(Mutant{std::move(mistake), rule});
    change(mutant.rule);
  };
  for (auto [number, factor] : llvm::enumerate(rule.factors)) {
    if (factor.kind == FactorKind::Parallel)
      continue;
    for (FactorKind kind :
         {FactorKind::Parallel, FactorKind::Sum, FactorKind::Max})
      if (kind != factor.kind)
        add("factor " + factor.name + " has kind " +
                std::to_string(static_cast<int>(kind)),
            [&, number = number](ShardingRule &mutant) {
              mutant.factors[number].kind = kind;
            });
  }
  for (auto [number, group] : llvm::enumerate(rule.linearGroups)) {
    add("without a linear group",
        [&, number = number](ShardingRule &mutant) {
          mutant.linearGroups.erase(mutant.linearGroups.begin() + number);
        });
    if (group.size() == 1)
      continue;
    for (unsigned operand : group)
      add("linear in '" + rule.operands[operand].name + "' alone",
          [&, number = number](ShardingRule &mutant) {
            mutant.linearGroups[number] = {operand};
          });
  }
  for (unsigned operand = 0; operand < rule.operands.size(); ++operand)
    if (instance.isFloat(operand) && !rule.getLinearGroup(operand))
      add("linear in '" + rule.operands[operand].name + "'",
          [&](ShardingRule &mutant) {
            mutant.linearGroups.push_back({operand});
          });
  return mutants;
}

TEST_P(RuleTest, EveryClauseIsNeeded) {
  for (const Mutant &mutant : getMutants(instance, rule)) {
    RuleHarness harness(instance, mutant.rule);
    bool isCaught = !harness.findWrongResult().empty() ||
                    harness.findUndeclaredLinearity() !=
                        getToleratedLinearity().lookup(GetParam().op);
    EXPECT_TRUE(isCaught) << describe(GetParam()) << "\n" << mutant.mistake;
  }
}

// ----------------------------------------------- the verifier and the rule

TEST_P(RuleTest, VerifierAcceptsWhatTheRuleAllows) {
  for (const Arrangement &arrangement : arrangements()) {
    ShardedInstance sharded(instance, rule, arrangement);
    std::string message = sharded.verify();
    if (!arrangement.splitsWhole(rule))
      EXPECT_EQ(message, "") << describe(GetParam());
    else if (!StringRef(message).contains("does not divide"))
      EXPECT_THAT(message, HasSubstr("[C3]")) << describe(GetParam());
  }
}

/// Every sharding that differs from a right one in the partial axes of one operand
/// or result, or in how one dimension is split, is refused by the right constraint.
TEST_P(RuleTest, VerifierRefusesAnyOtherType) {
  for (const Arrangement &arrangement : arrangements()) {
    if (arrangement.splitsWhole(rule))
      continue;
    ShardedInstance sharded(instance, rule, arrangement);
    for (unsigned tensor = 0; tensor < sharded.getTensorCount(); ++tensor) {
      dist::ShardingAttr right = dist::getSharding(sharded.getType(tensor));
      bool isResult = tensor >= rule.operands.size();
      auto expectRefused = [&](dist::ShardingAttr wrong, const char *constraint) {
        sharded.setSharding(tensor, wrong);
        EXPECT_THAT(sharded.verify(), HasSubstr(constraint))
            << describe(GetParam()) << "\ntensor " << tensor;
        sharded.setSharding(tensor, right);
      };
      for (StringAttr axis : right.getMesh().getAxes()) {
        SmallVector<StringAttr> partial(right.getPartial().getNames());
        bool splits = llvm::any_of(right.getDims(), [&](dist::AxesAttr axes) {
          return axes.contains(axis);
        });
        if (splits)
          continue; // A sharding cannot name the axis twice.
        // One axis more, or one less.
        if (llvm::is_contained(partial, axis))
          llvm::erase(partial, axis);
        else
          partial.push_back(axis);
        std::optional<unsigned> group;
        if (!isResult)
          group = rule.getLinearGroup(tensor);
        bool single = group && rule.linearGroups[*group].size() == 1;
        // An operand alone in its group is partial by right; then results are
        // wrong, unless a factor or another group has the axis.
        expectRefused(right.withPartial(partial, right.getReduction()),
                      isResult ? "[C5]" : single ? "[C" : "[C4]");
      }
    }
  }
}

TEST_P(RuleTest, VerifierRefusesAFactorSplitInOnePlaceOnly) {
  for (const Arrangement &arrangement : arrangements()) {
    if (arrangement.splitsWhole(rule))
      continue;
    ShardedInstance sharded(instance, rule, arrangement);
    for (unsigned tensor = 0; tensor < sharded.getTensorCount(); ++tensor) {
      dist::ShardingAttr right = dist::getSharding(sharded.getType(tensor));
      const ShardingRule::Tensor &names =
          tensor < rule.operands.size()
              ? rule.operands[tensor]
              : rule.results[tensor - rule.operands.size()];
      for (auto [dim, factor] : llvm::enumerate(names.dims)) {
        auto has = [&, factor = factor](const ShardingRule::Tensor &other) {
          return other.has(factor);
        };
        bool isShared = llvm::count_if(rule.operands, has) +
                            llvm::count_if(rule.results, has) >
                        1;
        if (!isShared || right.getDims()[dim].empty())
          continue;
        SmallVector<dist::AxesAttr> dims(right.getDims());
        dims[dim] = dist::AxesAttr::get(context.get(), {});
        sharded.setSharding(tensor, dist::ShardingAttr::get(
                                        context.get(), right.getMesh(), dims,
                                        right.getPartial(),
                                        right.getReduction()));
        EXPECT_THAT(sharded.verify(), HasSubstr("[C1]"));
        sharded.setSharding(tensor, right);
      }
    }
  }
}

/// Sizes of instances divide by 2 and 3, so never by 7. Types that a pass makes with
/// get() have not been verified, as those of a parser have.
TEST_P(RuleTest, C6VerifierRefusesASizeThatDoesNotDivide) {
  auto a = StringAttr::get(context.get(), "a");
  auto none = dist::AxesAttr::get(context.get(), {});
  Arrangement arrangement;
  arrangement.mesh = dist::MeshAttr::get(
      context.get(), dist::AxesAttr::get(context.get(), {a}), {7});
  arrangement.partialOf.assign(rule.linearGroups.size(), none);
  for (auto [number, factor] : llvm::enumerate(rule.factors)) {
    arrangement.axesOf.assign(rule.factors.size(), none);
    arrangement.axesOf[number] = dist::AxesAttr::get(context.get(), {a});
    std::string message =
        ShardedInstance(instance, rule, arrangement).verify();
    EXPECT_THAT(message, HasSubstr("' splits factor '" + factor.name +
                                   "' over {\"a\"}: its size "))
        << describe(GetParam());
    EXPECT_THAT(message, HasSubstr(" does not divide into 7 pieces [C6]"));
    EXPECT_THAT(message, AnyOf(HasSubstr("operand '"), HasSubstr("result '")));
  }
}

TEST_P(RuleTest, EveryFactorIsSplitAndEveryGroupIsPartial) {
  llvm::StringSet<> seen;
  for (const Arrangement &arrangement : arrangements()) {
    for (auto [factor, axes] : llvm::zip_equal(rule.factors, arrangement.axesOf))
      if (axes.size() == 2)
        seen.insert(factor.name);
    for (auto [group, axes] : llvm::enumerate(arrangement.partialOf))
      if (!axes.empty())
        seen.insert("group " + std::to_string(group));
  }
  EXPECT_EQ(seen.size(), rule.factors.size() + rule.linearGroups.size());
}

std::string getTestName(const ::testing::TestParamInfo<OpInstance> &info) {
  return info.param.op.str() + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Tfm, RuleTest,
                         ::testing::ValuesIn(getOpInstances().begin(),
                                             getOpInstances().end()),
                         getTestName);

} // namespace
