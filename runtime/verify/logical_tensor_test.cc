#include "runtime/verify/logical_tensor.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "runtime/plan/layout.h"
#include "runtime/plan/mesh.h"

namespace mpc::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

plan::Mesh ParseMesh(const std::string& text) {
  plan::Mesh mesh;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &mesh));
  return mesh;
}

plan::State ParseState(const std::string& text) {
  plan::State state;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &state));
  return state;
}

std::string Bytes(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(float)};
}

const char kDpTp[] = "axes { name: 'dp' size: 2 } axes { name: 'tp' size: 2 }";

// 3 x 3, padded to 4 x 4; rows over tp.
const char kRowsOverTp[] = R"(
  name: "w" type: DATA_TYPE_F32
  global_sizes: [4, 4] logical_sizes: [3, 3]
  sharding { dimensions { axes: 1 } dimensions {} }
)";

TEST(AssembleTest, PiecesReplicasAndPadding) {
  const plan::Mesh mesh = ParseMesh(kDpTp);
  const plan::State state = ParseState(kRowsOverTp);
  const std::string upper = Bytes({1, 2, 3, 0, 4, 5, 6, 0});
  const std::string lower = Bytes({7, 8, 9, 0, 0, 0, 0, 0});
  const auto tensor = Assemble(mesh, state, {upper, lower, upper, lower});
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_THAT(tensor->values, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_FALSE(tensor->replica_difference.has_value());
  EXPECT_FALSE(tensor->padding.has_value());
}

TEST(AssembleTest, AReplicaThatDiffersInOneBitIsFound) {
  const plan::Mesh mesh = ParseMesh(kDpTp);
  const plan::State state = ParseState(kRowsOverTp);
  const std::string upper = Bytes({1, 2, 3, 0, 4, 5, 6, 0});
  const std::string lower = Bytes({7, 8, 9, 0, 0, 0, 0, 0});
  const std::string other = Bytes({7, 8, 9.5, 0, 0, 0, 0, 0});
  const auto tensor = Assemble(mesh, state, {upper, lower, upper, other});
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  ASSERT_TRUE(tensor->replica_difference.has_value());
  EXPECT_EQ(tensor->replica_difference->replica.rank, 3);
  EXPECT_EQ(tensor->replica_difference->first.rank, 1);
  EXPECT_THAT(tensor->replica_difference->replica.index, ElementsAre(2, 2));
  EXPECT_EQ(tensor->replica_difference->replica.value, 9.5);
  EXPECT_EQ(tensor->replica_difference->first.value, 9);
  // The first rank counts.
  EXPECT_EQ(tensor->values[8], 9);
}

TEST(AssembleTest, ZeroAndMinusZeroAreNotTheSameBits) {
  const plan::Mesh mesh = ParseMesh("axes { name: 'dp' size: 2 }");
  const plan::State state = ParseState("type: DATA_TYPE_F32");
  const auto tensor = Assemble(mesh, state, {Bytes({0.0f}), Bytes({-0.0f})});
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_TRUE(tensor->replica_difference.has_value());
}

TEST(AssembleTest, PaddingThatIsNotZeroIsFoundInRowsAndColumns) {
  const plan::Mesh mesh = ParseMesh("");
  const plan::State state = ParseState(R"(
    type: DATA_TYPE_F32 global_sizes: [2, 2] logical_sizes: [1, 1]
    sharding { dimensions {} dimensions {} })");
  for (int place : {1, 2, 3}) {
    std::vector<float> values(4, 0);
    values[place] = 5;
    const auto tensor = Assemble(mesh, state, {Bytes(values)});
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    ASSERT_TRUE(tensor->padding.has_value()) << place;
    EXPECT_THAT(tensor->padding->index, ElementsAre(place / 2, place % 2));
    EXPECT_EQ(tensor->padding->value, 5);
  }
}

// dp holds addends, tp replicas of them.
TEST(AssembleTest, PartialValuesAreAddedOnce) {
  const plan::Mesh mesh = ParseMesh(kDpTp);
  const plan::State state = ParseState(R"(
    type: DATA_TYPE_F32 global_sizes: 2 logical_sizes: 2
    sharding { dimensions {} partial_axes: 0 reduction: REDUCTION_SUM })");
  const std::string first = Bytes({1, 10});
  const std::string second = Bytes({2, 20});
  const auto tensor = Assemble(mesh, state, {first, first, second, second});
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_THAT(tensor->values, ElementsAre(3, 30));
}

TEST(AssembleTest, PartialMaximaOfNegativeValues) {
  const plan::Mesh mesh = ParseMesh("axes { name: 'tp' size: 2 }");
  const plan::State state = ParseState(R"(
    type: DATA_TYPE_F32 global_sizes: 2 logical_sizes: 2
    sharding { dimensions {} partial_axes: 0 reduction: REDUCTION_MAX })");
  const auto tensor = Assemble(mesh, state, {Bytes({-5, -1}), Bytes({-3, -2})});
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_THAT(tensor->values, ElementsAre(-3, -1));
}

TEST(AssembleTest, RanksWithoutTheStateAreSkipped) {
  const plan::Mesh mesh = ParseMesh("axes { name: 'pp' size: 2 }");
  const plan::State state = ParseState(R"(
    type: DATA_TYPE_F32 global_sizes: 1 logical_sizes: 1
    sharding { dimensions {} })");
  const auto tensor = Assemble(mesh, state, {"", Bytes({7})});
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_THAT(tensor->values, ElementsAre(7));
}

TEST(AssembleTest, NarrowFloatsAreExact) {
  const plan::State state = ParseState(R"(
    type: DATA_TYPE_BF16 global_sizes: 2 logical_sizes: 2
    sharding { dimensions {} })");
  // 1.5 and -2.
  const auto tensor =
      Assemble(ParseMesh(""), state, {std::string("\xc0\x3f\x00\xc0", 4)});
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_THAT(tensor->values, ElementsAre(1.5, -2));
}

TEST(AssembleTest, OtherTypesAreRefused) {
  const plan::State state = ParseState("name: 'x'");
  EXPECT_THAT(
      std::string(Assemble(ParseMesh(""), state, {"ab"}).status().message()),
      HasSubstr("values of type 0 cannot be compared"));
}

// Every piece written and joined again is the tensor.
TEST(WritePieceTest, IsTheInverseOfAssemble) {
  const plan::Mesh mesh = ParseMesh(kDpTp);
  for (const char* sharding :
       {"dimensions {} dimensions {} dimensions {}",
        "dimensions { axes: 0 } dimensions { axes: 1 } dimensions {}",
        "dimensions {} dimensions { axes: 1 } dimensions { axes: 0 }",
        "dimensions { axes: [1, 0] } dimensions {} dimensions {}"}) {
    const plan::State state =
        ParseState(std::string("type: DATA_TYPE_F32 global_sizes: [4, 6, 4] "
                               "logical_sizes: [3, 5, 4] sharding { ") +
                   sharding + " }");
    std::vector<float> logical(3 * 5 * 4);
    for (size_t i = 0; i < logical.size(); ++i) logical[i] = i + 1;
    std::vector<std::string> pieces;
    for (int64_t rank = 0; rank < 4; ++rank) {
      // Garbage, so that padding has to be cleared.
      std::string piece(4 * ElementCount(LocalBox(mesh, state, rank).sizes),
                        '\x7f');
      WritePiece(mesh, state, rank, Bytes(logical), absl::MakeSpan(piece));
      pieces.push_back(piece);
    }
    const auto tensor = Assemble(mesh, state, pieces);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_THAT(tensor->values, ElementsAreArray(logical));
    EXPECT_FALSE(tensor->padding.has_value()) << sharding;
    EXPECT_FALSE(tensor->replica_difference.has_value());
  }
}

TEST(LogicalBytesTest, PaddingIsCutOff) {
  const plan::State state = ParseState(kRowsOverTp);
  const std::string piece =
      Bytes({1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 0, 0, 0, 0});
  EXPECT_EQ(LogicalBytes(state, piece), Bytes({1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(DescribeHoldersTest, FirstReplicaAndPartialMembers) {
  const plan::Mesh mesh = ParseMesh(kDpTp);
  const std::vector<std::string> all(4, "x");
  EXPECT_EQ(DescribeHolders(mesh, ParseState(kRowsOverTp), all, {2, 0}),
            "rank 1");
  // Ranks without a piece are of another stage.
  EXPECT_EQ(DescribeHolders(mesh, ParseState(kRowsOverTp), {"", "", "x", "x"},
                            {2, 0}),
            "rank 3");
  const plan::State partial = ParseState(R"(
    type: DATA_TYPE_F32 global_sizes: 4 logical_sizes: 4
    sharding {
      dimensions { axes: 1 } partial_axes: 0 reduction: REDUCTION_SUM
    })");
  EXPECT_EQ(DescribeHolders(mesh, partial, all, {3}), "ranks 1, 3 together");
}

}  // namespace
}  // namespace mpc::runtime
