#include "trainer/fit/source_stage.h"

#include <torch/utils.h>

#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "base/files/fault.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/trainer/fit/small_run.h"
#include "trainer/fit/run_folder.h"

namespace ladder::trainer {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<SourceSummary> RunStage(SmallRun& run, Trainee& trainee) {
  auto summaries = RunSourceStage(run.Context(), trainee);
  EXPECT_TRUE(summaries.ok()) << summaries.status();
  if (!summaries.ok()) return {};
  EXPECT_THAT(*summaries, SizeIs(kNumSources));
  return *std::move(summaries);
}

// The style codes of samples, by the encoder as it is.
torch::Tensor Styles(Trainee& trainee, const Dataset& dataset,
                     const std::vector<size_t>& samples) {
  const torch::NoGradGuard no_grad;
  trainee.eval();
  return trainee.network().Encode(Covariates(dataset, samples)).style.mean;
}

// Which row of `all` each row of `some` is; -1 for none.
std::vector<int64_t> RowsOf(const torch::Tensor& some,
                            const torch::Tensor& all) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < some.size(0); ++i) {
    const auto [distance, row] = (all - some[i]).abs().amax(1).min(0);
    rows.push_back(distance.item<double>() < 1e-6 ? row.item<int64_t>() : -1);
  }
  return rows;
}

std::vector<size_t> ValidationOf(size_t source, size_t count) {
  std::vector<size_t> samples;
  for (size_t i = 0; i < count; ++i) {
    samples.push_back(kNumSources * kSamplesPerSource + source * count + i);
  }
  return samples;
}

bool SameSummary(const SourceSummary& a, const SourceSummary& b) {
  return torch::equal(a.weight, b.weight) && torch::equal(a.bias, b.bias) &&
         torch::equal(a.style, b.style) && torch::equal(a.held_out, b.held_out);
}

TEST(SourceStageTest, LeavesTheNetworkAndItsStatisticsAsTheyWere) {
  SmallRun run;
  const auto trainee = run.NewTrainee();
  trainee->train();
  const NamedTensors before = CopyOfWeights(*trainee);

  RunStage(run, *trainee);

  ASSERT_EQ(before.count("network.backbone.norm.running_mean"), 1);
  EXPECT_THAT(Differences(before, CopyOfWeights(*trainee)), IsEmpty());
}

TEST(SourceStageTest, AFingerprintIsSomeOfTheSourcesTrainingStyles) {
  SmallRun run(SmallOptions(), SmallDataset(/*num_validation=*/10));
  const auto trainee = run.NewTrainee();

  const std::vector<SourceSummary> summaries = RunStage(run, *trainee);

  for (size_t e = 0; e < summaries.size(); ++e) {
    const std::vector<int64_t> rows =
        RowsOf(summaries[e].style,
               Styles(*trainee, run.dataset, run.selection.samples[e]));
    EXPECT_THAT(rows, SizeIs(16));
    EXPECT_THAT(rows, Each(::testing::Ge(0)));
    EXPECT_THAT(std::set<int64_t>(rows.begin(), rows.end()), SizeIs(16));
  }
}

TEST(SourceStageTest, AFingerprintIsAllStylesIfTheyAreFew) {
  FitOptions options = SmallOptions();
  options.max_style_samples = 1000;
  SmallRun run(options);
  const auto trainee = run.NewTrainee();

  const std::vector<SourceSummary> summaries = RunStage(run, *trainee);

  for (size_t e = 0; e < summaries.size(); ++e) {
    EXPECT_TRUE(torch::allclose(
        summaries[e].style,
        Styles(*trainee, run.dataset, run.selection.samples[e])));
    EXPECT_EQ(summaries[e].held_out.sizes().vec(),
              (std::vector<int64_t>{0, run.options.style_dimension}));
  }
}

TEST(SourceStageTest, WhatIsDrawnFollowsFromTheSeed) {
  SmallRun one;
  SmallRun same;
  SmallRun other;
  const auto trainee = one.NewTrainee();
  other.options.seed = 1;

  const std::vector<SourceSummary> summaries = RunStage(one, *trainee);
  const std::vector<SourceSummary> again = RunStage(same, *trainee);
  const std::vector<SourceSummary> others = RunStage(other, *trainee);

  for (size_t e = 0; e < kNumSources; ++e) {
    EXPECT_TRUE(SameSummary(summaries[e], again[e]));
    EXPECT_FALSE(torch::equal(summaries[e].style, others[e].style));
    EXPECT_FALSE(torch::equal(summaries[e].held_out, others[e].held_out));
    EXPECT_FALSE(torch::equal(summaries[e].weight, others[e].weight));
  }
}

TEST(SourceStageTest, HeldOutIsOfTheValidationSplit) {
  SmallRun run(SmallOptions(), SmallDataset(/*num_validation=*/10));
  const auto trainee = run.NewTrainee();

  const std::vector<SourceSummary> summaries = RunStage(run, *trainee);

  for (size_t e = 0; e < summaries.size(); ++e) {
    EXPECT_TRUE(
        torch::allclose(summaries[e].held_out,
                        Styles(*trainee, run.dataset, ValidationOf(e, 10))));
  }
}

TEST(SourceStageTest, HeldOutIsBesideTheFingerprintWithoutAValidationSplit) {
  SmallRun run;
  const auto trainee = run.NewTrainee();

  const std::vector<SourceSummary> summaries = RunStage(run, *trainee);

  for (size_t e = 0; e < summaries.size(); ++e) {
    const torch::Tensor all =
        Styles(*trainee, run.dataset, run.selection.samples[e]);
    const std::vector<int64_t> held_out = RowsOf(summaries[e].held_out, all);
    std::vector<int64_t> both = RowsOf(summaries[e].style, all);
    both.insert(both.end(), held_out.begin(), held_out.end());
    EXPECT_THAT(held_out, SizeIs(16));
    EXPECT_THAT(both, Each(::testing::Ge(0)));
    EXPECT_THAT(std::set<int64_t>(both.begin(), both.end()), SizeIs(32));
  }
}

TEST(SourceStageTest, HeadsLearnFromTheirOwnSource) {
  FitOptions options = SmallOptions();
  options.head_epochs = 8;
  Dataset dataset = SmallDataset();
  // In source 0 all samples have one label, in source 1 the other.
  for (size_t i = 0; i < kSamplesPerSource; ++i) {
    dataset.samples[i].label = 0;
    dataset.samples[kSamplesPerSource + i].label = 1;
  }
  SmallRun run(options, dataset);
  const auto trainee = run.NewTrainee();

  const std::vector<SourceSummary> summaries = RunStage(run, *trainee);

  EXPECT_GT(summaries[0].bias[0].item<float>(),
            summaries[0].bias[1].item<float>());
  EXPECT_LT(summaries[1].bias[0].item<float>(),
            summaries[1].bias[1].item<float>());
  EXPECT_FALSE(torch::equal(summaries[2].weight, summaries[3].weight));
}

TEST(SourceStageTest, HeadsStartWhereTheyAreTold) {
  FitOptions options = SmallOptions();
  options.head_lr = 1e-7;
  SmallRun pooled(options);
  options.head_start = "zero";
  SmallRun zero(options);
  const auto trainee = pooled.NewTrainee();

  const SourceSummary from_pooled = RunStage(pooled, *trainee).front();
  const SourceSummary from_zero = RunStage(zero, *trainee).front();

  // 50 steps of 2 sources are 25 updates for each of the 4.
  constexpr double kReach = 25 * 1e-7;
  EXPECT_TRUE(torch::allclose(from_pooled.weight, trainee->PooledWeight(),
                              /*rtol=*/0, 1.5 * kReach));
  EXPECT_TRUE(torch::allclose(from_zero.weight,
                              torch::zeros_like(from_zero.weight), /*rtol=*/0,
                              1.5 * kReach));
  EXPECT_GT(from_zero.weight.abs().max().item<double>(), 0.8 * kReach);
}

TEST(SourceStageTest, HeadsCanBeClassBalanced) {
  FitOptions options = SmallOptions();
  Dataset dataset = SmallDataset();
  for (size_t i = 0; i < 30; ++i) dataset.samples[i].label = 0;
  SmallRun plain(options, dataset);
  options.head_loss = "class-balanced";
  SmallRun balanced(options, dataset);
  const auto trainee = plain.NewTrainee();

  const SourceSummary by_plain = RunStage(plain, *trainee).front();
  const SourceSummary by_balanced = RunStage(balanced, *trainee).front();

  // The rare class counts for more.
  EXPECT_GT((by_balanced.bias[1] - by_balanced.bias[0]).item<float>(),
            (by_plain.bias[1] - by_plain.bias[0]).item<float>());
  EXPECT_TRUE(torch::equal(by_plain.style, by_balanced.style));
}

TEST(SourceStageTest, TheHeadsOfABaselineAreThePooledOne) {
  FitOptions options = SmallOptions();
  options.method = "erm";
  SmallRun run(options);
  const auto trainee = run.NewTrainee();

  for (const SourceSummary& summary : RunStage(run, *trainee)) {
    EXPECT_TRUE(torch::equal(summary.weight, trainee->PooledWeight()));
    EXPECT_TRUE(torch::equal(summary.bias, trainee->PooledBias()[0]));
  }
}

TEST(SourceStageTest, SourcesThatAreInTheRunFolderAreNotMadeAgain) {
  std::atomic<int> num_reads = 0;
  SmallRun run(SmallOptions(), SmallDataset(0, [&](size_t) {
                 ++num_reads;
                 return absl::OkStatus();
               }));
  const auto trainee = run.NewTrainee();
  const std::vector<SourceSummary> first = RunStage(run, *trainee);
  EXPECT_EQ(num_reads, kNumSources * kSamplesPerSource);

  num_reads = 0;
  std::filesystem::remove(run.folder() / SourceFile(2));
  const std::vector<SourceSummary> second = RunStage(run, *trainee);

  EXPECT_EQ(num_reads, kSamplesPerSource) << "of source 2 alone";
  for (size_t e = 0; e < kNumSources; ++e) {
    EXPECT_TRUE(SameSummary(first[e], second[e])) << e;
  }
}

TEST(SourceStageTest, KeepsWhatItHasWhenItIsStopped) {
  SmallRun run;
  run.observer.on_progress = StopAt(run.stop, "sources", 2);
  const auto trainee = run.NewTrainee();

  const auto summaries = RunSourceStage(run.Context(), *trainee);

  EXPECT_EQ(summaries.status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(std::filesystem::exists(run.folder() / SourceFile(1)));
  EXPECT_FALSE(std::filesystem::exists(run.folder() / SourceFile(2)));
}

TEST(SourceStageTest, WorksWithoutTheBrokenSamplesOfASource) {
  SmallRun run(SmallOptions(), SmallDataset(0, [](size_t sample) {
                 return sample < 30 ? base::Fault("bad number", "broken")
                                    : absl::OkStatus();
               }));
  const auto trainee = run.NewTrainee();

  const std::vector<SourceSummary> summaries = RunStage(run, *trainee);

  EXPECT_EQ(summaries[0].style.size(0), 10);
  EXPECT_EQ(summaries[0].held_out.size(0), 0);
  EXPECT_EQ(summaries[1].style.size(0), 16);
  EXPECT_EQ(run.broken.size(), 30);
}

TEST(SourceStageTest, NamesASourceOfWhichNothingCanBeRead) {
  SmallRun run(SmallOptions(), SmallDataset(0, [](size_t sample) {
                 return sample / kSamplesPerSource == 1
                            ? base::Fault("bad number", "broken")
                            : absl::OkStatus();
               }));
  const auto trainee = run.NewTrainee();

  const auto summaries = RunSourceStage(run.Context(), *trainee);

  EXPECT_EQ(summaries.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(summaries.status().message()),
              HasSubstr("source \"s1\""));
}

}  // namespace
}  // namespace ladder::trainer
