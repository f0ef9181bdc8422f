#include "experiments/diagnose/linear_probe.h"

#include <numeric>
#include <stop_token>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/experiments/diagnose/random_values.h"

namespace ladder::experiments {
namespace {

using ::testing::HasSubstr;

// Rows 0, 1, ... with the targets 7, 8, 9, 7, 8, ...
ProbeTask Thirds(size_t count) {
  ProbeTask task{.rows = std::vector<size_t>(count), .seed = 5};
  std::iota(task.rows.begin(), task.rows.end(), size_t{0});
  for (size_t i = 0; i < count; ++i) {
    task.targets.push_back(7 + static_cast<int64_t>(i % 3));
  }
  return task;
}

TEST(LinearProbeTest, LearnsWhatIsThere) {
  constexpr size_t kCount = 600;
  std::vector<float> features = RandomValues(kCount * 4, 1);
  for (size_t i = 0; i < kCount; ++i) {
    // Far from zero, and small beside the other columns.
    features[i * 4] =
        5 + 1e-3f * (static_cast<float>(i % 3) + 0.1f * features[i * 4]);
  }

  const auto score = RunProbe({features.data(), kCount, 4}, Thirds(kCount),
                              {.batch_size = 64}, {});

  ASSERT_TRUE(score.ok()) << score.status();
  EXPECT_GT(score->accuracy, 0.95);
  EXPECT_NEAR(score->majority, 1.0 / 3, 0.12);
}

TEST(LinearProbeTest, FindsNothingInNoise) {
  constexpr size_t kCount = 3000;
  const std::vector<float> features = RandomValues(kCount * 4, 2);

  const auto score =
      RunProbe({features.data(), kCount, 4}, Thirds(kCount), {}, {});

  ASSERT_TRUE(score.ok()) << score.status();
  EXPECT_NEAR(score->accuracy, 1.0 / 3, 0.08);
}

TEST(LinearProbeTest, ScoresOnSamplesItWasNotTrainedOn) {
  // More columns than rows: any targets can be learned by heart.
  constexpr size_t kCount = 60;
  const std::vector<float> features = RandomValues(kCount * 200, 3);

  const auto score =
      RunProbe({features.data(), kCount, 200}, Thirds(kCount), {}, {});

  ASSERT_TRUE(score.ok()) << score.status();
  EXPECT_LT(score->accuracy, 0.8);
}

TEST(LinearProbeTest, LooksAtItsOwnRowsOnly) {
  constexpr size_t kCount = 200;
  std::vector<float> features = RandomValues(kCount * 2, 4);
  ProbeTask task;
  for (size_t i = 0; i < kCount; i += 2) {
    task.rows.push_back(i);
    task.targets.push_back(i % 4 == 0);
    features[i * 2] = i % 4 == 0 ? 1 : -1;
  }
  const auto before = RunProbe({features.data(), kCount, 2}, task, {}, {});
  for (size_t i = 1; i < kCount; i += 2) features[i * 2] = 1e6f;

  const auto after = RunProbe({features.data(), kCount, 2}, task, {}, {});

  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ(before->accuracy, 1);
  EXPECT_EQ(after->accuracy, 1);
}

TEST(LinearProbeTest, KnowsTheShareOfTheCommonestClass) {
  constexpr size_t kCount = 1000;
  const std::vector<float> features(kCount, 1.0f);  // Says nothing.
  ProbeTask task = Thirds(kCount);
  for (size_t i = 0; i < kCount; ++i) task.targets[i] = i % 10 < 7 ? 4 : -2;

  const auto score = RunProbe({features.data(), kCount, 1}, task, {}, {});

  ASSERT_TRUE(score.ok()) << score.status();
  EXPECT_NEAR(score->majority, 0.7, 0.08);
  EXPECT_EQ(score->accuracy, score->majority);
}

TEST(LinearProbeTest, IsAFunctionOfTheSeed) {
  constexpr size_t kCount = 200;
  const std::vector<float> features = RandomValues(kCount * 4, 5);
  ProbeTask task = Thirds(kCount);
  const routing::MatrixView view = {features.data(), kCount, 4};

  const double first = RunProbe(view, task, {}, {})->accuracy;
  const double again = RunProbe(view, task, {}, {})->accuracy;
  EXPECT_EQ(first, again);
  std::vector<double> others;
  for (task.seed = 10; task.seed < 15; ++task.seed) {
    others.push_back(RunProbe(view, task, {}, {})->accuracy);
  }

  EXPECT_THAT(others, ::testing::Contains(::testing::Ne(first)));
}

TEST(LinearProbeTest, RejectsTooFewSamples) {
  const std::vector<float> features(4, 1.0f);

  const auto score = RunProbe({features.data(), 4, 1}, Thirds(4), {}, {});

  EXPECT_EQ(score.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(score.status().message()),
              HasSubstr("at least 5 samples, got 4"));
}

TEST(LinearProbeTest, StopsWhenAsked) {
  const std::vector<float> features(10, 1.0f);
  std::stop_source stop;
  stop.request_stop();

  const auto score =
      RunProbe({features.data(), 10, 1}, Thirds(10), {}, stop.get_token());

  EXPECT_EQ(score.status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace ladder::experiments
