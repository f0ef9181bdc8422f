#ifndef LADDER_SERVER_INFERENCE_STREAM_INFER_CALL_H_
#define LADDER_SERVER_INFERENCE_STREAM_INFER_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "inference/grpc_service.pb.h"
#include "server/inference/infer_job.h"
#include "server/rpc/call.h"
#include "server/rpc/call_registry.h"
#include "server/rpc/rpc_services.h"

namespace ladder::server {

// One ModelStreamInfer stream: requests are served side by side and answered in
// their order, each by its result or by an error of its own.
//
// Lives until gRPC and all of its jobs have let go of it. Thread-safe.
class StreamInferCall final
    : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
      public LongCall,
      public std::enable_shared_from_this<StreamInferCall> {
 public:
  // What gRPC is to be given for a new stream.
  static grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Start(
      const RpcServices& services, grpc::CallbackServerContext& context);

  // LongCall:
  void CheckTime(absl::Time now) override;
  void Abort(absl::Status status) override;

 private:
  // A request that has not been answered.
  struct Slot {
    std::shared_ptr<InferJob> job;
    std::optional<inference::ModelStreamInferResponse> response;
  };

  StreamInferCall(const RpcServices& services,
                  grpc::CallbackServerContext& context);

  // gRPC's:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  void Serve(std::shared_ptr<const inference::ModelInferRequest> request);
  void Answer(Slot& slot, const std::string& id,
              absl::StatusOr<inference::ModelInferResponse> response);

  void Write();

  // See PredictCall.
  void Pump();
  enum class Action { kNone, kRead, kWrite, kFinish };
  Action NextAction() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const RpcServices& services_;
  grpc::CallbackServerContext& context_;
  const std::shared_ptr<Call> call_;  // Shared with the work for it.
  grpc::ByteBuffer request_;          // Being read.
  inference::ModelStreamInferResponse response_;  // Being written, as the next.
  grpc::ByteBuffer response_bytes_;

  std::mutex mutex_;
  std::shared_ptr<StreamInferCall> self_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::shared_ptr<Slot>> slots_ ABSL_GUARDED_BY(mutex_);
  absl::Time last_message_ ABSL_GUARDED_BY(mutex_);
  bool input_over_ ABSL_GUARDED_BY(mutex_) = false;
  bool reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool pumping_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_STREAM_INFER_CALL_H_
