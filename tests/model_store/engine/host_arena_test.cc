#include "model_store/engine/host_arena.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace ladder::model_store {
namespace {

TEST(HostArenaTest, GivesAlignedMemoryOfEverySize) {
  HostArena arena(/*limit=*/0);

  for (const size_t size : {1, 63, 64, 255, 256, 257, 5000, 1 << 20}) {
    void* data = arena.Allocate(size);
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0);
    std::memset(data, 1, size);
    arena.Free(data);
  }
}

TEST(HostArenaTest, GivesFreedMemoryAgain) {
  HostArena arena(/*limit=*/0);
  void* first = arena.Allocate(100'000);
  arena.Free(first);

  void* second = arena.Allocate(99'000);

  EXPECT_EQ(second, first);
  EXPECT_EQ(arena.usage().kept, 0);
  arena.Free(second);
}

TEST(HostArenaTest, LeavesMuchLargerBlocksForThoseWhoNeedThem) {
  HostArena arena(/*limit=*/0);
  void* large = arena.Allocate(1'000'000);
  arena.Free(large);

  void* small = arena.Allocate(1'000);

  EXPECT_NE(small, large);
  EXPECT_GE(arena.usage().kept, 1'000'000);
  arena.Free(small);
}

TEST(HostArenaTest, KeepsBlocksInUseApart) {
  HostArena arena(/*limit=*/0);
  void* first = arena.Allocate(1'000);

  void* second = arena.Allocate(1'000);

  EXPECT_NE(first, second);
  arena.Free(first);
  arena.Free(second);
}

TEST(HostArenaTest, RefusesWhatExceedsTheLimit) {
  HostArena arena(/*limit=*/1'000'000);
  void* first = arena.Allocate(600'000);
  ASSERT_NE(first, nullptr);

  EXPECT_EQ(arena.Allocate(600'000), nullptr);

  arena.Free(first);
  void* second = arena.Allocate(600'000);
  EXPECT_NE(second, nullptr);
  arena.Free(second);
}

TEST(HostArenaTest, SaysWhyItRefuses) {
  const HostArena arena(/*limit=*/1'000);
  const HostArena unlimited(/*limit=*/0);

  EXPECT_EQ(arena.Shortage(7),
            "no memory for 7 bytes on the host: 0 are in use, "
            "host_arena_limit is 1000");
  EXPECT_EQ(unlimited.Shortage(7),
            "no memory for 7 bytes on the host: 0 are in use");
}

TEST(HostArenaTest, CountsNothingForARefusal) {
  HostArena arena(/*limit=*/1'000);

  EXPECT_EQ(arena.Allocate(10'000), nullptr);

  EXPECT_EQ(arena.usage().in_use, 0);
}

TEST(HostArenaTest, GivesUpKeptBlocksBeforeItRefuses) {
  HostArena arena(/*limit=*/1'000'000);
  arena.Free(arena.Allocate(200'000));
  arena.Free(arena.Allocate(600'000));

  void* data = arena.Allocate(900'000);

  EXPECT_NE(data, nullptr);
  EXPECT_EQ(arena.usage().kept, 0);
  EXPECT_LE(arena.usage().in_use, arena.limit());
  arena.Free(data);
}

TEST(HostArenaTest, ReservesBesideTheLimitAndKeepsNothingOfIt) {
  HostArena arena(/*limit=*/1'000);

  void* weights = arena.Reserve(1'000'000);

  ASSERT_NE(weights, nullptr);
  EXPECT_GE(arena.usage().reserved, 1'000'000);
  EXPECT_EQ(arena.usage().in_use, 0);
  arena.Free(weights);
  EXPECT_EQ(arena.usage().reserved, 0);
  EXPECT_EQ(arena.usage().kept, 0);
}

TEST(HostArenaTest, ShrinksToWhatIsInUse) {
  HostArena arena(/*limit=*/0);
  void* used = arena.Allocate(10'000);
  arena.Free(arena.Allocate(1'000'000));

  arena.Shrink();

  EXPECT_EQ(arena.usage().kept, 0);
  EXPECT_GE(arena.usage().in_use, 10'000);
  arena.Free(used);
  EXPECT_GE(arena.usage().kept, 10'000);
}

TEST(HostArenaTest, RefusesSizesThatNoMemoryHas) {
  HostArena arena(/*limit=*/0);

  EXPECT_EQ(arena.Allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(arena.Reserve(SIZE_MAX), nullptr);
  EXPECT_EQ(arena.usage().in_use, 0);
}

TEST(HostArenaTest, FreesNullAsNothing) {
  HostArena arena(/*limit=*/0);

  arena.Free(nullptr);

  EXPECT_EQ(arena.usage().kept, 0);
}

TEST(HostArenaTest, ServesManyThreads) {
  HostArena arena(/*limit=*/64 << 20);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&arena, t] {
      for (size_t i = 1; i < 500; ++i) {
        const size_t size = 1 + (i * 7919) % 100'000;
        auto* data = static_cast<unsigned char*>(arena.Allocate(size));
        ASSERT_NE(data, nullptr);
        std::memset(data, t, size);
        if (i % 50 == 0) arena.Shrink();
        EXPECT_EQ(data[0], t);
        EXPECT_EQ(data[size - 1], t);
        arena.Free(data);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(arena.usage().in_use, 0);
}

}  // namespace
}  // namespace ladder::model_store
