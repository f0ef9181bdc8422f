#include "server/engine_watch.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/fake_model.h"

namespace ladder::server {
namespace {

using model_store::Encoding;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

model_store::Manifest OneSource() {
  model_store::Manifest manifest;
  manifest.sources = {{.name = "north"}};
  manifest.style_dimension = 1;
  return manifest;
}

// A model on a device that can be lost.
class BrittleModel final : public model_store::FakeModel {
 public:
  BrittleModel() : FakeModel(OneSource(), "sha256") {}

  absl::StatusOr<Encoding> Encode(std::span<const float> x, size_t num_rows,
                                  std::stop_token stop) const override {
    ++runs;
    if (lost) return absl::InternalError("CUDA failure 719");
    return FakeModel::Encode(x, num_rows, stop);
  }

  mutable std::atomic<int> runs = 0;
  std::atomic<bool> lost = false;
};

class EngineWatchTest : public ::testing::Test {
 protected:
  const std::shared_ptr<BrittleModel> first_ = std::make_shared<BrittleModel>();
  const std::shared_ptr<BrittleModel> second_ =
      std::make_shared<BrittleModel>();
  uint64_t failed_ = 0;
  std::vector<bool> changes_;
  EngineWatch watch_{
      {.num_failed_runs = [this] { return failed_; },
       .served =
           [this] {
             return std::vector<model_store::ModelHandle>{first_, second_};
           },
       .on_change =
           [this](const absl::Status& status) {
             changes_.push_back(status.ok());
           }}};
};

TEST_F(EngineWatchTest, TriesNothingWhileRunsSucceed) {
  failed_ = EngineWatch::kManyFailedRuns - 1;

  watch_.Look({});

  EXPECT_TRUE(watch_.status().ok());
  EXPECT_EQ(first_->runs + second_->runs, 0);
}

TEST_F(EngineWatchTest, WhatCallersSentIsNoReasonToDoubtTheDevice) {
  failed_ = EngineWatch::kManyFailedRuns;

  watch_.Look({});

  EXPECT_TRUE(watch_.status().ok());
  EXPECT_EQ(first_->runs, 1);
}

TEST_F(EngineWatchTest, OneModelThatRunsIsEnough) {
  failed_ = EngineWatch::kManyFailedRuns;
  first_->lost = true;

  watch_.Look({});

  EXPECT_TRUE(watch_.status().ok());
  EXPECT_THAT(changes_, IsEmpty());
}

TEST_F(EngineWatchTest, SaysThatEveryRunFailsUntilOneSucceeds) {
  failed_ = EngineWatch::kManyFailedRuns;
  first_->lost = second_->lost = true;

  watch_.Look({});
  watch_.Look({});
  const absl::Status lost = watch_.status();
  second_->lost = false;
  watch_.Look({});

  EXPECT_EQ(lost.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(lost.message()),
              HasSubstr("every run of a model fails: CUDA failure 719"));
  EXPECT_TRUE(watch_.status().ok());
  EXPECT_THAT(changes_, ElementsAre(false, true));
}

}  // namespace
}  // namespace ladder::server
