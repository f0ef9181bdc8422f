#ifndef LADDER_SERVER_GROUPS_GROUP_H_
#define LADDER_SERVER_GROUPS_GROUP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "imaging/decode_limits.h"
#include "imaging/preprocessor.h"
#include "model_store/engine/model.h"
#include "routing/thread_pool.h"
#include "server/groups/content_buffer.h"
#include "server/groups/group_evidence.h"
#include "server/groups/group_options.h"
#include "server/groups/predict_rows.h"
#include "server/groups/route_group.h"
#include "server/groups/sample_chunk.h"
#include "server/observe/serving_observer.h"
#include "server/scheduling/encode_scheduler.h"
#include "server/scheduling/memory_budget.h"
#include "server/scheduling/worker_pool.h"

namespace ladder::server {

struct GroupChunk;

// What all groups of a server share. All of it outlives them.
struct GroupServices {
  EncodeScheduler& scheduler;
  WorkerPool& workers;
  routing::ThreadPool& loops;  // For work within one step.
  MemoryBudget& memory;
  ServingObserver& observer;
};

struct GroupLimits {
  uint64_t max_samples = 1'000'000;
  uint64_t max_bytes = uint64_t{1} << 30;
  imaging::DecodeLimits images = {};
  // Heads are run on exactly this many rows at a time, the last ones padded,
  // because rounding depends on their number. 0: on as many as there are.
  size_t fixed_head_rows = 0;
};

struct GroupSetup {
  uint64_t stream = 0;  // Whose turn its work is part of.
  model_store::ModelHandle model = {};
  GroupOptions options = {};
  GroupLimits limits = {};
  // Of the report to the observer: names and ids.
  GroupReport report = {};
};

struct GroupSummary {
  uint64_t num_samples = 0;
  uint64_t num_rejected = 0;
};

// Receives what becomes of a group, by one thread at a time, in this order:
// routings, one per question; predictions, in the order of the samples; the
// end. May be called until the end, and never after it. If nothing is to be
// predicted, what comes as predictions are rejected samples alone.
class GroupSink {
 public:
  virtual ~GroupSink() = default;

  virtual void OnRouting(const RoutingAnswer& answer) = 0;
  virtual void OnPredictions(PredictionRows rows) = 0;
  // `bytes` of the samples that were added are needed no more.
  virtual void OnSamplesTaken(uint64_t bytes) = 0;
  virtual void OnEnd(const absl::Status& status,
                     const GroupSummary& summary) = 0;

  // False while there is no room for more predictions; Group::Resume tells when
  // there is again.
  virtual bool HasRoom() = 0;
};

// A target group on its way: its samples are decoded and encoded as they
// arrive, routed, and predicted for. Works in steps on the shared threads, one
// at a time, each short, and waits for nothing.
//
// Thread-safe. Lives as long as somebody holds it or it has work to do.
class Group : public std::enable_shared_from_this<Group> {
 public:
  // Expects options that the model's router accepts.
  static std::shared_ptr<Group> Start(const GroupServices& services,
                                      GroupSetup setup,
                                      std::shared_ptr<GroupSink> sink);

  // Adds samples. InvalidArgument if they do not fit the model, naming what was
  // expected and what came; ResourceExhausted, naming the limit, if they are
  // too many. The group is then as it was; the caller may want to Fail it. Does
  // nothing if the group has ended.
  absl::Status Add(SampleChunk chunk);

  // No more samples will come.
  void End();

  // Stops all work for the group and ends it with `status`, unless it has ended
  // already.
  void Fail(absl::Status status);

  // The sink has room again.
  void Resume();

 private:
  using Chunk = GroupChunk;

  Group(const GroupServices& services, GroupSetup setup,
        std::shared_ptr<GroupSink> sink);

  // Gives the chunk its place in the group and in the budget. Cancelled if the
  // group has ended.
  absl::Status Enter(const std::shared_ptr<Chunk>& chunk);
  void Decode(const std::shared_ptr<Chunk>& chunk);
  void DecodeOne(const std::shared_ptr<Chunk>& chunk, size_t image);
  void Encode(const std::shared_ptr<Chunk>& chunk);

  // Sees to it that Step is called.
  void Schedule();
  void Run();
  // Does a piece of work. False if there is nothing to do until something
  // happens.
  bool Step();
  std::shared_ptr<Chunk> TakeChunk() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Absorb(Chunk& chunk);
  absl::Status AbsorbPart(const model_store::Encoding& part, size_t begin,
                          Chunk& chunk);
  absl::Status Route();
  absl::Status Predict();
  void Finish(const absl::Status& status);
  void NoteTimes(const Chunk& chunk);
  void AddTime(Stage stage, absl::Time begin, absl::Time end);

  routing::Execution execution() const {
    return {.pool = &services_.loops, .stop = stop_.get_token()};
  }
  // What samples take until they are answered.
  uint64_t AnswerBytes(size_t num_samples,
                       std::span<const std::string> ids) const;

  const GroupServices services_;
  const GroupSetup setup_;
  const std::shared_ptr<GroupSink> sink_;
  const model_store::Model& model_;
  const size_t sample_size_;  // In numbers.
  const absl::Time started_;
  std::stop_source stop_;

  std::mutex mutex_;
  std::deque<std::shared_ptr<Chunk>> chunks_ ABSL_GUARDED_BY(mutex_);
  uint64_t num_samples_ ABSL_GUARDED_BY(mutex_) = 0;  // Added.
  MemoryBudget::Lease memory_ ABSL_GUARDED_BY(mutex_);
  std::optional<imaging::Preprocessor> preprocessor_ ABSL_GUARDED_BY(mutex_);
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  bool scheduled_ ABSL_GUARDED_BY(mutex_) = false;
  bool again_ ABSL_GUARDED_BY(mutex_) = false;

  // Of the step that runs:
  GroupEvidence evidence_;
  ContentBuffer content_;
  std::vector<RoutingAnswer> answers_;
  std::vector<RejectedSample> rejected_;
  bool input_over_ = false;
  bool finished_ = false;
  GroupSummary summary_;
  std::array<absl::Duration, kNumStages> stages_ = {};
  std::array<TimeRange, kNumStages> stage_ranges_ = {};
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_GROUPS_GROUP_H_
