#include "server/scheduling/fair_queue.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Drain(FairQueue<std::string>& queue) {
  std::vector<std::string> items;
  while (!queue.empty()) {
    items.push_back(queue.Front());
    queue.Pop();
  }
  return items;
}

TEST(FairQueueTest, KeepsTheOrderOfOneStream) {
  FairQueue<std::string> queue;
  for (const char* item : {"1", "2", "3"}) queue.Push(7, item);

  EXPECT_EQ(queue.num_streams(), 1);
  EXPECT_THAT(Drain(queue), ElementsAre("1", "2", "3"));
  EXPECT_EQ(queue.num_streams(), 0);
}

TEST(FairQueueTest, TakesStreamsInTurns) {
  FairQueue<std::string> queue;
  for (const char* item : {"a1", "a2", "a3", "a4"}) queue.Push(1, item);
  for (const char* item : {"b1", "b2"}) queue.Push(2, item);
  queue.Push(3, "c1");

  EXPECT_EQ(queue.num_streams(), 3);
  EXPECT_THAT(Drain(queue),
              ElementsAre("a1", "b1", "c1", "a2", "b2", "a3", "a4"));
}

TEST(FairQueueTest, AStreamThatComesBackWaitsForTheOthers) {
  FairQueue<std::string> queue;
  queue.Push(1, "a1");
  queue.Push(2, "b1");
  queue.Push(2, "b2");
  queue.Pop();
  queue.Push(1, "a2");

  EXPECT_THAT(Drain(queue), ElementsAre("b1", "a2", "b2"));
}

TEST(FairQueueTest, ATurnMayEndBeforeTheItemDoes) {
  FairQueue<std::string> queue;
  queue.Push(1, "a1");
  queue.Push(1, "a2");
  queue.Push(2, "b1");
  queue.EndTurn();

  EXPECT_THAT(Drain(queue), ElementsAre("b1", "a1", "a2"));
}

TEST(FairQueueTest, ATurnMayGoOnWithTheNextItem) {
  FairQueue<std::string> queue;
  for (const char* item : {"a1", "a2", "a3"}) queue.Push(1, item);
  queue.Push(2, "b1");

  EXPECT_TRUE(queue.PopWithinTurn());
  EXPECT_EQ(queue.Front(), "a2");
  EXPECT_TRUE(queue.PopWithinTurn());
  EXPECT_FALSE(queue.PopWithinTurn());

  EXPECT_THAT(Drain(queue), ElementsAre("b1"));
}

TEST(FairQueueTest, ShowsTheFirstItemOfEveryStream) {
  FairQueue<int> queue;
  queue.Push(1, 10);
  queue.Push(2, 20);
  queue.Push(1, 11);
  queue.Pop();

  std::vector<int> fronts;
  queue.VisitFronts([&](int item) { fronts.push_back(item); });

  EXPECT_THAT(fronts, testing::UnorderedElementsAre(11, 20));
}

TEST(FairQueueTest, HoldsItemsThatOnlyMove) {
  FairQueue<std::unique_ptr<int>> queue;
  queue.Push(1, std::make_unique<int>(5));

  const std::unique_ptr<int> item = std::move(queue.Front());
  queue.Pop();

  EXPECT_EQ(*item, 5);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace ladder::server
