#ifndef LADDER_TESTS_SERVER_SCHEDULING_BATCH_MODEL_H_
#define LADDER_TESTS_SERVER_SCHEDULING_BATCH_MODEL_H_

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tests/fakes/fake_model.h"

namespace ladder::server {

// A model whose samples are single numbers. The content of x is 2 x, its style
// 3 x, its gate 4 x and 5 x. Pads every batch to its largest, as engines do.
// Remembers its batches and can keep them waiting. Thread-safe.
class BatchModel final : public model_store::FakeModel {
 public:
  using Place = model_store::Tensor::Place;

  // Content and style lie at `place`, which tests can read in any case.
  explicit BatchModel(std::string name = "fake", Place place = Place::kHost)
      : FakeModel(ManifestOf(std::move(name)), "sha"), place_(place) {}

  size_t max_batch() const override { return kMaxBatch; }

  absl::StatusOr<model_store::Encoding> Encode(
      std::span<const float> x, size_t num_rows,
      std::stop_token stop) const override {
    {
      std::unique_lock lock(mutex_);
      batches_.emplace_back(x.begin(), x.end());
      ++num_inside_;
      changed_.notify_all();
      changed_.wait(lock, stop,
                    [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return !held_; });
      --num_inside_;
      changed_.notify_all();
      if (stop.stop_requested()) return absl::CancelledError("stopped");
      if (!error_.ok()) return std::exchange(error_, absl::OkStatus());
    }
    return model_store::Encoding{
        .z_c = Scaled(x, num_rows, {2}, place_),
        .z_s = Scaled(x, num_rows, {3}, place_),
        .gate = Scaled(x, num_rows, {4, 5}, Place::kHost)};
  }

  // Batches begin but do not end until Release, or until stopped.
  void Hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void Release() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }

  // The next batch to end ends with `error`.
  void FailNext(absl::Status error) {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
  }

  // Returns once as many batches are in the encoder at the same time.
  void WaitForBatches(size_t count) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return num_inside_ == count;
    });
  }

  // The samples of each, in the order in which they began.
  std::vector<std::vector<float>> batches() const {
    const std::lock_guard lock(mutex_);
    return batches_;
  }

  // How many of the tensors that were made are in memory.
  size_t num_tensors_alive() const {
    const std::lock_guard lock(mutex_);
    size_t count = 0;
    for (const auto& tensor : tensors_) count += tensor.expired() ? 0 : 1;
    return count;
  }

 private:
  static constexpr size_t kMaxBatch = 8;

  static model_store::Manifest ManifestOf(std::string name) {
    model_store::Manifest manifest;
    manifest.model = std::move(name);
    manifest.version = 1;
    manifest.classes = {"cat", "dog"};
    manifest.sources = {{.name = "north"}, {.name = "south"}};
    manifest.style_dimension = 1;
    manifest.content_dimension = 1;
    manifest.input = model_store::TensorInput{.shape = {1}};
    return manifest;
  }

  // One column per factor.
  model_store::Tensor Scaled(std::span<const float> x, size_t num_rows,
                             const std::vector<float>& factors,
                             Place place) const {
    const auto values = std::make_shared<std::vector<float>>();
    for (size_t row = 0; row < kMaxBatch; ++row) {
      for (const float factor : factors) {
        values->push_back(row < num_rows ? factor * x[row] : -1);
      }
    }
    {
      const std::lock_guard lock(mutex_);
      tensors_.push_back(values);
    }
    return model_store::Tensor(values, values->data(), kMaxBatch,
                               factors.size(), place)
        .Rows(0, num_rows);
  }

  const Place place_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  mutable std::vector<std::vector<float>> batches_ ABSL_GUARDED_BY(mutex_);
  mutable std::vector<std::weak_ptr<const void>> tensors_
      ABSL_GUARDED_BY(mutex_);
  mutable size_t num_inside_ ABSL_GUARDED_BY(mutex_) = 0;
  mutable absl::Status error_ ABSL_GUARDED_BY(mutex_);
  bool held_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_SCHEDULING_BATCH_MODEL_H_
