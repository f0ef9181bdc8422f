#include "trainer/evaluate/measured_split.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stop_token>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/sinkhorn_distance.h"
#include "routing/style_sample.h"
#include "routing/thread_pool.h"
#include "tests/trainer/evaluate/small_world.h"

namespace ladder::trainer {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

std::vector<size_t> SamplesOf(const EncodedSamples& samples, int64_t domain) {
  std::vector<size_t> members;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (samples.domains[i] == domain) members.push_back(i);
  }
  return members;
}

// The distances of these samples to the sources, straight from the method's
// own parts.
std::vector<double> ReferenceDistances(const TrainedStack& stack,
                                       const EncodedSamples& samples,
                                       const std::vector<size_t>& members) {
  routing::StyleSample sample(kStyleDimension, stack.routing.max_style_samples,
                              stack.routing.seed);
  for (const size_t i : members) {
    EXPECT_TRUE(
        sample.Add({samples.style_view().Row(i).data(), 1, kStyleDimension})
            .ok());
  }
  std::vector<float> style;
  const auto& normalizer = stack.styles.normalizer;
  for (size_t i = 0; i < sample.rows().rows; ++i) {
    for (size_t d = 0; d < kStyleDimension; ++d) {
      const double shifted =
          double{sample.rows().Row(i)[d]} - double{normalizer.mean()[d]};
      style.push_back(
          static_cast<float>(shifted / (double{normalizer.std()[d]} + 1e-6)));
    }
  }
  const routing::SinkhornDistance distance(stack.styles.fingerprints.Copy());
  const std::vector<size_t> sources = {0, 1, 2, 3};
  std::vector<double> distances(kNumSources);
  EXPECT_TRUE(distance
                  .Compute({style.data(), sample.rows().rows, kStyleDimension},
                           sources, distances, /*execution=*/{})
                  .ok());
  return distances;
}

// softmax(-d / tau) over the two nearest sources.
std::vector<double> TwoNearest(const std::vector<double>& distances,
                               double tau) {
  std::vector<size_t> order = {0, 1, 2, 3};
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return distances[a] < distances[b]; });
  const double ratio =
      std::exp((distances[order[0]] - distances[order[1]]) / tau);
  std::vector<double> weights(kNumSources, 0);
  weights[order[0]] = 1 / (1 + ratio);
  weights[order[1]] = ratio / (1 + ratio);
  return weights;
}

TEST(MeasuredSplitTest, RoutesEveryDomainByItsOwnStyle) {
  const TrainedStack stack = SmallStack();
  const EncodedSamples samples = ThreeDomains();

  const auto split =
      MeasuredSplit::Measure(stack, samples, Grouping::kPerDomain, {}).value();
  const auto groups = split.Route(split.LadderOptions(), {}).value();

  ASSERT_EQ(groups.size(), 3);
  for (size_t g = 0; g < 3; ++g) {
    EXPECT_EQ(groups[g].domain, static_cast<int64_t>(g));
    const routing::Routing& routing = groups[g].routing;
    const auto distances = ReferenceDistances(
        stack, samples, SamplesOf(samples, groups[g].domain));
    EXPECT_THAT(routing.distances, Pointwise(DoubleNear(1e-6), distances));
    EXPECT_THAT(routing.weights,
                Pointwise(DoubleNear(1e-5), TwoNearest(distances, 0.5)));
    EXPECT_EQ(routing.num_seen, 30);
    EXPECT_EQ(routing.num_style, 30);
    EXPECT_EQ(routing.coverage.basis, routing::CoverageBasis::kCalibration);
    EXPECT_GT(routing.effective_experts, 1);
  }
}

TEST(MeasuredSplitTest, PredictsEveryDomainWithItsOwnWeights) {
  const TrainedStack stack = SmallStack();
  const EncodedSamples samples = ThreeDomains();
  const auto split =
      MeasuredSplit::Measure(stack, samples, Grouping::kPerDomain, {}).value();

  const auto labels = split.Predict(split.LadderOptions(), {}).value();

  ASSERT_EQ(labels.size(), samples.size());
  for (int64_t domain = 0; domain < 3; ++domain) {
    const auto members = SamplesOf(samples, domain);
    const auto weights =
        TwoNearest(ReferenceDistances(stack, samples, members), 0.5);
    for (const size_t i : members) {
      EXPECT_EQ(labels[i], ClassOf(stack, samples, i, weights)) << i;
    }
  }
}

TEST(MeasuredSplitTest, RoutesTheWholeSplitAsOneGroup) {
  const TrainedStack stack = SmallStack();
  const EncodedSamples samples = ThreeDomains();

  const auto split =
      MeasuredSplit::Measure(stack, samples, Grouping::kWholeSplit, {}).value();
  const auto groups = split.Route(split.LadderOptions(), {}).value();

  std::vector<size_t> all(samples.size());
  std::iota(all.begin(), all.end(), size_t{0});
  ASSERT_EQ(groups.size(), 1);
  EXPECT_EQ(groups[0].domain, -1);
  EXPECT_EQ(groups[0].routing.num_seen, 90);
  EXPECT_THAT(
      groups[0].routing.distances,
      Pointwise(DoubleNear(1e-6), ReferenceDistances(stack, samples, all)));
}

TEST(MeasuredSplitTest, TakesASeededSampleOfALargeGroup) {
  TrainedStack stack = SmallStack();
  stack.routing.max_style_samples = 12;
  stack.routing.seed = 5;
  const EncodedSamples samples = ThreeDomains();

  const auto split =
      MeasuredSplit::Measure(stack, samples, Grouping::kPerDomain, {}).value();
  const auto groups = split.Route(split.LadderOptions(), {}).value();

  EXPECT_EQ(groups[1].routing.num_seen, 30);
  EXPECT_EQ(groups[1].routing.num_style, 12);
  EXPECT_THAT(
      groups[1].routing.distances,
      Pointwise(DoubleNear(1e-6),
                ReferenceDistances(stack, samples, SamplesOf(samples, 1))));
}

TEST(MeasuredSplitTest, NeverLooksAtLabels) {
  const TrainedStack stack = SmallStack();
  const EncodedSamples samples = ThreeDomains();
  EncodedSamples relabelled = samples;
  relabelled.labels.assign(samples.size(), 0);
  const auto split =
      MeasuredSplit::Measure(stack, samples, Grouping::kPerDomain, {}).value();
  const auto other =
      MeasuredSplit::Measure(stack, relabelled, Grouping::kPerDomain, {})
          .value();

  EXPECT_EQ(split.Predict(split.LadderOptions(), {}).value(),
            other.Predict(other.LadderOptions(), {}).value());
}

TEST(MeasuredSplitTest, IsTheSameOnAnyNumberOfThreads) {
  const TrainedStack stack = SmallStack();
  // More samples than are predicted in one piece.
  const EncodedSamples samples = SmallSamples(std::vector<int64_t>(700, 1));
  routing::ThreadPool pool(3);
  const routing::Execution threads{.pool = &pool};

  for (const auto method :
       {routing::Method::kLadder, routing::Method::kSampleGate}) {
    const auto split =
        MeasuredSplit::Measure(stack, samples, Grouping::kPerDomain, {})
            .value();
    const auto threaded =
        MeasuredSplit::Measure(stack, samples, Grouping::kPerDomain, threads)
            .value();
    const routing::RoutingOptions options{.method = method, .k = 2};

    EXPECT_EQ(threaded.Predict(options, threads).value(),
              split.Predict(options, {}).value());
  }
}

TEST(MeasuredSplitTest, PrefersTheLowerClassOfEqualOnes) {
  TrainedStack stack = SmallStack();
  std::vector<float> bias(kNumSources * kNumClasses, 1);
  for (size_t e = 0; e < kNumSources; ++e) bias[e * kNumClasses] = 0;
  stack.heads =
      routing::LinearHeads::Create(
          kNumSources, kNumClasses, kContentDimension,
          std::vector<float>(kNumSources * kNumClasses * kContentDimension),
          bias)
          .value();
  const EncodedSamples samples = SmallSamples({0, 0});
  const auto split =
      MeasuredSplit::Measure(stack, samples, Grouping::kWholeSplit, {}).value();

  EXPECT_EQ(split.Predict(split.LadderOptions(), {}).value(),
            (std::vector<int64_t>{1, 1}));
}

TEST(MeasuredSplitTest, StopsWhenAskedTo) {
  const TrainedStack stack = SmallStack();
  const EncodedSamples samples = ThreeDomains();
  const auto split =
      MeasuredSplit::Measure(stack, samples, Grouping::kPerDomain, {}).value();
  std::stop_source stop;
  stop.request_stop();
  const routing::Execution stopped{.stop = stop.get_token()};

  EXPECT_EQ(
      MeasuredSplit::Measure(stack, samples, Grouping::kPerDomain, stopped)
          .status()
          .code(),
      absl::StatusCode::kCancelled);
  EXPECT_EQ(split.Predict(split.LadderOptions(), stopped).status().code(),
            absl::StatusCode::kCancelled);
}

void ExpectRejected(const TrainedStack& stack, const EncodedSamples& samples,
                    const std::string& message) {
  const auto status =
      MeasuredSplit::Measure(stack, samples, Grouping::kPerDomain, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr(message));
}

TEST(MeasuredSplitTest, RejectsSamplesThatDoNotFitTheStack) {
  const TrainedStack stack = SmallStack();

  ExpectRejected(stack, SmallSamples({}),
                 "encoded samples: expected some, got 0");
  EncodedSamples samples = ThreeDomains();
  samples.content_dimension = 7;
  ExpectRejected(stack, samples,
                 "content dimension of the samples: expected 2, got 7");
  samples = ThreeDomains();
  samples.style_dimension = 7;
  ExpectRejected(stack, samples,
                 "style dimension of the samples: expected 2, got 7");
  samples = ThreeDomains();
  samples.num_sources = 7;
  ExpectRejected(stack, samples, "sources of the gate: expected 4, got 7");
  samples = ThreeDomains();
  samples.gate.pop_back();
  ExpectRejected(stack, samples, "gate values: expected 360, got 359");
  samples = ThreeDomains();
  samples.domains.clear();
  ExpectRejected(stack, samples, "domains of the samples: expected 90, got 0");
}

TEST(MeasuredSplitTest, NamesTheSampleWhoseStyleIsNotFinite) {
  EncodedSamples samples = ThreeDomains();
  samples.style[17 * kStyleDimension] = std::numeric_limits<float>::infinity();

  ExpectRejected(SmallStack(), samples, "style of sample 17");
}

}  // namespace
}  // namespace ladder::trainer
