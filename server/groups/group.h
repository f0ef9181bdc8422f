#ifndef LADDER_SERVER_GROUPS_GROUP_H_
#define LADDER_SERVER_GROUPS_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "base/system/mutex.h"
#include "model_store/engine/model.h"
#include "server/groups/group_intake.h"
#include "server/groups/group_options.h"
#include "server/groups/group_reporter.h"
#include "server/groups/predict_rows.h"
#include "server/groups/route_group.h"
#include "server/scheduling/worker_pool.h"

namespace ladder::server {

// Receives what becomes of a group, by one thread at a time, in this order:
// routings, one per question; predictions, in the order of the samples; the
// end. May be called until the end, and never after it. If nothing is to be
// predicted, what comes as predictions are rejected samples alone.
class GroupSink {
 public:
  virtual ~GroupSink() = default;

  virtual void OnRouting(const RoutingAnswer& answer) = 0;
  virtual void OnPredictions(GroupPredictions rows) = 0;
  // `bytes` of the samples that were added are needed no more.
  virtual void OnSamplesTaken(uint64_t /*bytes*/) {}
  virtual void OnEnd(const absl::Status& status,
                     const GroupSummary& summary) = 0;

  // False while there is no room for more predictions; Group::Resume tells when
  // there is again.
  virtual bool HasRoom() { return true; }
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

  const model_store::Model& model() const { return model_; }

  // Adds samples. Errors as GroupIntake::Add; the group is then as it was, and
  // the caller may want to Fail it. Does nothing if the group has ended.
  absl::Status Add(SampleChunk chunk);

  // No more samples will come.
  void End();

  // Stops all work for the group and ends it with `status`, unless it has ended
  // already.
  void Fail(absl::Status status);

  // The sink has room again.
  void Resume();

 private:
  Group(const GroupServices& services, GroupSetup setup,
        std::shared_ptr<GroupSink> sink);

  // Sees to it that Step is called.
  void Schedule();
  // To be called when no step runs and none is posted.
  void PostStep();
  WorkerPool::Length NextStep() const;
  void Run();
  // Does a piece of work. False if there is nothing to do until something
  // happens.
  bool Step();
  // Takes in what has become of a chunk, or of a part of it that begins with
  // the chunk's row `begin`.
  absl::Status Absorb(GroupChunk& chunk);
  absl::Status AbsorbPart(const model_store::Encoding& part, size_t begin,
                          GroupChunk& chunk);
  // Notes the samples of the chunk that could not be decoded, and adds up in
  // `answer_bytes` what their answers take.
  absl::Status AbsorbRejected(const GroupChunk& chunk, uint64_t& answer_bytes);
  bool IsRouted() const {
    return answers_.size() == setup_.options.questions.size();
  }
  bool MayBeRouted() const { return evidence_complete_ || intake_.IsOver(); }
  // Answers the next question.
  absl::Status Route();
  // How many samples the next message should have.
  size_t RowsPerMessage() const;
  absl::Status Predict();
  void Finish(const absl::Status& status);

  routing::Execution execution() const {
    return {.pool = &services_.loops, .stop = stop_.get_token()};
  }

  const GroupServices services_;
  const GroupSetup setup_;
  const std::shared_ptr<GroupSink> sink_;
  const model_store::Model& model_;
  std::stop_source stop_;
  GroupIntake intake_;

  base::Mutex mutex_;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  bool scheduled_ ABSL_GUARDED_BY(mutex_) = false;
  bool again_ ABSL_GUARDED_BY(mutex_) = false;

  // Used by the step that runs, of which there is one at a time:
  GroupReporter reporter_;
  std::optional<GroupEvidence> evidence_;  // None once all is over.
  bool evidence_complete_ = false;  // The first `route_after` samples are in.
  ContentBuffer content_;
  std::vector<RoutingAnswer> answers_;
  std::vector<RejectedSample> rejected_;
  bool finished_ = false;
  GroupSummary summary_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_GROUPS_GROUP_H_
