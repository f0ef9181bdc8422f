#ifndef LADDER_CLIENT_LIBRARY_PREDICTION_STREAM_IMPL_H_
#define LADDER_CLIENT_LIBRARY_PREDICTION_STREAM_IMPL_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "ladder/client/client_options.h"
#include "ladder/client/prediction_stream.h"
#include "ladder/v1/domain_routing.grpc.pb.h"

namespace ladder::client {

// Keeps to gRPC's rules, which end the process of whoever breaks them: one
// write at a time, none after the input was closed, which happens once, as does
// the end.
class PredictionStream::Impl {
 public:
  Impl(v1::DomainRouting::Stub& stub, const ClientOptions& options,
       const CallOptions& call);
  ~Impl();

  void ContinueOnGroupError();
  absl::Status Write(v1::PredictDomainRequest request,
                     grpc::WriteOptions options = {});
  void CloseInput();
  std::optional<v1::PredictDomainResponse> Read();
  absl::Status Finish();
  void Cancel();

 private:
  grpc::ClientContext context_;
  std::atomic<bool> is_cancelled_ = false;
  std::atomic<bool> has_ended_ = false;  // As a write has noticed.
  // Before the stream, which waits for a connection when it is made.
  const std::stop_callback<std::function<void()>> on_stop_;
  const std::unique_ptr<grpc::ClientReaderWriter<v1::PredictDomainRequest,
                                                 v1::PredictDomainResponse>>
      stream_;

  std::mutex send_mutex_;
  bool continue_on_group_error_ ABSL_GUARDED_BY(send_mutex_) = false;
  bool input_closed_ ABSL_GUARDED_BY(send_mutex_) = false;

  std::optional<absl::Status> finished_;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_LIBRARY_PREDICTION_STREAM_IMPL_H_
