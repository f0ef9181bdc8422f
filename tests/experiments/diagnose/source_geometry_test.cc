#include "experiments/diagnose/source_geometry.h"

#include <cmath>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/thread_pool.h"
#include "tests/experiments/diagnose/random_values.h"

namespace ladder::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// A stack of linear heads over z_c; the rest is filled in to have some.
trainer::TrainedStack MakeStack(size_t num_sources, size_t num_classes,
                                size_t dimension, std::vector<float> weights,
                                std::vector<double> source_distances) {
  const std::vector<float> style = {0, 1};
  const std::vector<routing::MatrixView> clouds(num_sources,
                                                {style.data(), 2, 1});
  trainer::TrainedStack stack{
      .classes = std::vector<std::string>(num_classes, "a class"),
      .sources = {},
      .heads = routing::LinearHeads::Create(
                   num_sources, num_classes, dimension, std::move(weights),
                   std::vector<float>(num_sources * num_classes))
                   .value(),
      .styles = {routing::StyleNormalizer::Create({0}, {1}).value(),
                 routing::Fingerprints::Create(clouds, {}, {}).value()},
      .coverage = {},
      .source_distances = std::move(source_distances),
      .routing = {}};
  for (size_t e = 0; e < num_sources; ++e) {
    stack.sources.push_back({.name = "s" + std::to_string(e)});
  }
  return stack;
}

// One style value that says nothing; gates are not needed.
trainer::EncodedSamples MakeSamples(size_t dimension,
                                    std::vector<float> content,
                                    std::vector<int64_t> labels,
                                    std::vector<int64_t> domains) {
  trainer::EncodedSamples samples{.content_dimension = dimension,
                                  .style_dimension = 1,
                                  .content = std::move(content),
                                  .labels = std::move(labels),
                                  .domains = std::move(domains)};
  samples.style.resize(samples.size());
  return samples;
}

// Two sources, two classes, one dimension: head 0 has logits (0, z), head 1
// has (0, 2 z).
trainer::TrainedStack TwoSources() {
  return MakeStack(2, 2, 1, {0, 1, 0, 2}, {0, 0.25, 0.25, 0});
}

TEST(SourceGeometryTest, AgreesWithPencilAndPaper) {
  const trainer::EncodedSamples samples =
      MakeSamples(1, {1, 3, -1, 0, 2, 10}, /*labels=*/{1, 1, 0, 0, 0, 1},
                  /*domains=*/{0, 0, 0, 0, 1, 1});

  const auto geometry = MeasureSourceGeometry(TwoSources(), samples, {});

  ASSERT_TRUE(geometry.ok()) << geometry.status();
  EXPECT_THAT(geometry->sources, ElementsAre("s0", "s1"));
  EXPECT_THAT(geometry->num_samples, ElementsAre(4u, 2u));
  ASSERT_THAT(geometry->pairs, SizeIs(1));
  const SourcePair& pair = geometry->pairs[0];
  EXPECT_EQ(pair.first, 0u);
  EXPECT_EQ(pair.second, 1u);
  EXPECT_EQ(pair.style_distance, 0.25);
  // log(1 + e^a) is the loss of a logit that is ahead by a and wrong.
  const auto loss = [](double ahead) { return std::log1p(std::exp(ahead)); };
  const double there = (loss(2) + loss(-10)) / 2;  // Head 0 on 2 and 10.
  const double back = (loss(-2) + loss(-6) + loss(-2) + loss(0)) / 4;
  EXPECT_NEAR(*pair.measures[PairMeasure::kTransferLoss], (there + back) / 2,
              1e-6);
  // Class means -0.5 and 2 of source 0, 2 and 10 of source 1.
  EXPECT_NEAR(*pair.measures[PairMeasure::kPrototypeDistance], (2.5 + 8) / 2,
              1e-6);
  EXPECT_NEAR(*pair.measures[PairMeasure::kMeanDistance], 6 - 0.75, 1e-6);
  EXPECT_NEAR(*pair.measures[PairMeasure::kDeviationDistance],
              4 - std::sqrt(11.0 / 4 - 0.75 * 0.75), 1e-6);
  EXPECT_NEAR(*pair.measures[PairMeasure::kLabelDistance], 0, 1e-12);
  // One pair has no order.
  EXPECT_FALSE(geometry->rho[PairMeasure::kTransferLoss].has_value());
}

TEST(SourceGeometryTest, HasNoPrototypeDistanceWithoutACommonClass) {
  const auto geometry = MeasureSourceGeometry(
      TwoSources(), MakeSamples(1, {1, 2}, {0, 1}, {0, 1}), {});

  ASSERT_TRUE(geometry.ok()) << geometry.status();
  const PairMeasures& measures = geometry->pairs[0].measures;
  EXPECT_FALSE(measures[PairMeasure::kPrototypeDistance].has_value());
  EXPECT_EQ(measures[PairMeasure::kLabelDistance], 1.0);
}

TEST(SourceGeometryTest, SurvivesLogitsThatWouldOverflow) {
  const auto geometry = MeasureSourceGeometry(
      TwoSources(), MakeSamples(1, {5000, -4000}, {0, 1}, {0, 1}), {});

  ASSERT_TRUE(geometry.ok()) << geometry.status();
  EXPECT_NEAR(*geometry->pairs[0].measures[PairMeasure::kTransferLoss],
              (4000 + 10000) / 2.0, 1e-3);
}

// Five sources on a line; the further apart they are, the more their z_c and
// their heads differ.
constexpr size_t kLineSources = 5;
constexpr size_t kLineDimension = 3;

trainer::TrainedStack SourcesOnALine() {
  std::vector<float> weights;
  std::vector<double> distances;
  for (size_t e = 0; e < kLineSources; ++e) {
    const auto place = static_cast<float>(e);
    weights.insert(weights.end(), {0, 0, 0, 1 - 0.7f * place, 1, place});
    for (size_t other = 0; other < kLineSources; ++other) {
      const double gap = static_cast<double>(e) - static_cast<double>(other);
      distances.push_back(gap * gap);
    }
  }
  return MakeStack(kLineSources, 2, kLineDimension, weights, distances);
}

trainer::EncodedSamples SamplesOnALine() {
  constexpr size_t kCount = 150;
  std::vector<float> content = RandomValues(kCount * kLineDimension, 3);
  std::vector<int64_t> labels;
  std::vector<int64_t> domains;
  for (size_t i = 0; i < kCount; ++i) {
    labels.push_back(static_cast<int64_t>(i % 2));
    domains.push_back(static_cast<int64_t>(i % kLineSources));
    content[i * kLineDimension] += 5 * static_cast<float>(i % kLineSources);
  }
  return MakeSamples(kLineDimension, content, labels, domains);
}

TEST(SourceGeometryTest, FindsThatNearSourcesAreAlike) {
  const auto geometry =
      MeasureSourceGeometry(SourcesOnALine(), SamplesOnALine(), {});

  ASSERT_TRUE(geometry.ok()) << geometry.status();
  EXPECT_THAT(geometry->pairs, SizeIs(10));
  EXPECT_GT(geometry->rho[PairMeasure::kMeanDistance].value(), 0.95);
  EXPECT_GT(geometry->rho[PairMeasure::kPrototypeDistance].value(), 0.95);
}

TEST(SourceGeometryTest, IsTheSameOnAnyNumberOfThreads) {
  routing::ThreadPool pool(4);

  const auto inline_run =
      MeasureSourceGeometry(SourcesOnALine(), SamplesOnALine(), {});
  const auto pooled = MeasureSourceGeometry(SourcesOnALine(), SamplesOnALine(),
                                            {.pool = &pool});

  ASSERT_TRUE(inline_run.ok() && pooled.ok());
  for (size_t i = 0; i < inline_run->pairs.size(); ++i) {
    for (const PairMeasure measure : kPairMeasures) {
      EXPECT_EQ(inline_run->pairs[i].measures[measure],
                pooled->pairs[i].measures[measure]);
    }
  }
}

TEST(SourceGeometryTest, LeavesOutSourcesWithoutSamples) {
  trainer::EncodedSamples samples = SamplesOnALine();
  for (int64_t& domain : samples.domains) domain = domain == 2 ? 3 : domain;

  const auto geometry = MeasureSourceGeometry(SourcesOnALine(), samples, {});

  ASSERT_TRUE(geometry.ok()) << geometry.status();
  EXPECT_THAT(geometry->num_samples, ElementsAre(30u, 30u, 0u, 60u, 30u));
  EXPECT_THAT(geometry->pairs, SizeIs(6));
  for (const SourcePair& pair : geometry->pairs) {
    EXPECT_NE(pair.first, 2u);
    EXPECT_NE(pair.second, 2u);
  }
}

TEST(SourceGeometryTest, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();

  const auto geometry = MeasureSourceGeometry(
      SourcesOnALine(), SamplesOnALine(), {.stop = stop.get_token()});

  EXPECT_EQ(geometry.status().code(), absl::StatusCode::kCancelled);
}

TEST(SourceGeometryTest, RejectsSamplesThatDoNotFit) {
  struct Case {
    trainer::EncodedSamples samples;
    std::string message;
  };
  const Case cases[] = {
      {MakeSamples(1, {1, 2}, {0, 1}, {0, 2}),
       "source of sample 1: expected 0 to below 2, got 2"},
      {MakeSamples(1, {1, 2}, {0, 1}, {-1, 1}), "sample 0"},
      {MakeSamples(1, {1, 2}, {0, 5}, {0, 1}),
       "label of sample 1: expected 0 to below 2, got 5"},
      {MakeSamples(1, {1, 2}, {0, 1}, {0, 0}), "at least 2 sources"},
      {MakeSamples(1, {1, NAN}, {0, 1}, {0, 1}), "z_c"},
      {MakeSamples(2, {1, 2, 3, 4}, {0, 1}, {0, 1}), "z_c"},
      {MakeSamples(1, {1, 2, 3}, {0, 1}, {0, 1}), "z_c: expected 2 values"},
      {MakeSamples(1, {1, 2}, {0, 1}, {0}), "domains: expected 2 values"},
      {MakeSamples(1, {}, {}, {}), "z_c"}};
  for (const Case& c : cases) {
    const auto geometry = MeasureSourceGeometry(TwoSources(), c.samples, {});

    EXPECT_EQ(geometry.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(geometry.status().message()), HasSubstr(c.message));
  }
}

TEST(SourceGeometryTest, RejectsAStackWithoutDistances) {
  trainer::TrainedStack stack = TwoSources();
  stack.source_distances.clear();

  const auto geometry =
      MeasureSourceGeometry(stack, MakeSamples(1, {1, 2}, {0, 1}, {0, 1}), {});

  EXPECT_EQ(geometry.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(geometry.status().message()),
              HasSubstr("expected 2 x 2 values, got 0"));
}

}  // namespace
}  // namespace ladder::experiments
