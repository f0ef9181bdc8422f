#include <algorithm>
#include <map>
#include <vector>

#include "gtest/gtest.h"
#include "tests/routing/chi_square.h"
#include "trainer/data/domain_sampler.h"

namespace ladder::trainer {
namespace {

std::vector<uint64_t> Whole(uint64_t size, uint64_t seed) {
  const RandomOrder order(size, seed);
  std::vector<uint64_t> whole;
  for (uint64_t i = 0; i < size; ++i) whole.push_back(order.At(i));
  return whole;
}

TEST(RandomOrderTest, HasEveryNumberOnce) {
  for (const uint64_t size : {1u, 2u, 3u, 7u, 64u, 1000u, 4097u}) {
    std::vector<uint64_t> whole = Whole(size, /*seed=*/size);

    std::sort(whole.begin(), whole.end());
    for (uint64_t i = 0; i < size; ++i) ASSERT_EQ(whole[i], i) << size;
  }
}

TEST(RandomOrderTest, IsAFunctionOfTheSeed) {
  EXPECT_EQ(Whole(100, 1), Whole(100, 1));
  EXPECT_NE(Whole(100, 1), Whole(100, 2));
}

TEST(RandomOrderTest, MakesAllOrdersOfFewEquallyLikely) {
  for (const uint64_t size : {2u, 3u, 4u, 5u}) {
    std::vector<uint64_t> order(size);
    for (uint64_t i = 0; i < size; ++i) order[i] = i;
    std::map<std::vector<uint64_t>, size_t> index;
    do {
      index.emplace(order, index.size());
    } while (std::next_permutation(order.begin(), order.end()));
    std::vector<int> counts(index.size());

    for (uint64_t seed = 0; seed < 200 * index.size(); ++seed) {
      ++counts[index.at(Whole(size, seed))];
    }

    EXPECT_TRUE(routing::LooksUniform(counts)) << size;
  }
}

TEST(RandomOrderTest, PutsEveryNumberAnywhereInLargeOrders) {
  constexpr uint64_t kSize = 5000;
  // What is at a place, and what distance neighbours have, over many seeds.
  std::vector<int> values(50);
  std::vector<int> distances(50);
  for (uint64_t seed = 0; seed < 10'000; ++seed) {
    const RandomOrder order(kSize, seed);
    const uint64_t place = seed * 7 % (kSize - 1);
    const uint64_t first = order.At(place);
    const uint64_t second = order.At(place + 1);
    ++values[first * values.size() / kSize];
    // Uniform over 1 .. size - 1.
    const uint64_t distance = (second + kSize - first) % kSize - 1;
    ++distances[distance * distances.size() / (kSize - 1)];
  }

  EXPECT_TRUE(routing::LooksUniform(values));
  EXPECT_TRUE(routing::LooksUniform(distances));
}

}  // namespace
}  // namespace ladder::trainer
