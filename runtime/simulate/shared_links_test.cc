#include "runtime/simulate/shared_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mpc::runtime {
namespace {

using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(SharedLinksTest, AFlowAloneTakesItsTime) {
  SharedLinks links(2);
  links.Add(0, 3, {{0, 1}}, 10);
  EXPECT_THAT(links.TakeChanges(), UnorderedElementsAre(Pair(0, 13)));
  EXPECT_THAT(links.TakeChanges(), IsEmpty());
}

TEST(SharedLinksTest, TwoFlowsOverOneLinkShareIt) {
  SharedLinks links(1);
  links.Add(0, 4, {{0, 1}}, 0);
  links.Add(1, 4, {{0, 1}}, 2);
  // The first has 2 s left at half speed.
  EXPECT_THAT(links.TakeChanges(),
              UnorderedElementsAre(Pair(0, 6), Pair(1, 10)));
  links.Remove(0, 6);
  // The second has made 2 s of its 4.
  EXPECT_THAT(links.TakeChanges(), UnorderedElementsAre(Pair(1, 8)));
}

TEST(SharedLinksTest, FlowsOverOtherLinksDoNotMatter) {
  SharedLinks links(2);
  links.Add(0, 4, {{0, 1}}, 0);
  links.TakeChanges();
  links.Add(1, 4, {{1, 1}}, 0);
  EXPECT_THAT(links.TakeChanges(), UnorderedElementsAre(Pair(1, 4)));
}

TEST(SharedLinksTest, ALinkThatIsNotFullSlowsNobody) {
  SharedLinks links(1);
  links.Add(0, 4, {{0, 0.5}}, 0);
  links.Add(1, 4, {{0, 0.5}}, 0);
  EXPECT_THAT(links.TakeChanges(),
              UnorderedElementsAre(Pair(0, 4), Pair(1, 4)));
  links.Add(2, 4, {{0, 1}}, 2);
  EXPECT_THAT(links.TakeChanges(),
              UnorderedElementsAre(Pair(0, 6), Pair(1, 6), Pair(2, 10)));
}

TEST(SharedLinksTest, TheSlowestLinkCounts) {
  SharedLinks links(2);
  links.Add(0, 4, {{0, 1}, {1, 1}}, 0);
  links.Add(1, 4, {{1, 1}}, 0);
  links.Add(2, 4, {{1, 1}}, 0);
  EXPECT_THAT(links.TakeChanges(),
              UnorderedElementsAre(Pair(0, 12), Pair(1, 12), Pair(2, 12)));
}

TEST(SharedLinksTest, AFlowWithoutLinksIsNotHeldUp) {
  SharedLinks links(1);
  links.Add(0, 0, {}, 5);
  EXPECT_THAT(links.TakeChanges(), UnorderedElementsAre(Pair(0, 5)));
}

}  // namespace
}  // namespace mpc::runtime
