// The routing distance allocates nothing in the steady state, that is, for
// targets no larger than before.

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "routing/sinkhorn_distance.h"
#include "routing/thread_pool.h"
#include "tests/routing/cloud.h"

// Inlining lets GCC see `free` but not that `new` is this file's own.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace {

std::atomic<size_t> allocations = 0;

void* Allocate(size_t size, size_t alignment) {
  ++allocations;
  const size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) {
  return Allocate(size, alignof(std::max_align_t));
}
void* operator new(size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace ladder::routing {
namespace {

TEST(AllocationTest, TheSteadyStateOfTheDistanceAllocatesNothing) {
  const std::vector<double> means(16);
  std::vector<Cloud> sources;
  for (uint64_t e = 0; e < 6; ++e) {
    sources.push_back(NormalCloud(90, means, 1, e));
  }
  const SinkhornDistance distance(
      Fingerprints::Create(Views(sources), {}, {}).value());
  const Cloud target = NormalCloud(80, means, 1, 100);
  std::vector<size_t> all(sources.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> distances(sources.size());
  ThreadPool pool(1);
  const Execution execution{.pool = &pool};
  ASSERT_TRUE(distance.Compute(target.View(), all, distances, execution).ok());

  const size_t before = allocations;
  for (const size_t rows : {80, 1, 33, 80}) {
    ASSERT_TRUE(
        distance.Compute(target.First(rows), all, distances, execution).ok());
  }

  EXPECT_EQ(allocations, before);
}

TEST(AllocationTest, TheCountingItselfWorks) {
  const size_t before = allocations;

  std::vector<int> grown(1000);

  EXPECT_EQ(allocations, before + 1);
  EXPECT_EQ(grown.size(), 1000);
}

}  // namespace
}  // namespace ladder::routing
