#include "trainer/fit/representation_stage.h"

#include <filesystem>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/files/fault.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/trainer/fit/small_run.h"
#include "trainer/fit/run_folder.h"

namespace ladder::trainer {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<uint64_t> StepsReported(const RecordingObserver& observer) {
  std::vector<uint64_t> steps;
  for (const FitProgress& report : observer.progress) {
    steps.push_back(report.done);
  }
  return steps;
}

// The steps of the rows of curves.csv.
std::vector<std::string> StepsInCurves(const SmallRun& run) {
  std::vector<std::string> steps;
  std::istringstream lines(Contents(run.folder() / kCurvesFile));
  std::string line;
  while (std::getline(lines, line)) {
    steps.push_back(line.substr(0, line.find(',')));
  }
  return steps;
}

// The weights after all steps, without a stop.
NamedTensors WeightsAfterAll(const FitOptions& options) {
  SmallRun run(options);
  const auto trainee = run.NewTrainee();
  const absl::Status status = RunRepresentationStage(run.Context(), *trainee);
  EXPECT_TRUE(status.ok()) << status;
  return CopyOfWeights(*trainee);
}

TEST(RepresentationStageTest, TheLossGoesDown) {
  SmallRun run;
  const auto trainee = run.NewTrainee();

  const absl::Status status = RunRepresentationStage(run.Context(), *trainee);

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(StepsReported(run.observer), ElementsAre(20, 40, 50));
  const auto& first = run.observer.progress.front();
  const auto& last = run.observer.progress.back();
  EXPECT_EQ(first.losses.front().first, "total");
  EXPECT_LT(last.losses.front().second, 0.8 * first.losses.front().second);
  EXPECT_EQ(last.stage, "representation");
  EXPECT_EQ(last.total, 50);
  EXPECT_EQ(last.samples, 50 * 8);
  EXPECT_THAT(StepsInCurves(run), ElementsAre("step", "20", "40", "50"));
}

class StoppedStageTest : public ::testing::TestWithParam<const char*> {};

TEST_P(StoppedStageTest, GoesOnWithTheSameBits) {
  FitOptions options = SmallOptions();
  options.method = GetParam();
  SmallRun run(options);
  run.observer.on_progress = StopAt(run.stop, "representation", 20);
  const auto stopped = run.NewTrainee();
  EXPECT_EQ(RunRepresentationStage(run.Context(), *stopped).code(),
            absl::StatusCode::kCancelled);
  const NamedTensors half_way = CopyOfWeights(*stopped);

  run.stop = std::stop_source();
  const auto resumed = run.NewTrainee();
  const absl::Status status = RunRepresentationStage(run.Context(), *resumed);

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(run.observer.CountMessages("going on after step 20 of 50"), 1);
  const NamedTensors all = WeightsAfterAll(options);
  EXPECT_THAT(Differences(CopyOfWeights(*resumed), all), IsEmpty());
  EXPECT_THAT(Differences(half_way, all), Not(IsEmpty()));
  EXPECT_THAT(StepsInCurves(run), ElementsAre("step", "20", "40", "50"));
}

INSTANTIATE_TEST_SUITE_P(Methods, StoppedStageTest,
                         ::testing::Values("ladder", "rdm", "dsnr"),
                         [](const auto& test) { return test.param; });

TEST(RepresentationStageTest, GoesOnFromTheLastCheckpointAfterACrash) {
  FitOptions options = SmallOptions();
  options.checkpoint_steps = 7;
  SmallRun crashed(options);
  SmallRun other(options);
  // What a crash after step 40 would leave behind: the checkpoint of step 35.
  crashed.observer.on_progress = [&](const FitProgress& report) {
    if (report.done != 40) return;
    fs::copy(crashed.folder() / kCheckpointFile, other.folder());
    fs::copy(crashed.folder() / kCurvesFile, other.folder());
  };
  ASSERT_TRUE(
      RunRepresentationStage(crashed.Context(), *crashed.NewTrainee()).ok());
  ASSERT_THAT(StepsInCurves(other), ElementsAre("step", "20", "40"));

  const auto trainee = other.NewTrainee();
  const absl::Status status = RunRepresentationStage(other.Context(), *trainee);

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(other.observer.CountMessages("going on after step 35 of 50"), 1);
  EXPECT_THAT(Differences(CopyOfWeights(*trainee), WeightsAfterAll(options)),
              IsEmpty());
  EXPECT_THAT(StepsInCurves(other), ElementsAre("step", "20", "40", "50"));
}

TEST(RepresentationStageTest, AFinishedOneIsNotRunAgain) {
  SmallRun run;
  const auto first = run.NewTrainee();
  ASSERT_TRUE(RunRepresentationStage(run.Context(), *first).ok());
  run.observer.progress.clear();

  const auto second = run.NewTrainee();
  const absl::Status status = RunRepresentationStage(run.Context(), *second);

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(run.observer.progress, IsEmpty());
  EXPECT_THAT(Differences(CopyOfWeights(*first), CopyOfWeights(*second)),
              IsEmpty());
}

TEST(RepresentationStageTest, ALossThatIsNotFiniteIsReportedWithItsStep) {
  FitOptions options = SmallOptions();
  options.encoder_lr = 1e30;
  SmallRun run(options);

  const absl::Status status =
      RunRepresentationStage(run.Context(), *run.NewTrainee());

  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("loss \"total\""), HasSubstr("before step 20")));
  EXPECT_FALSE(fs::exists(run.folder() / kCheckpointFile))
      << "of weights that are of no use";
}

absl::Status BreakTwo(size_t sample) {
  if (sample != 3 && sample != 50) return absl::OkStatus();
  return base::Fault("bad number",
                     absl::StrCat("sample ", sample, " is broken"));
}

TEST(RepresentationStageTest, BrokenSamplesAreSkippedAndToldOnce) {
  FitOptions options = SmallOptions();
  options.epochs = 2;  // Every source has 40 samples, so each comes twice.
  SmallRun run(options, SmallDataset(0, BreakTwo));

  const absl::Status status =
      RunRepresentationStage(run.Context(), *run.NewTrainee());

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(run.observer.CountMessages("skipped: sample 3 is broken"), 1);
  EXPECT_EQ(run.observer.CountMessages("skipped: sample 50 is broken"), 1);
  EXPECT_EQ(run.observer.CountMessages("skipped"), 2);
  EXPECT_EQ(run.broken.size(), 2);
  EXPECT_LT(run.observer.progress.back().samples, 100 * 8);
}

TEST(RepresentationStageTest, ABrokenSampleEndsTheRunIfItShall) {
  FitOptions options = SmallOptions();
  options.on_broken = "fail";
  SmallRun run(options, SmallDataset(0, BreakTwo));

  const absl::Status status =
      RunRepresentationStage(run.Context(), *run.NewTrainee());

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("is broken"));
}

TEST(RepresentationStageTest, BatchesOfBrokenSamplesOnlyAreNoSteps) {
  SmallRun run(SmallOptions(), SmallDataset(0, [](size_t sample) {
                 return base::Fault("bad number",
                                    absl::StrCat("sample ", sample));
               }));
  const auto trainee = run.NewTrainee();
  const NamedTensors before = CopyOfWeights(*trainee);

  const absl::Status status = RunRepresentationStage(run.Context(), *trainee);

  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(Differences(before, CopyOfWeights(*trainee)), IsEmpty());
  EXPECT_EQ(run.observer.CountMessages("skipped"), 20) << "no flood of them";
}

TEST(StepsPerEpochTest, IsAsTold) {
  EXPECT_EQ(StepsPerEpoch(SmallOptions(), SmallRun().selection), 50);
}

TEST(StepsPerEpochTest, IsOnePassOtherwise) {
  FitOptions options = SmallOptions();
  options.steps_per_epoch = 0;
  options.batch_size = 50;

  // 160 samples: three full batches and a rest.
  EXPECT_EQ(StepsPerEpoch(options, SmallRun().selection), 4);
}

}  // namespace
}  // namespace ladder::trainer
