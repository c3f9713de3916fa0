//===- ReportedCasesTest.cpp - failures of other systems --------*- C++ -*-===//
//
// Publicly reported failures of systems for training large models that a wrong rule
// or a wrong reduction would bring here, each by what must hold instead.
//
//===----------------------------------------------------------------------===//

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/partition/Passes.h"
#include "passes/sharding/Passes.h"
#include "test/execution/OpInstances.h"
#include "test/execution/TrainingStep.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace mpc;
using namespace mpc::execution;

namespace {

class ReportedCases : public ::testing::Test {
protected:
  /// Parses, spreads and partitions a function `@f` with pinned arguments.
  func::FuncOp partition(StringRef text) {
    module = parseSourceString<ModuleOp>(text, context.get());
    if (!module)
      return {};
    PassManager pm(context.get());
    buildShardingPipeline(pm);
    buildPartitionPipeline(pm);
    if (failed(pm.run(*module)))
      return {};
    return module->lookupSymbol<func::FuncOp>("f");
  }

  static dist::ShardingAttr getArgument(func::FuncOp function, unsigned i) {
    return dist::getSharding(dist::getGlobalArgType(function, i));
  }

  /// What each rank has of each result, for arguments in the global view.
  SmallVector<RankArrays> run(func::FuncOp function, ArrayRef<Array> arguments) {
    SmallVector<RankArrays> ranks;
    for (auto [i, argument] : llvm::enumerate(arguments))
      ranks.push_back(distribute(argument, getArgument(function, i), nullptr));
    auto results =
        Evaluator(getArgument(function, 0).getMesh()).call(function, ranks);
    EXPECT_TRUE(succeeded(results));
    return *results;
  }

  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> module;
};

Array makeArray(ArrayRef<int64_t> shape, llvm::function_ref<double(int64_t)> value) {
  Array array(shape);
  for (auto [place, element] : llvm::enumerate(array.values))
    element = value(place);
  return array;
}

Array count(ArrayRef<int64_t> shape) {
  return makeArray(shape, [](int64_t place) { return place; });
}

// A replicated bias added to partial sums came out once per rank, and so did its
// gradient.
TEST_F(ReportedCases, BiasOfARowParallelLayerIsAddedOnce) {
  for (int tp : {2, 4}) {
    func::FuncOp function = partition(
        "#mesh = #dist.mesh<[\"tp\"=" + std::to_string(tp) + R"(]>
      #columns = #dist.sharding<#mesh, [{}, {"tp"}]>
      func.func @f(%w: tensor<4x8xf32> {dist.pin = #columns}, %x: tensor<1x2x8xf32>,
                   %b: tensor<4xf32>, %dy: tensor<1x2x4xf32>) -> (tensor<1x2x4xf32>, tensor<4xf32>) {
        %0 = tfm.linear %x, %w : (tensor<1x2x8xf32>, tensor<4x8xf32>) -> tensor<1x2x4xf32>
        %1 = tfm.bias_add %0, %b : (tensor<1x2x4xf32>, tensor<4xf32>) -> tensor<1x2x4xf32>
        %2 = tfm.bias_grad %dy : (tensor<1x2x4xf32>) -> tensor<4xf32>
        return %1, %2 : tensor<1x2x4xf32>, tensor<4xf32>
      })");
    ASSERT_TRUE(function);
    SmallVector<StringRef> order;
    function.walk([&](Operation *op) {
      if (isa<dist::AllReduceOp, tfm::BiasAddOp>(op))
        order.push_back(op->getName().getStringRef());
    });
    EXPECT_EQ(order,
              (SmallVector<StringRef>{"dist.all_reduce", "tfm.bias_add"}));
    SmallVector<RankArrays> results =
        run(function, {Array({4, 8}), Array({1, 2, 8}, 3), Array({4}, 1),
                       count({1, 2, 4})});
    ASSERT_EQ(results[0].size(), unsigned(tp));
    for (const Array &rank : results[0])
      EXPECT_EQ(rank.values, std::vector<double>(8, 1.0));
    for (const Array &rank : results[1])
      EXPECT_EQ(rank.values, (std::vector<double>{4, 6, 8, 10}));
  }
}

// The all-reduce of an embedding's gradient was over the wrong axis.
TEST_F(ReportedCases, EmbeddingGradientReducesOverTheTokensAxisOnly) {
  func::FuncOp function = partition(R"(
    #mesh = #dist.mesh<["dp"=2, "tp"=2]>
    #rows = #dist.sharding<#mesh, [{"tp"}, {}]>
    #batch = #dist.sharding<#mesh, [{"dp"}, {}, {}]>
    #ids = #dist.sharding<#mesh, [{"dp"}, {}]>
    func.func @f(%g: tensor<2x3x2xf32> {dist.pin = #batch},
                 %ids: tensor<2x3xi32> {dist.pin = #ids}) -> tensor<4x2xf32> {
      %rows = dist.iota : tensor<4xi32>
      %0 = tfm.embedding_grad %g, %ids, %rows : (tensor<2x3x2xf32>, tensor<2x3xi32>, tensor<4xi32>) -> tensor<4x2xf32>
      %1 = dist.pin %0 : tensor<4x2xf32> to #rows
      return %1 : tensor<4x2xf32>
    })");
  ASSERT_TRUE(function);
  unsigned reductions = 0;
  function.walk([&](Operation *op) {
    if (auto reduce = dyn_cast<dist::AllReduceOp>(op)) {
      ++reductions;
      ASSERT_EQ(reduce.getAxes().size(), 1u);
      EXPECT_EQ(reduce.getAxes().getNames()[0], "dp");
      EXPECT_EQ(reduce.getType().getDimSize(0), 2); // Only this rank's rows.
    }
    EXPECT_FALSE((isa<dist::AllGatherOp, dist::ReduceScatterOp>(op)));
  });
  EXPECT_EQ(reductions, 1u);
  // Token 1 occurs on both dp ranks, and twice on one.
  Array ids = makeArray({2, 3}, [](int64_t i) { return i == 5 ? 3 : i % 2; });
  RankArrays ranks = run(function, {count({2, 3, 2}), ids})[0];
  std::string why;
  auto table = assemble(
      ranks, dist::getSharding(dist::getGlobalResultType(function, 0)), why);
  ASSERT_TRUE(succeeded(table)) << why;
  // Places 0, 2 and 4 hold token 0, places 1 and 3 token 1, place 5 token 3.
  EXPECT_EQ(table->values, (std::vector<double>{12, 15, 8, 10, 0, 0, 10, 11}));
}

// Under sequence parallelism all ranks dropped the same places of their slices.
TEST_F(ReportedCases, DropoutDiffersBetweenSlicesOfASequence) {
  func::FuncOp function = partition(R"(
    #mesh = #dist.mesh<["tp"=2]>
    #sequence = #dist.sharding<#mesh, [{}, {"tp"}, {}]>
    func.func @f(%x: tensor<2x16x64xf32> {dist.pin = #sequence}, %seed: tensor<i32>,
                 %samples: tensor<2xi32>, %positions: tensor<2x16xi32>) -> tensor<2x16x64xf32> {
      %features = dist.iota : tensor<64xi32>
      %0 = tfm.dropout %x, %seed, %samples, %positions, %features {rate = 0.5 : f32, key = 9 : i32}
        : (tensor<2x16x64xf32>, tensor<i32>, tensor<2xi32>, tensor<2x16xi32>, tensor<64xi32>) -> tensor<2x16x64xf32>
      return %0 : tensor<2x16x64xf32>
    })");
  ASSERT_TRUE(function);
  Array positions = makeArray({2, 16}, [](int64_t i) { return i % 16; });
  SmallVector<Array> arguments = {Array({2, 16, 64}, 1), Array(ArrayRef<int64_t>(), 5),
                                  count({2}), positions};
  RankArrays ranks = run(function, arguments)[0];
  ASSERT_EQ(ranks.size(), 2u);
  double kept = 0, agree = 0;
  for (auto [a, b] : llvm::zip_equal(ranks[0].values, ranks[1].values)) {
    EXPECT_TRUE(a == 0 || a == 2);
    kept += (a != 0) + (b != 0);
    agree += a == b;
  }
  // 2048 elements, and 1024 pairs of them: within 4 standard deviations.
  EXPECT_NEAR(kept / 2048, 0.5, 4 * 0.5 / std::sqrt(2048.0));
  EXPECT_NEAR(agree / 1024, 0.5, 4 * 0.5 / std::sqrt(1024.0));
  // The same bits twice.
  EXPECT_EQ(ranks[0].values, run(function, arguments)[0][0].values);
}

// Without sequence parallelism ranks hold the same residual stream, so they must drop
// the same of it.
TEST_F(ReportedCases, DropoutOfAReplicatedStreamIsTheSameOnEveryRank) {
  func::FuncOp function = partition(R"(
    #whole = #dist.sharding<#dist.mesh<["tp"=2]>, [{}, {}, {}]>
    func.func @f(%x: tensor<2x8x16xf32> {dist.pin = #whole}, %seed: tensor<i32>,
                 %samples: tensor<2xi32>, %positions: tensor<2x8xi32>) -> tensor<2x8x16xf32> {
      %features = dist.iota : tensor<16xi32>
      %0 = tfm.dropout %x, %seed, %samples, %positions, %features {rate = 0.5 : f32, key = 9 : i32}
        : (tensor<2x8x16xf32>, tensor<i32>, tensor<2xi32>, tensor<2x8xi32>, tensor<16xi32>) -> tensor<2x8x16xf32>
      return %0 : tensor<2x8x16xf32>
    })");
  ASSERT_TRUE(function);
  Array positions = makeArray({2, 8}, [](int64_t i) { return i % 8; });
  RankArrays ranks =
      run(function, {Array({2, 8, 16}, 1), Array(ArrayRef<int64_t>(), 5),
                     count({2}), positions})[0];
  ASSERT_EQ(ranks.size(), 2u);
  EXPECT_EQ(ranks[0].values, ranks[1].values);
  double kept = llvm::count_if(ranks[0].values, [](double x) { return x != 0; });
  EXPECT_NEAR(kept / 256, 0.5, 4 * 0.5 / std::sqrt(256.0));
}

// Ranks drop attention weights of different heads: equal heads must not stay equal.
TEST_F(ReportedCases, DropoutOfAttentionDiffersBetweenTheHeadsOfRanks) {
  func::FuncOp function = partition(R"(
    #heads = #dist.sharding<#dist.mesh<["tp"=2]>, [{}, {}, {"tp"}, {}, {}]>
    func.func @f(%q: tensor<1x16x2x1x4xf32> {dist.pin = #heads}, %kv: tensor<1x16x2x4xf32>,
                 %positions: tensor<1x16xi32>, %seed: tensor<i32>, %samples: tensor<1xi32>)
        -> tensor<1x16x2x1x4xf32> {
      %heads = dist.iota : tensor<2x1xi32>
      %out, %lse = tfm.attention %q, %kv, %kv, %positions, %positions, %seed, %samples, %heads {scale = 1.0 : f32, causal = true, rate = 0.5 : f32, key = 3 : i32}
        : (tensor<1x16x2x1x4xf32>, tensor<1x16x2x4xf32>, tensor<1x16x2x4xf32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<i32>, tensor<1xi32>, tensor<2x1xi32>)
        -> (tensor<1x16x2x1x4xf32>, tensor<1x16x2x1xf32>)
      return %out : tensor<1x16x2x1x4xf32>
    })");
  ASSERT_TRUE(function);
  // Query i sees i + 1 keys of equal weight and value 1: the result, over 2, is the
  // part of them that is kept.
  RankArrays ranks =
      run(function, {Array({1, 16, 2, 1, 4}), Array({1, 16, 2, 4}, 1), count({1, 16}),
                     Array(ArrayRef<int64_t>(), 5), Array({1})})[0];
  ASSERT_EQ(ranks.size(), 2u);
  double kept = 0, differ = 0;
  for (int64_t query = 0; query < 16; ++query) {
    double a = ranks[0].values[query * 4], b = ranks[1].values[query * 4];
    kept += (a + b) / 2 * (query + 1);
    differ += a != b;
  }
  // 272 weights; most of 16 counts differ.
  EXPECT_NEAR(kept / 272, 0.5, 4 * 0.5 / std::sqrt(272.0));
  EXPECT_GT(differ, 8);
}

// A row all of whose keys are masked gave NaN, or the mean of the values.
TEST_F(ReportedCases, FullyMaskedQueryGivesZeroAndNoGradient) {
  module = parseSourceString<ModuleOp>(R"(
    func.func @f(%g: tensor<1x2x1x1x2xf32>, %q: tensor<1x2x1x1x2xf32>, %kv: tensor<1x2x1x2xf32>,
                 %qp: tensor<1x2xi32>, %kp: tensor<1x2xi32>, %seed: tensor<i32>, %n: tensor<1xi32>, %h: tensor<1x1xi32>)
        -> (tensor<1x2x1x1x2xf32>, tensor<1x2x1x1x2xf32>, tensor<1x2x1x2xf32>, tensor<1x2x1x2xf32>) {
      %out, %lse = tfm.attention %q, %kv, %kv, %qp, %kp, %seed, %n, %h {scale = 1.0 : f32, causal = true, rate = 0.0 : f32, key = 0 : i32}
        : (tensor<1x2x1x1x2xf32>, tensor<1x2x1x2xf32>, tensor<1x2x1x2xf32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<i32>, tensor<1xi32>, tensor<1x1xi32>)
        -> (tensor<1x2x1x1x2xf32>, tensor<1x2x1x1xf32>)
      %grads:3 = tfm.attention_grad %g, %q, %kv, %kv, %out, %lse, %qp, %kp, %seed, %n, %h {scale = 1.0 : f32, causal = true, rate = 0.0 : f32, key = 0 : i32}
        : (tensor<1x2x1x1x2xf32>, tensor<1x2x1x1x2xf32>, tensor<1x2x1x2xf32>, tensor<1x2x1x2xf32>, tensor<1x2x1x1x2xf32>, tensor<1x2x1x1xf32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<i32>, tensor<1xi32>, tensor<1x1xi32>)
        -> (tensor<1x2x1x1x2xf32>, tensor<1x2x1x2xf32>, tensor<1x2x1x2xf32>)
      return %out, %grads#0, %grads#1, %grads#2 : tensor<1x2x1x1x2xf32>, tensor<1x2x1x1x2xf32>, tensor<1x2x1x2xf32>, tensor<1x2x1x2xf32>
    })", context.get());
  ASSERT_TRUE(module);
  // The first query comes before both keys, the second after them.
  Array queryPositions = makeArray({1, 2}, [](int64_t i) { return i ? 7 : 0; });
  Array ones({1, 2, 1, 1, 2}, 1);
  auto results = callGlobally(
      module->lookupSymbol<func::FuncOp>("f"),
      {ones, ones, count({1, 2, 1, 2}), queryPositions, Array({1, 2}, 3),
       Array(ArrayRef<int64_t>()), Array({1}), Array({1, 1})});
  ASSERT_TRUE(succeeded(results));
  auto [out, qGrad] = std::pair((*results)[0], (*results)[1]);
  EXPECT_EQ(out.slice(1, 0, 1).values, (std::vector<double>{0, 0}));
  EXPECT_EQ(qGrad.slice(1, 0, 1).values, (std::vector<double>{0, 0}));
  EXPECT_GT(out.slice(1, 1, 1).values[0], 1.0);
  for (const Array &result : *results)
    for (double value : result.values)
      EXPECT_TRUE(std::isfinite(value));
}

// Fused and unfused, attention of such a query differed between back ends; here they are
// the same in all else too, what is dropped included.
TEST_F(ReportedCases, UnfusedAttentionIsFusedAttention) {
  module = parseSourceString<ModuleOp>(R"(
    func.func @f(%g: tensor<1x3x1x2x2xf32>, %q: tensor<1x3x1x2x2xf32>, %k: tensor<1x4x1x2xf32>, %v: tensor<1x4x1x2xf32>,
                 %qp: tensor<1x3xi32>, %kp: tensor<1x4xi32>, %seed: tensor<i32>, %n: tensor<1xi32>, %h: tensor<1x2xi32>)
        -> (tensor<1x3x1x2x2xf32>, tensor<1x3x1x2x2xf32>, tensor<1x4x1x2xf32>, tensor<1x4x1x2xf32>, tensor<1x3x1x2x2xf32>, tensor<1x3x1x2x2xf32>, tensor<1x4x1x2xf32>, tensor<1x4x1x2xf32>) {
      %out, %lse = tfm.attention %q, %k, %v, %qp, %kp, %seed, %n, %h {scale = 0.7 : f32, causal = true, rate = 0.25 : f32, key = 5 : i32}
        : (tensor<1x3x1x2x2xf32>, tensor<1x4x1x2xf32>, tensor<1x4x1x2xf32>, tensor<1x3xi32>, tensor<1x4xi32>, tensor<i32>, tensor<1xi32>, tensor<1x2xi32>) -> (tensor<1x3x1x2x2xf32>, tensor<1x3x1x2xf32>)
      %grads:3 = tfm.attention_grad %g, %q, %k, %v, %out, %lse, %qp, %kp, %seed, %n, %h {scale = 0.7 : f32, causal = true, rate = 0.25 : f32, key = 5 : i32}
        : (tensor<1x3x1x2x2xf32>, tensor<1x3x1x2x2xf32>, tensor<1x4x1x2xf32>, tensor<1x4x1x2xf32>, tensor<1x3x1x2x2xf32>, tensor<1x3x1x2xf32>, tensor<1x3xi32>, tensor<1x4xi32>, tensor<i32>, tensor<1xi32>, tensor<1x2xi32>) -> (tensor<1x3x1x2x2xf32>, tensor<1x4x1x2xf32>, tensor<1x4x1x2xf32>)
      %s = tfm.attention_scores %q, %k : (tensor<1x3x1x2x2xf32>, tensor<1x4x1x2xf32>) -> tensor<1x1x2x3x4xf32>
      %p = tfm.masked_softmax %s, %qp, %kp {scale = 0.7 : f32, causal = true} : (tensor<1x1x2x3x4xf32>, tensor<1x3xi32>, tensor<1x4xi32>) -> tensor<1x1x2x3x4xf32>
      %z = tfm.attention_dropout %p, %seed, %n, %h, %qp, %kp {rate = 0.25 : f32, key = 5 : i32} : (tensor<1x1x2x3x4xf32>, tensor<i32>, tensor<1xi32>, tensor<1x2xi32>, tensor<1x3xi32>, tensor<1x4xi32>) -> tensor<1x1x2x3x4xf32>
      %o = tfm.attention_context %z, %v : (tensor<1x1x2x3x4xf32>, tensor<1x4x1x2xf32>) -> tensor<1x3x1x2x2xf32>
      %vg = tfm.attention_key_grad %z, %g : (tensor<1x1x2x3x4xf32>, tensor<1x3x1x2x2xf32>) -> tensor<1x4x1x2xf32>
      %zg = tfm.attention_scores %g, %v : (tensor<1x3x1x2x2xf32>, tensor<1x4x1x2xf32>) -> tensor<1x1x2x3x4xf32>
      %pg = tfm.attention_dropout %zg, %seed, %n, %h, %qp, %kp {rate = 0.25 : f32, key = 5 : i32} : (tensor<1x1x2x3x4xf32>, tensor<i32>, tensor<1xi32>, tensor<1x2xi32>, tensor<1x3xi32>, tensor<1x4xi32>) -> tensor<1x1x2x3x4xf32>
      %sg = tfm.masked_softmax_grad %pg, %p {scale = 0.7 : f32} : (tensor<1x1x2x3x4xf32>, tensor<1x1x2x3x4xf32>) -> tensor<1x1x2x3x4xf32>
      %qg = tfm.attention_context %sg, %k : (tensor<1x1x2x3x4xf32>, tensor<1x4x1x2xf32>) -> tensor<1x3x1x2x2xf32>
      %kg = tfm.attention_key_grad %sg, %q : (tensor<1x1x2x3x4xf32>, tensor<1x3x1x2x2xf32>) -> tensor<1x4x1x2xf32>
      return %out, %grads#0, %grads#1, %grads#2, %o, %qg, %kg, %vg : tensor<1x3x1x2x2xf32>, tensor<1x3x1x2x2xf32>, tensor<1x4x1x2xf32>, tensor<1x4x1x2xf32>, tensor<1x3x1x2x2xf32>, tensor<1x3x1x2x2xf32>, tensor<1x4x1x2xf32>, tensor<1x4x1x2xf32>
    })", context.get());
  ASSERT_TRUE(module);
  // The first query comes before all keys.
  Array queryPositions = count({1, 3}), keyPositions = count({1, 4});
  for (double &position : keyPositions.values)
    position += 1;
  auto wave = [](ArrayRef<int64_t> shape, double phase) {
    return makeArray(shape, [&](int64_t i) { return std::sin(3 * i + phase); });
  };
  auto results = callGlobally(
      module->lookupSymbol<func::FuncOp>("f"),
      {wave({1, 3, 1, 2, 2}, 1), wave({1, 3, 1, 2, 2}, 2),
       wave({1, 4, 1, 2}, 3), wave({1, 4, 1, 2}, 4), queryPositions,
       keyPositions, Array(ArrayRef<int64_t>(), 9), Array({1}, 2),
       count({1, 2})});
  ASSERT_TRUE(succeeded(results));
  ASSERT_EQ(results->size(), 8u);
  for (int i = 0; i < 4; ++i) {
    const Array &fused = (*results)[i], &unfused = (*results)[i + 4];
    for (auto [a, b] : llvm::zip_equal(fused.values, unfused.values))
      EXPECT_NEAR(a, b, 1e-12) << i;
    EXPECT_GT(llvm::count_if(unfused.values, [](double x) { return x != 0; }), 0);
    // Nothing of the first query.
    if (i < 2)
      EXPECT_EQ(unfused.slice(1, 0, 1).values, std::vector<double>(4, 0));
  }
}

// --------------------------------------------- which tokens have a label

class Masks : public ReportedCases {
protected:
  /// The cotangents of logits [1, 8, 3] and the loss, of 8 tokens of which
  /// `labels` says the label or -1; the sequence is split over `ranks`.
  std::pair<Array, double> getLoss(int64_t ranks, const Array &labels) {
    func::FuncOp &function = functions[ranks];
    if (!function) {
      module = OwningOpRef<ModuleOp>();
      std::string mesh = ranks == 1 ? "" : "\"cp\"=" + std::to_string(ranks);
      std::string axes = ranks == 1 ? "" : "\"cp\"";
      function = partition("#mesh = #dist.mesh<[" + mesh + "]>\n" +
                           "#x = #dist.sharding<#mesh, [{}, {" + axes +
                           "}, {}]>\n#labels = #dist.sharding<#mesh, [{}, {" +
                           axes + "}]>\n" + kLoss);
      modules.push_back(std::move(module));
    }
    EXPECT_TRUE(function);
    SmallVector<RankArrays> results = run(function, {logits, labels});
    std::string why;
    auto grad = assemble(
        results[0], dist::getSharding(dist::getGlobalResultType(function, 0)),
        why);
    EXPECT_TRUE(succeeded(grad)) << why;
    return {*grad, results[1][0].values[0]};
  }

  static constexpr const char *kLoss = R"(
    func.func @f(%x: tensor<1x8x3xf32> {dist.pin = #x}, %labels: tensor<1x8xi32> {dist.pin = #labels})
        -> (tensor<1x8x3xf32>, tensor<f32>) {
      %rows = dist.iota : tensor<3xi32>
      %max = tfm.row_max %x, %rows {classes = 3 : i64} : (tensor<1x8x3xf32>, tensor<3xi32>) -> tensor<1x8xf32>
      %sum = tfm.exp_sum %x, %max, %rows {classes = 3 : i64} : (tensor<1x8x3xf32>, tensor<1x8xf32>, tensor<3xi32>) -> tensor<1x8xf32>
      %pick = tfm.pick %x, %labels, %rows : (tensor<1x8x3xf32>, tensor<1x8xi32>, tensor<3xi32>) -> tensor<1x8xf32>
      %nll = tfm.nll %sum, %max, %pick, %labels : (tensor<1x8xf32>, tensor<1x8xf32>, tensor<1x8xf32>, tensor<1x8xi32>) -> tensor<1x8xf32>
      %total = tfm.sum_all %nll : (tensor<1x8xf32>) -> tensor<f32>
      %valid = tfm.count_valid %labels : (tensor<1x8xi32>) -> tensor<f32>
      %inverse = tfm.reciprocal %valid : (tensor<f32>) -> tensor<f32>
      %loss = tfm.scale %total, %inverse : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %g = tfm.broadcast %inverse : (tensor<f32>) -> tensor<1x8xf32>
      %gs, %gp = tfm.nll_grad %g, %sum, %labels : (tensor<1x8xf32>, tensor<1x8xf32>, tensor<1x8xi32>) -> (tensor<1x8xf32>, tensor<1x8xf32>)
      %a = tfm.exp_sum_grad %gs, %x, %max, %rows {classes = 3 : i64} : (tensor<1x8xf32>, tensor<1x8x3xf32>, tensor<1x8xf32>, tensor<3xi32>) -> tensor<1x8x3xf32>
      %b = tfm.pick_grad %gp, %labels, %rows : (tensor<1x8xf32>, tensor<1x8xi32>, tensor<3xi32>) -> tensor<1x8x3xf32>
      %dx = tfm.add %a, %b : (tensor<1x8x3xf32>, tensor<1x8x3xf32>) -> tensor<1x8x3xf32>
      return %dx, %loss : tensor<1x8x3xf32>, tensor<f32>
    })";

  Array logits = makeArray({1, 8, 3}, [](int64_t i) { return std::sin(i) * 2; });
  std::map<int64_t, func::FuncOp> functions;
  std::vector<OwningOpRef<ModuleOp>> modules;
};

// Ranks divided by their own counts of valid tokens, so that uneven masks changed
// the objective; an empty mask gave 0 / 0.
TEST_F(Masks, AnyMaskGivesTheSameMeanOnAnyNumberOfRanks) {
  for (unsigned mask = 0; mask < 256; ++mask) {
    Array labels = makeArray({1, 8}, [&](int64_t i) {
      return mask >> i & 1 ? double(i % 3) : -1;
    });
    auto [grad, loss] = getLoss(1, labels);
    for (int64_t ranks : {2, 4}) {
      auto [splitGrad, splitLoss] = getLoss(ranks, labels);
      ASSERT_LE(getDifference(splitGrad, grad), 1e-14) << mask;
      ASSERT_NEAR(splitLoss, loss, 1e-14) << mask;
    }
    if (mask == 0) {
      EXPECT_EQ(loss, 0);
      EXPECT_EQ(grad.values, std::vector<double>(24, 0.0));
    }
  }
}

// An ignored token must count as if it were not there.
TEST_F(Masks, TokensWithoutALabelHaveNoGradientWhateverTheirLogits) {
  Array labels = makeArray({1, 8}, [](int64_t i) { return i < 3 ? 1.0 : -1; });
  auto [grad, loss] = getLoss(2, labels);
  for (int64_t i = 9; i < 24; ++i)
    logits.values[i] = 50;
  auto [otherGrad, otherLoss] = getLoss(2, labels);
  EXPECT_EQ(loss, otherLoss);
  EXPECT_EQ(grad.values, otherGrad.values);
  EXPECT_EQ(grad.slice(1, 3, 5).values, std::vector<double>(15, 0.0));
}

// ------------------------------------------------------------ a whole step

class StepCases : public ::testing::Test {
protected:
  void SetUp() override {
    step = buildSmallStep(context.get(), SmallModel::Gpt);
    ASSERT_TRUE(step);
    state = makeState(*step, random);
  }

  std::map<std::string, Array> run() {
    auto results = runStep(*step, state, dist::MeshAttr());
    EXPECT_TRUE(succeeded(results));
    return *results;
  }

  Random random{3};
  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> step;
  State state;
};

// A window without a trained token gave NaN and moved the optimizer.
TEST_F(StepCases, StepWithoutAnyLabelChangesNothing) {
  for (auto &[binding, value] : state)
    if (binding.getName().getValue().contains("labels"))
      value = Array(value.shape, -1);
  std::map<std::string, Array> results = run();
  unsigned states = 0;
  for (const auto &[binding, value] : state) {
    auto found = results.find(
        ("update " + tfm::stringifyStateKind(binding.getKind()) + " " +
         binding.getName().getValue() + " 0")
            .str());
    if (found == results.end() || binding.getKind() == tfm::StateKind::Carry)
      continue;
    ++states;
    EXPECT_EQ(found->second.values, value.values) << found->first;
  }
  EXPECT_GT(states, 60u); // Masters, two moments each, the counter.
  EXPECT_EQ(results["update metric loss 0"].values[0], 0);
  EXPECT_EQ(results["update metric grad_norm 0"].values[0], 0);
}

// Rows that only pad the vocabulary had a probability, and a gradient.
TEST_F(StepCases, PaddingOfTheVocabularyHasNoGradient) {
  StringRef table = "transformer.wte.weight";
  auto name = [&](StringRef kind, StringRef number) {
    return ("forward_backward " + kind + " " + table + " " + number).str();
  };
  Array grad = run()[name("accumulator", "1")];
  ASSERT_EQ(grad.shape[0], 24);
  EXPECT_EQ(grad.slice(0, 23, 1).values, std::vector<double>(12, 0.0));
  EXPECT_NE(grad.slice(0, 22, 1).values, std::vector<double>(12, 0.0));
  // Nor do their values matter.
  double loss = run()["update metric loss 0"].values[0];
  for (auto &[binding, value] : state)
    if (binding.getName() == table &&
        binding.getKind() == tfm::StateKind::Master)
      value.insert(Array({1, 12}, 1000), 0, 23);
  EXPECT_EQ(run()["update metric loss 0"].values[0], loss);
}

} // namespace
