#ifndef LADDER_SERVER_INFERENCE_INFER_JOB_H_
#define LADDER_SERVER_INFERENCE_INFER_JOB_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"
#include "inference/grpc_service.pb.h"
#include "server/groups/group.h"
#include "server/inference/infer_request.h"
#include "server/inference/model_description.h"
#include "server/inference/model_statistics.h"
#include "server/rpc/call.h"
#include "server/scheduling/memory_budget.h"

namespace ladder::server {

// What the calls of the protocol share. All of it outlives them.
struct InferenceServices {
  const RpcServices& rpc;
  InferenceStatistics& statistics;
};

// One request of the Open Inference Protocol on its way: its rows are served in
// their groups and put together again.
//
// Lives as long as somebody holds it or its groups have work to do.
// Thread-safe.
class InferJob : public std::enable_shared_from_this<InferJob> {
 public:
  using Request = std::shared_ptr<const inference::ModelInferRequest>;
  using Done =
      std::function<void(absl::StatusOr<inference::ModelInferResponse>)>;

  // `done` is called once, maybe before this returns, by any thread. `call` is
  // kept until all work is over. What `services` refers to must outlive the
  // job.
  static std::shared_ptr<InferJob> Start(const InferenceServices& services,
                                         std::shared_ptr<const Call> call,
                                         Request request, Done done);

  // Stops the work; `done` is called with `status` if it was not yet.
  void Cancel(absl::Status status);

 private:
  class Sink;

  // The rows of one group, by their place in the request.
  struct Part {
    std::string group = {};
    std::vector<size_t> rows = {};  // Ascending.

    // Whether its rows follow each other in the request.
    bool IsContiguous() const {
      return rows.back() - rows.front() + 1 == rows.size();
    }
  };

  InferJob(const InferenceServices& services, std::shared_ptr<const Call> call,
           Request request, Done done);

  absl::Status Begin();
  absl::Status MakeRoom(const OutputOptions& outputs);
  absl::StatusOr<GroupOptions> Options() const;
  SampleChunk ChunkOf(const Part& part) const;

  // The groups call these, through their sinks:
  void TakeRouting(const Part& part, const RoutingAnswer& answer);
  void TakePredictions(const Part& part, const GroupPredictions& rows);
  void OnGroupEnd(size_t part, const absl::Status& status);

  void Finish(absl::Status status) ABSL_LOCKS_EXCLUDED(mutex_);

  const RpcServices& services_;
  InferenceStatistics& statistics_;
  const std::shared_ptr<const Call> call_;
  Request message_;                 // Null once the request is answered.
  const absl::Time started_;        // By base::SteadyNow.
  model_store::ModelHandle model_;  // Set by Begin, as the next three.
  ModelSignature signature_;
  InferRequest request_;
  std::vector<Part> parts_;

  MemoryBudget::Lease memory_;  // Pays for the results; grown by Begin.

  base::Mutex mutex_;
  Done done_ ABSL_GUARDED_BY(mutex_);  // Empty once it was called.
  // One for each part; null once it has ended.
  std::vector<std::shared_ptr<Group>> groups_ ABSL_GUARDED_BY(mutex_);
  size_t num_open_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  RequestTimes times_ ABSL_GUARDED_BY(mutex_);
  // Row by row; empty unless wanted.
  std::vector<int64_t> labels_ ABSL_GUARDED_BY(mutex_);
  std::vector<float> probabilities_ ABSL_GUARDED_BY(mutex_);
  std::vector<float> logits_ ABSL_GUARDED_BY(mutex_);
  std::vector<float> weights_ ABSL_GUARDED_BY(mutex_);
  std::vector<float> distances_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_INFER_JOB_H_
