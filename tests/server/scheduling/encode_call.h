#ifndef LADDER_TESTS_SERVER_SCHEDULING_ENCODE_CALL_H_
#define LADDER_TESTS_SERVER_SCHEDULING_ENCODE_CALL_H_

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <numeric>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/scheduling/encode_scheduler.h"

namespace ladder::server {

// A chunk that is given to a scheduler, and what became of it: the samples
// first, first + 1, and so on, of a BatchModel. Must be waited for.
class EncodeCall {
 public:
  EncodeCall(EncodeScheduler& scheduler, model_store::ModelHandle model,
             const WorkOwner& owner, float first, size_t num_rows)
      : x_(num_rows) {
    std::iota(x_.begin(), x_.end(), first);
    scheduler.Submit({.owner = owner,
                      .model = std::move(model),
                      .x = x_,
                      .num_rows = num_rows,
                      .stop = stop_.get_token(),
                      .done = [this](absl::StatusOr<EncodedRows> rows) {
                        const std::lock_guard lock(mutex_);
                        EXPECT_FALSE(result_.has_value()) << "done twice";
                        result_ = std::move(rows);
                        changed_.notify_all();
                      }});
  }
  ~EncodeCall() { Wait(); }

  EncodeCall(const EncodeCall&) = delete;
  EncodeCall& operator=(const EncodeCall&) = delete;

  void Cancel() { stop_.request_stop(); }

  const absl::StatusOr<EncodedRows>& Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return result_.has_value(); });
    return *result_;
  }

  // Waits, and expects all rows, in order, as a BatchModel encodes them.
  void ExpectRight() {
    const absl::StatusOr<EncodedRows>& rows = Wait();
    ASSERT_TRUE(rows.ok()) << rows.status();
    std::vector<float> content;
    std::vector<float> style;
    std::vector<float> gate;
    for (const model_store::Encoding& part : rows->parts) {
      Append(part.z_c, content);
      Append(part.z_s, style);
      Append(part.gate, gate);
    }
    EXPECT_EQ(content, Times({2}));
    EXPECT_EQ(style, Times({3}));
    EXPECT_EQ(gate, Times({4, 5}));
  }

 private:
  static void Append(const model_store::Tensor& tensor,
                     std::vector<float>& values) {
    const auto rows = tensor.view().Values();
    values.insert(values.end(), rows.begin(), rows.end());
  }

  std::vector<float> Times(const std::vector<float>& factors) const {
    std::vector<float> values;
    for (const float x : x_) {
      for (const float factor : factors) values.push_back(factor * x);
    }
    return values;
  }

  std::vector<float> x_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<absl::StatusOr<EncodedRows>> result_;
};

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_SCHEDULING_ENCODE_CALL_H_
