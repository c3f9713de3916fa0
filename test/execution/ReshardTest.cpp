//===- ReshardTest.cpp - every change of sharding ---------------*- C++ -*-===//
//
// The collectives that a reshard becomes, against what the two types mean, for all
// pairs of shardings of a matrix on small meshes.
//
//===----------------------------------------------------------------------===//

#include "passes/partition/LowerReshard.h"
#include "dialects/transformer/IR/Transformer.h"
#include "mlir/IR/Verifier.h"
#include "passes/partition/ReshardTraffic.h"
#include "test/execution/Evaluator.h"
#include "test/execution/OpInstances.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace mpc;
using namespace mpc::execution;
using dist::AxesAttr;
using dist::MeshAttr;
using dist::ReductionKind;
using dist::ShardingAttr;

namespace {

class ReshardTest : public ::testing::Test {
protected:
  MeshAttr getMesh(ArrayRef<int64_t> sizes) {
    SmallVector<StringAttr> names;
    for (size_t i = 0; i < sizes.size(); ++i)
      names.push_back(StringAttr::get(context.get(), Twine("abc"[i])));
    return MeshAttr::get(context.get(), AxesAttr::get(context.get(), names),
                         sizes);
  }

  /// All shardings of a matrix: each axis splits a dimension, is partial, or
  /// neither; axes of one dimension in each order.
  std::vector<ShardingAttr> enumerate(MeshAttr mesh, ReductionKind reduction) {
    std::vector<ShardingAttr> all;
    ArrayRef<StringAttr> axes = mesh.getAxes().getNames();
    SmallVector<SmallVector<StringAttr>, 3> places(3); // Two dimensions, partial.
    auto place = [&](auto &&self, size_t axis) -> void {
      if (axis == axes.size()) {
        AxesAttr none = AxesAttr::get(context.get(), {});
        SmallVector<AxesAttr> dims = {AxesAttr::get(context.get(), places[0]),
                                      AxesAttr::get(context.get(), places[1])};
        all.push_back(ShardingAttr::get(context.get(), mesh, dims, none,
                                        ReductionKind::Sum)
                          .withPartial(places[2], reduction));
        return;
      }
      self(self, axis + 1);
      for (SmallVector<StringAttr> &in : places) {
        // Partial axes have one order.
        size_t orders = &in == &places[2] ? 1 : in.size() + 1;
        for (size_t order = 0; order < orders; ++order) {
          in.insert(in.begin() + order, axes[axis]);
          self(self, axis + 1);
          in.erase(in.begin() + order);
        }
      }
    };
    place(place, 0);
    return all;
  }

  bool isMax(ShardingAttr sharding) {
    return sharding.isPartial() && sharding.getReduction() == ReductionKind::Max;
  }

  /// Whether `dist.reshard` allows it: nothing becomes a maximum that was not one,
  /// and a maximum becomes no sum.
  bool isLegal(ShardingAttr from, ShardingAttr to) {
    if (!isMax(from))
      return !isMax(to);
    if (to.isPartial() && !isMax(to))
      return false;
    return llvm::all_of(to.getPartial(), [&](StringAttr axis) {
      return from.getPartial().contains(axis);
    });
  }

  /// What the ranks hold after the lowered reshard.
  RankArrays reshard(ShardingAttr from, ShardingAttr to, const RankArrays &held,
                     ArrayRef<int64_t> shape) {
    OpBuilder builder(context.get());
    Location loc = builder.getUnknownLoc();
    auto type = RankedTensorType::get(shape, builder.getF32Type());
    RankedTensorType source = dist::withSharding(type, from);
    auto function = func::FuncOp::create(
        loc, "f", builder.getFunctionType(dist::getLocalType(source), {}));
    OwningOpRef<func::FuncOp> owner(function);
    Block *block = function.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    Value result = lowerReshard(builder, loc, dist::Phase::Forward,
                                block->getArgument(0), source,
                                dist::withSharding(type, to));
    func::ReturnOp::create(builder, loc, result);
    function.setType(builder.getFunctionType(block->getArgumentTypes(),
                                             result.getType()));
    EXPECT_TRUE(succeeded(mlir::verify(function)));
    EXPECT_EQ(result.getType(),
              dist::getLocalType(dist::withSharding(type, to)));
    auto results = Evaluator(from.getMesh()).call(function, held);
    EXPECT_TRUE(succeeded(results));
    return (*results)[0];
  }

  std::unique_ptr<MLIRContext> context = makeContext();
  Random random{17};
};

std::string print(ShardingAttr sharding) {
  std::string text;
  llvm::raw_string_ostream(text) << sharding;
  return text;
}

TEST_F(ReshardTest, KeepsTheValueForEveryPairOfShardings) {
  const SmallVector<int64_t> shape = {12, 6};
  Array value(shape);
  // Integers, so that sums in any order have the same bits.
  for (double &element : value.values)
    element = random.integer(-100, 100);
  unsigned pairs = 0;
  for (std::vector<int64_t> sizes :
       {std::vector<int64_t>{2}, {2, 3}, {3, 2}}) {
    MeshAttr mesh = getMesh(sizes);
    std::vector<ShardingAttr> all = enumerate(mesh, ReductionKind::Sum);
    for (ShardingAttr max : enumerate(mesh, ReductionKind::Max))
      if (max.isPartial())
        all.push_back(max);
    for (ShardingAttr from : all)
      for (ShardingAttr to : all) {
        if (!isLegal(from, to))
          continue;
        ++pairs;
        RankArrays held = distribute(value, from, &random);
        for (Array &array : held)
          for (double &element : array.values)
            element = std::round(element);
        std::string why;
        FailureOr<Array> before = assemble(held, from, why);
        ASSERT_TRUE(succeeded(before)) << why;
        FailureOr<Array> after =
            assemble(reshard(from, to, held, shape), to, why);
        ASSERT_TRUE(succeeded(after))
            << why << "\n" << print(from) << "\n" << print(to);
        ASSERT_EQ(after->values, before->values)
            << print(from) << "\n" << print(to);
      }
  }
  EXPECT_GT(pairs, 800u);
}

TEST_F(ReshardTest, BitsAreThoseThatARingSends) {
  MeshAttr mesh = getMesh({4});
  auto shard = [&](ArrayRef<StringAttr> rows, ArrayRef<StringAttr> columns,
                   ArrayRef<StringAttr> partial) {
    SmallVector<AxesAttr> dims = {AxesAttr::get(context.get(), rows),
                                  AxesAttr::get(context.get(), columns)};
    auto none = AxesAttr::get(context.get(), {});
    return dist::withSharding(
        RankedTensorType::get({8, 4}, Float16Type::get(context.get())),
        ShardingAttr::get(context.get(), mesh, dims, none, ReductionKind::Sum)
            .withPartial(partial, ReductionKind::Sum));
  };
  ArrayRef<StringAttr> a = mesh.getAxes().getNames();
  RankedTensorType whole = shard({}, {}, {}), sum = shard({}, {}, a),
                   rows = shard(a, {}, {}), columns = shard({}, a, {});
  constexpr int64_t kWhole = 8 * 4 * 16, kPiece = kWhole / 4;
  EXPECT_EQ(getBitsSent(sum, whole), 2 * 3 * kPiece);
  EXPECT_EQ(getBitsSent(sum, rows), 3 * kPiece);
  EXPECT_EQ(getBitsSent(rows, whole), 3 * kPiece);
  EXPECT_EQ(getBitsSent(rows, columns), 3 * kPiece / 4);
  EXPECT_EQ(getBitsSent(whole, rows), 0);
  EXPECT_EQ(getBitsSent(whole, sum), 0);
  EXPECT_EQ(getBitsSent(rows, rows), 0);
}

TEST_F(ReshardTest, DistributedValuesAreAssembledAgain) {
  Array value({12, 6});
  for (double &element : value.values)
    element = random.uniform(-1, 1);
  for (ShardingAttr sharding : enumerate(getMesh({2, 3}), ReductionKind::Sum)) {
    RankArrays held = distribute(value, sharding, &random);
    for (const Array &array : held)
      EXPECT_EQ(ArrayRef<int64_t>(array.shape),
                cast<RankedTensorType>(
                    dist::getLocalType(RankedTensorType::get(
                        value.shape, Float32Type::get(context.get()), sharding)))
                    .getShape());
    std::string why;
    auto again = assemble(held, sharding, why);
    ASSERT_TRUE(succeeded(again)) << why;
    EXPECT_LE(getDifference(*again, value), 1e-14);
  }
}

TEST_F(ReshardTest, ReplicasThatDifferAreNoValue) {
  ShardingAttr whole = ShardingAttr::getReplicated(getMesh({2}), 1);
  std::string why;
  EXPECT_TRUE(failed(assemble({Array({2}, 1), Array({2}, 2)}, whole, why)));
  EXPECT_EQ(why, "ranks 0 and 1 must hold the same and do not");
}

} // namespace
