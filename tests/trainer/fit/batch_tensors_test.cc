#include "absl/strings/str_cat.h"
#include "base/files/fault.h"
#include "gtest/gtest.h"
#include "tests/trainer/fit/small_run.h"
#include "trainer/fit/fit_context.h"

namespace ladder::trainer {
namespace {

TEST(BatchTensorsTest, HaveTheShapeOfTheSamplesAndTheSourcesNumbers) {
  SmallRun run;
  // Domain 1 is left out, so that later ones have other numbers as sources.
  run.selection.source_of_domain = {0, -1, 1, 2};
  const Batch batch = {.x = {1, 2, 3, 4, 5, 6, 7, 8},
                       .labels = {1, 0},
                       .domains = {3, 0},
                       .samples = {150, 2}};

  const BatchTensors tensors = ToTensors(batch, run.Context());

  EXPECT_TRUE(torch::equal(
      tensors.x, torch::tensor({{1.f, 2.f, 3.f, 4.f}, {5.f, 6.f, 7.f, 8.f}})));
  EXPECT_TRUE(torch::equal(tensors.labels, torch::tensor({1, 0})));
  EXPECT_TRUE(torch::equal(tensors.sources, torch::tensor({2, 0})));
}

TEST(BatchTensorsTest, BrokenSamplesAreToldOnceAndOnlyTheFirst20) {
  SmallRun run;
  for (size_t sample = 0; sample < 30; ++sample) {
    const Batch batch = {
        .broken = {
            {.sample = sample,
             .error = base::Fault("bad", absl::StrCat("sample ", sample))}}};
    NoteBroken(batch, run.Context());
    NoteBroken(batch, run.Context());
  }

  EXPECT_EQ(run.observer.messages.size(), 20);
  EXPECT_EQ(run.observer.messages.front(), "skipped: sample 0");
  EXPECT_EQ(run.observer.messages.back(), "skipped: sample 19");
  EXPECT_EQ(run.broken.size(), 30);
}

TEST(BatchTensorsTest, LoadersFollowTheOptions) {
  FitOptions options = SmallOptions();
  options.loader_threads = 3;
  options.on_broken = "fail";

  EXPECT_EQ(LoaderOptionsOf(options).num_threads, 3);
  EXPECT_EQ(LoaderOptionsOf(options).on_broken, OnBroken::kFail);
  EXPECT_EQ(LoaderOptionsOf(SmallOptions()).on_broken, OnBroken::kSkip);
}

}  // namespace
}  // namespace ladder::trainer
