#include "trainer/data/domain_sampler.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::trainer {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

using Samples = std::vector<std::vector<size_t>>;

// Sources of the given sizes; a sample's thousands are its source.
Samples SourcesOf(const std::vector<size_t>& sizes) {
  Samples samples;
  for (size_t source = 0; source < sizes.size(); ++source) {
    samples.emplace_back(sizes[source]);
    std::iota(samples.back().begin(), samples.back().end(), 1000 * source);
  }
  return samples;
}

DomainSampler MakeSampler(const std::vector<size_t>& sizes,
                          const DomainSamplerOptions& options) {
  return DomainSampler::Create(SourcesOf(sizes), options).value();
}

std::multiset<size_t> SourcesIn(const std::vector<size_t>& batch) {
  std::multiset<size_t> sources;
  for (const size_t sample : batch) sources.insert(sample / 1000);
  return sources;
}

TEST(DomainSamplerTest, TakesEqualSharesOfDifferentSources) {
  // Numbers of sources that fill whole steps and such that do not.
  for (const size_t num_sources : {4u, 5u, 6u, 7u, 8u, 11u, 64u}) {
    const DomainSampler sampler =
        MakeSampler(std::vector<size_t>(num_sources, 48), {});
    for (uint64_t step = 0; step < 200; ++step) {
      const std::vector<size_t> batch = sampler.Batch(step);

      ASSERT_THAT(batch, SizeIs(32));
      const std::multiset<size_t> sources = SourcesIn(batch);
      ASSERT_THAT((std::set<size_t>(sources.begin(), sources.end())), SizeIs(4))
          << num_sources << " sources, step " << step;
      for (const size_t source : sources) ASSERT_EQ(sources.count(source), 8u);
      ASSERT_THAT((std::set<size_t>(batch.begin(), batch.end())), SizeIs(32));
    }
  }
}

TEST(DomainSamplerTest, VisitsEverySourceEquallyOften) {
  const DomainSampler sampler =
      MakeSampler(std::vector<size_t>(11, 10),
                  {.batch_size = 4, .domains_per_step = 4, .seed = 3});
  std::vector<int> visits(11);

  for (uint64_t step = 0; step < 110; ++step) {
    for (const size_t source : SourcesIn(sampler.Batch(step))) ++visits[source];
  }

  EXPECT_THAT(visits, ::testing::Each(40));
}

TEST(DomainSamplerTest, DrawsEverySampleOnceAPass) {
  // 5 visits of 4 samples are two passes over 10 and four over 5.
  const DomainSampler sampler = MakeSampler(
      {10, 5, 10}, {.batch_size = 8, .domains_per_step = 2, .seed = 1});
  std::vector<std::vector<size_t>> drawn(3);
  for (uint64_t step = 0; step < 15; ++step) {
    for (const size_t sample : sampler.Batch(step)) {
      drawn[sample / 1000].push_back(sample);
    }
  }

  for (size_t source = 0; source < 3; ++source) {
    const size_t size = source == 1 ? 5 : 10;
    ASSERT_THAT(drawn[source], SizeIs(40));
    for (auto pass = drawn[source].begin(); pass != drawn[source].end();
         pass += static_cast<ptrdiff_t>(size)) {
      EXPECT_THAT((std::set<size_t>(pass, pass + static_cast<ptrdiff_t>(size))),
                  SizeIs(size));
    }
    // Passes have orders of their own.
    EXPECT_FALSE(
        std::equal(drawn[source].begin(),
                   drawn[source].begin() + static_cast<ptrdiff_t>(size),
                   drawn[source].begin() + static_cast<ptrdiff_t>(size)));
  }
}

TEST(DomainSamplerTest, GoesOnFromAnyStepAsIfItHadNeverStopped) {
  const std::vector<size_t> sizes = {30, 7, 120, 55, 9, 300, 41};
  const DomainSamplerOptions options = {.seed = 11};
  std::vector<std::vector<size_t>> whole;
  {
    const DomainSampler sampler = MakeSampler(sizes, options);
    for (uint64_t step = 0; step < 60; ++step) {
      whole.push_back(sampler.Batch(step));
    }
  }

  for (const uint64_t start : {1u, 13u, 59u}) {
    const DomainSampler resumed = MakeSampler(sizes, options);
    for (uint64_t step = start; step < 60; ++step) {
      EXPECT_EQ(resumed.Batch(step), whole[step]);
    }
  }
}

TEST(DomainSamplerTest, DependsOnTheSeed) {
  const std::vector<size_t> sizes(8, 40);

  EXPECT_NE(MakeSampler(sizes, {.seed = 1}).Batch(0),
            MakeSampler(sizes, {.seed = 2}).Batch(0));
}

TEST(DomainSamplerTest, MakesAllPairsOfSourcesEquallyLikely) {
  // With 5 sources every second step lies across two rounds.
  constexpr size_t kSources = 5;
  const DomainSampler sampler =
      MakeSampler(std::vector<size_t>(kSources, 10),
                  {.batch_size = 2, .domains_per_step = 2, .seed = 5});
  std::vector<int> pairs(kSources * kSources);

  for (uint64_t step = 0; step < 10'000; ++step) {
    const std::vector<size_t> batch = sampler.Batch(step);
    ++pairs[batch[0] / 1000 * kSources + batch[1] / 1000];
  }

  std::vector<int> counts;
  for (size_t a = 0; a < kSources; ++a) {
    for (size_t b = 0; b < kSources; ++b) {
      if (a != b) counts.push_back(pairs[a * kSources + b]);
    }
  }
  // More even than chance, if anything, as the visits are balanced.
  for (const int count : counts) EXPECT_NEAR(count, 500, 100);
}

TEST(DomainSamplerTest, GivesASmallSourceItsShareByRepeating) {
  const DomainSampler sampler =
      MakeSampler({1, 3}, {.batch_size = 8, .domains_per_step = 2});

  const std::vector<size_t> batch = sampler.Batch(0);

  EXPECT_EQ(std::count(batch.begin(), batch.end(), 0u), 4);
}

TEST(DomainSamplerTest, TakesOneSourceAlone) {
  const DomainSampler sampler =
      MakeSampler({6}, {.batch_size = 3, .domains_per_step = 1});
  std::set<size_t> seen;

  for (const uint64_t step : {0u, 1u}) {
    for (const size_t sample : sampler.Batch(step)) seen.insert(sample);
  }

  EXPECT_THAT(seen, SizeIs(6));
}

TEST(DomainSamplerTest, RejectsWhatCannotMakeBatches) {
  struct Case {
    std::vector<size_t> sizes;
    DomainSamplerOptions options;
    std::string message;
  };
  const Case cases[] = {
      {{1, 1}, {.domains_per_step = 0}, "at least 1, got 0"},
      {{1, 1}, {.batch_size = 0, .domains_per_step = 2}, "got 0"},
      {{1, 1}, {.batch_size = 3, .domains_per_step = 2}, "of 2, got 3"},
      {{1, 1, 1}, {}, "number of sources, 3, got 4"},
      {{1, 0}, {.domains_per_step = 2}, "source 1: expected samples"}};
  for (const Case& c : cases) {
    const auto sampler = DomainSampler::Create(SourcesOf(c.sizes), c.options);

    EXPECT_EQ(sampler.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(sampler.status().message()), HasSubstr(c.message));
  }
}

}  // namespace
}  // namespace ladder::trainer
