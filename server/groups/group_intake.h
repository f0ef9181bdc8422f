#ifndef LADDER_SERVER_GROUPS_GROUP_INTAKE_H_
#define LADDER_SERVER_GROUPS_GROUP_INTAKE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"
#include "imaging/preprocessor.h"
#include "model_store/format/manifest.h"
#include "server/groups/group_options.h"
#include "server/scheduling/encode_scheduler.h"
#include "server/scheduling/memory_budget.h"

namespace ladder::server {

// How many numbers a sample of the model has once it is decoded.
size_t SampleSize(const model_store::Manifest& manifest);

// Some samples of a group, in order: either `x` or `images`.
struct SampleChunk {
  std::shared_ptr<const void> owner = {};  // Keeps what follows alive.
  size_t num_samples = 0;
  std::span<const float> x = {};
  std::vector<std::span<const std::byte>> images = {};
  std::vector<std::string> ids = {};  // One each, or none.

  uint64_t num_bytes() const;
};

// Samples on their way through a group. Used by one thread at a time, except
// where a member says otherwise.
struct GroupChunk {
  SampleChunk samples;
  uint64_t first_index = 0;   // In the group.
  uint64_t answer_bytes = 0;  // Its part of the budget until it is answered.
  uint64_t sample_bytes = 0;  // What `samples` took when they came.

  // Only pictures have these:
  std::optional<MemoryBudget::Lease> memory;  // Pays for `decoded`.
  std::vector<float> decoded;         // Their numbers, one after the other.
  std::vector<absl::Status> verdict;  // One each; set by many threads.
  std::atomic<size_t> num_left = 0;   // How many are still to be decoded.
  absl::Time decoding_since;
  absl::Time decoded_at;

  std::vector<size_t> kept;  // The samples that are encoded, if not all.
  size_t num_rows = 0;       // How many are.

  // Set, and then `done`, guarded by the intake's mutex.
  absl::StatusOr<EncodedRows> encoded = EncodedRows{};
  bool done = false;
  // Called, and gone, when `done` is set. It keeps the group alive until then.
  std::function<void()> on_done;

  // To be called once all are decoded: moves those that could be to the front,
  // to be encoded.
  void KeepDecoded(size_t sample_size);

  size_t SampleOf(size_t row) const { return kept.empty() ? row : kept[row]; }
};

// Where the samples of a group come in: gives them their places in the group
// and in the budgets of memory, and has them decoded and encoded. Pictures are
// decoded just ahead of the encoder, because decoded they take a hundred times
// as much as in their files.
//
// Thread-safe.
class GroupIntake {
 public:
  // What a group takes that has no samples yet.
  static constexpr uint64_t kEmptyGroupBytes = 8 << 10;

  // `services` and `setup` must outlive it. Once `stop` is requested nothing
  // more comes in, and what is inside is given up soon.
  GroupIntake(const GroupServices& services, const GroupSetup& setup,
              std::stop_token stop);

  // Takes samples in. `on_done` is called, maybe by another thread, whenever
  // some of them have been encoded or that has failed, and has to keep the
  // intake alive until the last time; it is not called if there are none.
  // InvalidArgument if samples do not fit the model, naming what was expected
  // and what came; ResourceExhausted, naming the limit, if they are too many.
  // The intake is then as it was. Does nothing once the stop was requested.
  absl::Status Add(SampleChunk samples, const std::function<void()>& on_done);

  // No more samples will come.
  void End();

  // Whether End was called and every chunk has been taken.
  bool IsOver() const;

  // The next chunk, in the order in which they came in; null unless it is done.
  std::shared_ptr<GroupChunk> Take();

  // What samples take until they are answered.
  uint64_t AnswerBytes(size_t num_samples,
                       std::span<const std::string> ids) const;

  // Gives a part of the group's memory back to the budget.
  void Free(uint64_t bytes);

  // Forgets all chunks. Expects that the stop was requested, so that nothing
  // comes in afterwards. Memory that nobody uses any more is given back now,
  // the rest when the work on it has ended.
  void Clear();

 private:
  using Chunks = std::vector<std::shared_ptr<GroupChunk>>;

  // Cuts pictures into chunks of as many as the encoder takes at once.
  Chunks Cut(SampleChunk samples, const std::function<void()>& on_done) const;
  // Gives the chunks their places in the group and in the budget. Cancelled if
  // the group has ended.
  absl::Status Enter(const Chunks& chunks);
  // Begins to decode the next pictures, if it is time for them.
  void DecodeAhead();
  void Decode(const std::shared_ptr<GroupChunk>& chunk);
  void DecodeOne(const imaging::Preprocessor& preprocessor,
                 const std::shared_ptr<GroupChunk>& chunk, size_t image);
  void Encode(const std::shared_ptr<GroupChunk>& chunk);
  void OnEncoded(GroupChunk& chunk, absl::StatusOr<EncodedRows> encoded);

  const GroupServices& services_;
  const GroupSetup& setup_;
  const model_store::Model& model_;
  const size_t sample_size_;  // In numbers, once a sample is decoded.
  const std::stop_token stop_;

  mutable base::Mutex mutex_;
  std::deque<std::shared_ptr<GroupChunk>> chunks_ ABSL_GUARDED_BY(mutex_);
  // Those of them that are still to be decoded, and how many are between that
  // and being encoded.
  std::deque<std::shared_ptr<GroupChunk>> encoded_files_
      ABSL_GUARDED_BY(mutex_);
  size_t num_decoding_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t num_samples_ ABSL_GUARDED_BY(mutex_) = 0;  // That have come in.
  MemoryBudget::Lease memory_ ABSL_GUARDED_BY(mutex_);
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  // Set before the first picture is decoded, and not changed any more.
  std::optional<imaging::Preprocessor> preprocessor_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_GROUPS_GROUP_INTAKE_H_
