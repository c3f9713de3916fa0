//===- JsonTest.cpp - one JSON object, with places --------------*- C++ -*-===//

#include "frontends/huggingface/Json.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mpc;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::StartsWith;

namespace {

class JsonTest : public ::testing::Test {
protected:
  JsonTest() {
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      message = printed(diagnostic.getLocation()) + ": " + diagnostic.str();
    });
  }

  static std::string printed(Location place) {
    auto at = cast<FileLineColLoc>(place);
    return std::to_string(at.getLine()) + ":" + std::to_string(at.getColumn());
  }

  JsonObject read(StringRef text) {
    FailureOr<JsonObject> object =
        readJsonObject(llvm::MemoryBufferRef(text, "f"), &context);
    EXPECT_TRUE(succeeded(object)) << message;
    return succeeded(object) ? *object : JsonObject();
  }

  std::string refuse(StringRef text) {
    EXPECT_TRUE(
        failed(readJsonObject(llvm::MemoryBufferRef(text, "f"), &context)));
    return message;
  }

  MLIRContext context;
  std::string message;
};

TEST_F(JsonTest, ValuesOfTheObjectHaveTheirKinds) {
  JsonObject object = read(R"({"i": -3, "x": 2.5, "t": true, "n": null,
                               "s": "w", "l": ["a", 1, "b"], "o": {"i": 9}})");
  ASSERT_EQ(object.size(), 7u);
  EXPECT_EQ(object.at("i").kind, JsonValue::Kind::Integer);
  EXPECT_EQ(object.at("i").integer, -3);
  EXPECT_EQ(object.at("i").number, -3);
  EXPECT_EQ(object.at("x").kind, JsonValue::Kind::Number);
  EXPECT_EQ(object.at("x").number, 2.5);
  EXPECT_TRUE(object.at("t").boolean);
  EXPECT_EQ(object.at("n").kind, JsonValue::Kind::Null);
  EXPECT_EQ(object.at("s").string, "w");
  EXPECT_EQ(object.at("s").text, "\"w\"");
  EXPECT_EQ(object.at("l").elements, 3u);
  EXPECT_THAT(object.at("l").strings, ElementsAre("a", "b"));
  EXPECT_EQ(object.at("o").elements, 1u);
}

TEST_F(JsonTest, KeysHaveTheirPlaces) {
  JsonObject object =
      read("{\"a\": \"x\\\"y\",\n  \"b\\\\\": 1, \"\\\"c\": 2,\n"
           "\"d\":{\"e\":1}}");
  std::vector<std::pair<std::string, std::string>> places;
  for (const auto &[key, value] : object)
    places.emplace_back(key, printed(value.place));
  EXPECT_THAT(places, ElementsAre(Pair("\"c", "2:13"), Pair("a", "1:2"),
                                  Pair("b\\", "2:3"), Pair("d", "3:1")));
}

TEST_F(JsonTest, AKeyTwiceIsRefusedAtAnyDepth) {
  EXPECT_EQ(refuse("{\"a\": 1,\n\"a\": 2}"),
            "2:1: key \"a\" is given twice, in lines 1 and 2");
  EXPECT_EQ(refuse("{\"l\": [{\"a\": 1,\n\n \"a\": 2}]}"),
            "3:2: key \"a\" is given twice, in lines 1 and 3");
}

TEST_F(JsonTest, AKeyMayBeInTwoObjects) {
  EXPECT_EQ(read("{\"a\": {\"a\": 1}, \"b\": {\"a\": 1}}").size(), 2u);
}

TEST_F(JsonTest, IntegersBeyond64BitsAreNumbers) {
  JsonObject object =
      read("{\"a\": 18446744073709551615, \"b\": 9223372036854775807}");
  EXPECT_EQ(object.at("a").kind, JsonValue::Kind::Number);
  EXPECT_EQ(object.at("a").text, "18446744073709551615");
  EXPECT_EQ(object.at("b").integer, INT64_MAX);
}

TEST_F(JsonTest, EveryTruncationIsRefused) {
  const std::string whole = "{\"a\": [1, true], \"b\": {\"c\": \"d\\n\"}}";
  for (size_t size = 1; size < whole.size(); ++size)
    EXPECT_THAT(refuse(StringRef(whole).take_front(size)),
                ::testing::HasSubstr("is not a whole JSON file"))
        << size;
}

TEST_F(JsonTest, NestingCostsNoStack) {
  std::string deep = "{\"a\": " + std::string(1 << 20, '[');
  EXPECT_THAT(refuse(deep), StartsWith("1:"));
}

} // namespace
