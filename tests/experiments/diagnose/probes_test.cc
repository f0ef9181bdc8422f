#include "experiments/diagnose/probes.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/thread_pool.h"
#include "tests/experiments/diagnose/random_values.h"

namespace ladder::experiments {
namespace {

using ::testing::HasSubstr;

constexpr size_t kDimension = 3;

// `counts[source][label]` samples each. z_c knows the label and z_s the source.
trainer::EncodedSamples MakeSamples(
    const std::vector<std::vector<size_t>>& counts) {
  trainer::EncodedSamples samples{.content_dimension = kDimension,
                                  .style_dimension = kDimension,
                                  .num_sources = counts.size()};
  for (size_t source = 0; source < counts.size(); ++source) {
    for (size_t label = 0; label < counts[source].size(); ++label) {
      const size_t end = samples.size() + counts[source][label];
      samples.labels.resize(end, static_cast<int64_t>(label));
      samples.domains.resize(end, static_cast<int64_t>(source));
    }
  }
  samples.content = RandomValues(samples.size() * kDimension, 1);
  samples.style = RandomValues(samples.size() * kDimension, 2);
  for (size_t i = 0; i < samples.size(); ++i) {
    samples.content[i * kDimension] +=
        20 * static_cast<float>(samples.labels[i]);
    samples.style[i * kDimension] +=
        20 * static_cast<float>(samples.domains[i]);
  }
  return samples;
}

// More steps than usual, as there are few samples.
const ProbesOptions kOptions = {.training = {.batch_size = 64}};

TEST(ProbesTest, FindLabelAndSourceWhereTheyAre) {
  const trainer::EncodedSamples samples =
      MakeSamples({{60, 60}, {60, 60}, {60, 60}});

  const auto report = RunProbes(samples, kOptions, {});

  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->num_samples, 360u);
  EXPECT_GT(report->label.content_accuracy, 0.95);
  EXPECT_LT(report->label.style_accuracy, 0.75);
  EXPECT_NEAR(report->label.majority, 0.5, 0.15);
  EXPECT_LT(report->domain.content_accuracy, 0.55);
  EXPECT_GT(report->domain.style_accuracy, 0.95);
  EXPECT_NEAR(report->domain.majority, 1.0 / 3, 0.15);
  ASSERT_TRUE(report->domain_given_class.has_value());
  EXPECT_EQ(report->num_eligible_classes, 2u);
  EXPECT_GT(report->domain_given_class->style_accuracy, 0.9);
  EXPECT_LT(report->domain_given_class->content_accuracy, 0.65);
}

TEST(ProbesTest, SeeThroughLabelsThatGiveTheSourceAway) {
  // Source 2 has classes of its own, so z_c tells it from the others, but not
  // the others from each other within a class.
  const trainer::EncodedSamples samples =
      MakeSamples({{60, 0, 0}, {60, 0, 0}, {60, 0, 0}, {0, 60, 60}});

  const auto report = RunProbes(samples, kOptions, {});

  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GT(report->domain.content_accuracy, 0.45);
  EXPECT_EQ(report->num_eligible_classes, 1u);
  EXPECT_LT(report->domain_given_class->content_accuracy, 0.6);
}

TEST(ProbesTest, TakeClassesWithTwentySamplesInThreeSources) {
  // Class 0 has 20 in three sources, class 1 only 19 in one of the three, class
  // 2 enough in two alone.
  const auto report = RunProbes(
      MakeSamples({{20, 30, 50}, {20, 30, 50}, {20, 19, 0}, {19, 0, 1}}),
      kOptions, {});

  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->num_eligible_classes, 1u);
  EXPECT_TRUE(report->domain_given_class.has_value());
}

TEST(ProbesTest, HaveNoConditionalResultWithoutAnEligibleClass) {
  const auto report =
      RunProbes(MakeSamples({{50, 50}, {50, 50}}), kOptions, {});

  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->num_eligible_classes, 0u);
  EXPECT_FALSE(report->domain_given_class.has_value());
}

TEST(ProbesTest, TakeAtMost4096SamplesOfASource) {
  ProbesOptions options = kOptions;
  options.training.num_epochs = 1;

  const auto report =
      RunProbes(MakeSamples({{3000, 2000}, {10, 10}}), options, {});

  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->num_samples, 4096u + 20u);
}

TEST(ProbesTest, AreTheSameOnAnyNumberOfThreads) {
  const trainer::EncodedSamples samples =
      MakeSamples({{40, 30}, {35, 45}, {25, 28}});
  routing::ThreadPool pool(3);

  const auto inline_run = RunProbes(samples, kOptions, {});
  const auto pooled = RunProbes(samples, kOptions, {.pool = &pool});

  ASSERT_TRUE(inline_run.ok() && pooled.ok());
  EXPECT_EQ(inline_run->domain.content_accuracy,
            pooled->domain.content_accuracy);
  EXPECT_EQ(inline_run->label.style_accuracy, pooled->label.style_accuracy);
  EXPECT_EQ(inline_run->domain_given_class->content_accuracy,
            pooled->domain_given_class->content_accuracy);
}

TEST(ProbesTest, RejectWhatDoesNotFit) {
  trainer::EncodedSamples foreign = MakeSamples({{10}, {10}});
  foreign.domains[3] = 2;
  trainer::EncodedSamples infinite = MakeSamples({{10}, {10}});
  infinite.style[4] = INFINITY;
  const trainer::EncodedSamples few = MakeSamples({{2}, {2}});
  const std::pair<trainer::EncodedSamples, std::string> cases[] = {
      {foreign, "source of sample 3: expected 0 to below 2, got 2"},
      {infinite, "z_s"},
      {few, "at least 5 samples, got 4"},
      {trainer::EncodedSamples{}, "z_c"}};
  for (const auto& [samples, message] : cases) {
    const auto report = RunProbes(samples, kOptions, {});

    EXPECT_EQ(report.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(report.status().message()), HasSubstr(message));
  }
}

}  // namespace
}  // namespace ladder::experiments
