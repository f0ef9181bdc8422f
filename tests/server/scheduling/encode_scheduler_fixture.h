#ifndef LADDER_TESTS_SERVER_SCHEDULING_ENCODE_SCHEDULER_FIXTURE_H_
#define LADDER_TESTS_SERVER_SCHEDULING_ENCODE_SCHEDULER_FIXTURE_H_

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "server/scheduling/encode_scheduler.h"
#include "tests/server/scheduling/batch_model.h"
#include "tests/server/scheduling/encode_call.h"
#include "tests/server/scheduling/owners.h"
#include "tests/server/scheduling/recording_observer.h"

namespace ladder::server {

// A scheduler with a model that can keep its batches waiting.
class EncodeSchedulerTest : public ::testing::Test {
 protected:
  void Start(const EncodeSchedulerOptions& options = {}) {
    scheduler_.emplace(options, observer_);
  }

  EncodeCall& Submit(int stream, float first, size_t num_rows) {
    return Submit(model_, stream, first, num_rows);
  }
  EncodeCall& Submit(std::shared_ptr<BatchModel> model, int stream, float first,
                     size_t num_rows) {
    return Submit(std::move(model), owners_[stream], first, num_rows);
  }
  EncodeCall& Submit(std::shared_ptr<BatchModel> model, const WorkOwner& owner,
                     float first, size_t num_rows) {
    return calls_.emplace_back(*scheduler_, std::move(model), owner, first,
                               num_rows);
  }

  // Keeps the only worker busy, so that what follows has to wait.
  void Block() {
    model_->Hold();
    Submit(/*stream=*/99, /*first=*/-1, 1);
    model_->WaitForBatches(1);
  }
  // Lets everything go and returns the batches since Block, samples sorted.
  std::vector<std::vector<float>> Drain() {
    model_->Release();
    for (EncodeCall& call : calls_) call.Wait();
    std::vector<std::vector<float>> batches = model_->batches();
    batches.erase(batches.begin());
    for (auto& batch : batches) std::sort(batch.begin(), batch.end());
    return batches;
  }

  Owners owners_;
  RecordingObserver observer_;
  const std::shared_ptr<BatchModel> model_ = std::make_shared<BatchModel>();
  std::optional<EncodeScheduler> scheduler_;
  std::deque<EncodeCall> calls_;  // They must be done before the scheduler is.
};

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_SCHEDULING_ENCODE_SCHEDULER_FIXTURE_H_
