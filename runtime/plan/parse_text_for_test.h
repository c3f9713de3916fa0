// Plans in text form, for tests.
#ifndef MPC_RUNTIME_PLAN_PARSE_TEXT_FOR_TEST_H_
#define MPC_RUNTIME_PLAN_PARSE_TEXT_FOR_TEST_H_

#include <string>

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// The message that `text` describes; a test failure if it does not parse.
template <typename Message>
Message ParseText(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message))
      << text;
  return message;
}

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_PLAN_PARSE_TEXT_FOR_TEST_H_
