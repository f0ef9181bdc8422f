#ifndef LADDER_SERVER_INFERENCE_INFER_CALL_H_
#define LADDER_SERVER_INFERENCE_INFER_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "inference/grpc_service.pb.h"
#include "server/inference/infer_job.h"
#include "server/rpc/stream_call.h"
#include "server/rpc/unary_call.h"

namespace ladder::server {

// One ModelInfer call. Lives until gRPC and its job have let go of it.
// Thread-safe.
class InferCall final : public UnaryCall {
 public:
  // What gRPC is to be given for a new call.
  static CallReactor* Start(const InferenceServices& services,
                            grpc::CallbackServerContext& context);

 private:
  InferCall(const InferenceServices& services,
            grpc::CallbackServerContext& context)
      : UnaryCall(services.rpc, "ModelInfer", context),
        statistics_(services.statistics) {}

  // UnaryCall:
  absl::Status Ask() override;
  void StopWork() override;

  InferenceStatistics& statistics_;
  std::shared_ptr<InferJob> job_ ABSL_GUARDED_BY(mutex_);
};

// One ModelStreamInfer stream: requests are served side by side and answered in
// their order, each by its result or by an error of its own.
//
// Lives until gRPC and all of its jobs have let go of it. Thread-safe.
class StreamInferCall final : public StreamCall {
 public:
  // What gRPC is to be given for a new stream.
  static CallReactor* Start(const InferenceServices& services,
                            grpc::CallbackServerContext& context);

 private:
  // A request that has not been answered.
  struct Slot {
    std::shared_ptr<InferJob> job;
    std::optional<inference::ModelStreamInferResponse> response;
  };

  StreamInferCall(const InferenceServices& services,
                  grpc::CallbackServerContext& context);

  // StreamCall:
  absl::Status Accept() override;
  void StopWork() override;
  bool CanRead() const override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsWorking() const override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !slots_.empty();
  }
  bool IsAnswered() const override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return slots_.empty() && !writing_;
  }
  bool ChooseAnswer() override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status SerializeAnswer(grpc::ByteBuffer& bytes) override;

  void Serve(std::shared_ptr<const inference::ModelInferRequest> request);
  void Answer(Slot& slot, const std::string& id,
              absl::StatusOr<inference::ModelInferResponse> response);

  InferenceStatistics& statistics_;
  inference::ModelStreamInferResponse response_;  // Being written.
  std::deque<std::shared_ptr<Slot>> slots_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_INFER_CALL_H_
