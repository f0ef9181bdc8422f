#ifndef LADDER_TESTS_TRAINER_DATA_FAKE_READER_H_
#define LADDER_TESTS_TRAINER_DATA_FAKE_READER_H_

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "trainer/data/dataset.h"

namespace ladder::trainer {

// Every number of a sample is its index. What a test wants to happen before
// goes into `on_read`, whose errors are returned.
class FakeReader : public CovariateReader {
 public:
  using OnRead = std::function<absl::Status(size_t sample)>;

  explicit FakeReader(OnRead on_read = nullptr)
      : on_read_(std::move(on_read)) {}

  absl::Status Read(size_t sample, std::span<float> x) const override {
    ++num_reads_;
    absl::Status status = absl::OkStatus();
    if (on_read_ != nullptr) status = on_read_(sample);
    if (status.ok()) std::fill(x.begin(), x.end(), static_cast<float>(sample));
    return status;
  }

  int num_reads() const { return num_reads_; }

 private:
  OnRead on_read_;
  mutable std::atomic<int> num_reads_ = 0;
};

// Samples of `sample_size` numbers, whose label is the index modulo 3 and whose
// domain that modulo 5.
inline Dataset FakeDataset(size_t num_samples, int64_t sample_size,
                           FakeReader::OnRead on_read = nullptr) {
  Dataset dataset;
  dataset.input = model_store::TensorInput{.shape = {sample_size}};
  for (size_t i = 0; i < num_samples; ++i) {
    dataset.samples.push_back({.label = static_cast<int64_t>(i % 3),
                               .domain = static_cast<int64_t>(i % 5)});
  }
  dataset.reader = std::make_shared<FakeReader>(std::move(on_read));
  return dataset;
}

}  // namespace ladder::trainer

#endif  // LADDER_TESTS_TRAINER_DATA_FAKE_READER_H_
