#include "server/scheduling/fair_queue.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/scheduling/owners.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Drain(FairQueue<std::string>& queue) {
  std::vector<std::string> items;
  while (!queue.empty()) {
    queue.BeginTurn();
    items.push_back(queue.Front());
    queue.Pop();
  }
  return items;
}

TEST(FairQueueTest, KeepsTheOrderOfOneStream) {
  Owners owners;
  FairQueue<std::string> queue;
  for (const char* item : {"1", "2", "3"}) queue.Push(owners[7], item);

  EXPECT_EQ(queue.num_calls(), 1);
  EXPECT_THAT(Drain(queue), ElementsAre("1", "2", "3"));
  EXPECT_EQ(queue.num_calls(), 0);
}

TEST(FairQueueTest, TakesStreamsInTurns) {
  Owners owners;
  FairQueue<std::string> queue;
  for (const char* item : {"a1", "a2", "a3", "a4"}) queue.Push(owners[1], item);
  for (const char* item : {"b1", "b2"}) queue.Push(owners[2], item);
  queue.Push(owners[3], "c1");

  EXPECT_EQ(queue.num_calls(), 3);
  EXPECT_THAT(Drain(queue),
              ElementsAre("a1", "b1", "c1", "a2", "b2", "a3", "a4"));
}

TEST(FairQueueTest, AStreamThatComesBackWaitsForTheOthers) {
  Owners owners;
  FairQueue<std::string> queue;
  queue.Push(owners[1], "a1");
  queue.Push(owners[2], "b1");
  queue.Push(owners[2], "b2");
  queue.BeginTurn();
  queue.Pop();
  queue.Push(owners[1], "a2");

  EXPECT_THAT(Drain(queue), ElementsAre("b1", "a2", "b2"));
}

TEST(FairQueueTest, ATurnMayEndBeforeTheItemDoes) {
  Owners owners;
  FairQueue<std::string> queue;
  queue.Push(owners[1], "a1");
  queue.Push(owners[1], "a2");
  queue.Push(owners[2], "b1");
  queue.BeginTurn();
  queue.EndTurn();

  EXPECT_THAT(Drain(queue), ElementsAre("b1", "a1", "a2"));
}

TEST(FairQueueTest, ATurnMayGoOnWithTheNextItem) {
  Owners owners;
  FairQueue<std::string> queue;
  for (const char* item : {"a1", "a2", "a3"}) queue.Push(owners[1], item);
  queue.Push(owners[2], "b1");

  queue.BeginTurn();
  EXPECT_TRUE(queue.PopWithinTurn());
  EXPECT_EQ(queue.Front(), "a2");
  EXPECT_TRUE(queue.PopWithinTurn());
  EXPECT_FALSE(queue.PopWithinTurn());

  EXPECT_THAT(Drain(queue), ElementsAre("b1"));
}

TEST(FairQueueTest, ShowsTheFirstItemOfEveryStream) {
  Owners owners;
  FairQueue<int> queue;
  queue.Push(owners[1], 10);
  queue.Push(owners[2], 20);
  queue.Push(owners[1], 11);
  queue.BeginTurn();
  queue.Pop();

  std::vector<int> fronts;
  queue.VisitFronts([&](int item) { fronts.push_back(item); });

  EXPECT_THAT(fronts, testing::UnorderedElementsAre(11, 20));
}

TEST(FairQueueTest, WhoWasGivenLeastLatelyComesFirst) {
  Owners owners;
  FairQueue<std::string> queue;
  for (const char* item : {"a1", "a2"}) queue.Push(owners[1], item);
  queue.Push(owners[2], "b1");
  owners[1].call->Charge(absl::Seconds(1));

  EXPECT_THAT(Drain(queue), ElementsAre("b1", "a1", "a2"));
}

TEST(FairQueueTest, CallersComeBeforeTheirCalls) {
  Owners owners;
  FairQueue<std::string> queue;
  const WorkOwner other;
  other.call->Charge(absl::Seconds(9));
  other.caller->Charge(absl::Seconds(1));
  owners[1].caller->Charge(absl::Seconds(2));
  // A caller gains nothing by making new calls.
  for (int call = 1; call <= 3; ++call) queue.Push(owners[call], "many");
  queue.Push(other, "other");

  EXPECT_THAT(Drain(queue), ElementsAre("other", "many", "many", "many"));
}

TEST(FairQueueTest, HoldsItemsThatOnlyMove) {
  Owners owners;
  FairQueue<std::unique_ptr<int>> queue;
  queue.Push(owners[1], std::make_unique<int>(5));

  const std::unique_ptr<int> item = std::move(queue.Front());
  queue.Pop();

  EXPECT_EQ(*item, 5);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace ladder::server
