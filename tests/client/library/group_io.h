#ifndef LADDER_TESTS_CLIENT_LIBRARY_GROUP_IO_H_
#define LADDER_TESTS_CLIENT_LIBRARY_GROUP_IO_H_

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ladder/client/predict_group.h"
#include "ladder/client/samples.h"
#include "tests/model_store/engine/test_models.h"
#include "tests/server/rpc/predict_stream.h"

namespace ladder::client {

// `x`, samples of the tiny model, in chunks of `size` samples.
inline std::vector<v1::Samples> ChunksOf(std::span<const float> x,
                                         size_t size) {
  const size_t step = size * model_store::kTinySample;
  std::vector<v1::Samples> chunks;
  for (size_t begin = 0; begin < x.size(); begin += step) {
    chunks.push_back(server::TensorSamples(
        x.subspan(begin, std::min(step, x.size() - begin))));
  }
  return chunks;
}

// Reads chunks from memory. `before` is called before each, with its number;
// its error is the reader's.
class ChunkReader final : public SampleReader {
 public:
  using Before = std::function<absl::Status(size_t)>;

  explicit ChunkReader(std::vector<v1::Samples> chunks, Before before = {})
      : chunks_(std::move(chunks)), before_(std::move(before)) {}

  absl::StatusOr<std::optional<v1::Samples>> Next() override {
    if (before_ != nullptr) {
      absl::Status status = before_(next_);
      if (!status.ok()) return status;
    }
    if (next_ == chunks_.size()) return std::nullopt;
    ++num_read_;
    return chunks_[next_++];
  }
  absl::Status Rewind() override {
    next_ = 0;
    ++num_rewinds_;
    return absl::OkStatus();
  }

  int num_read() const { return num_read_; }
  int num_rewinds() const { return num_rewinds_; }

 private:
  const std::vector<v1::Samples> chunks_;
  const Before before_;
  size_t next_ = 0;
  std::atomic<int> num_read_ = 0;
  int num_rewinds_ = 0;
};

// Keeps what counts. `on_restart` is called with the number of restarts.
class CollectingSink final : public AnswerSink {
 public:
  explicit CollectingSink(std::function<void(size_t)> on_restart = {})
      : on_restart_(std::move(on_restart)) {}

  absl::Status OnAnswer(v1::PredictDomainResponse answer) override {
    result.Take(answer);
    return verdict;
  }
  void OnRestart(const absl::Status& why) override {
    result = {};
    restarts.push_back(why);
    if (on_restart_ != nullptr) on_restart_(restarts.size());
  }

  absl::Status verdict;  // Of every answer.
  server::GroupResult result;
  std::vector<absl::Status> restarts;

 private:
  const std::function<void(size_t)> on_restart_;
};

}  // namespace ladder::client

#endif  // LADDER_TESTS_CLIENT_LIBRARY_GROUP_IO_H_
