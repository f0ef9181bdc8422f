#ifndef LADDER_CLIENT_LIBRARY_PREDICTION_STREAM_IMPL_H_
#define LADDER_CLIENT_LIBRARY_PREDICTION_STREAM_IMPL_H_

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <stop_token>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "base/system/mutex.h"
#include "ladder/client/client_options.h"
#include "ladder/client/prediction_stream.h"
#include "ladder/v1/domain_routing.grpc.pb.h"

namespace ladder::client {

// A call on gRPC's own threads: they write what waits in a short queue while
// the caller makes its next message, and read one answer ahead. With the
// blocking API, the caller's two threads would wake each other for every
// message.
//
// Keeps to gRPC's rules, which end the process of whoever breaks them: one
// write and one read at a time, none after the input was closed or an
// operation has failed.
class PredictionStream::Impl final
    : public grpc::ClientBidiReactor<v1::PredictDomainRequest,
                                     v1::PredictDomainResponse> {
 public:
  Impl(v1::DomainRouting::Stub& stub, const ClientOptions& options,
       const CallOptions& call);
  ~Impl() override;

  void ContinueOnGroupError();
  absl::Status Write(v1::PredictDomainRequest request,
                     grpc::WriteOptions options = {});
  void CloseInput();
  std::optional<v1::PredictDomainResponse> Read();
  absl::Status Finish();
  void Cancel();

 private:
  struct Outgoing {
    v1::PredictDomainRequest request;
    grpc::WriteOptions options;
    size_t bytes = 0;
  };
  enum class Reading { kUnderWay, kDone, kEnded };

  void OnWriteDone(bool ok) override;
  void OnReadDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  bool HasRoom() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Writes what is at the queue's front, or ends the input behind its last.
  void WriteNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  grpc::ClientContext context_;

  base::Mutex mutex_;
  std::condition_variable_any room_;      // HasRoom(), or the call has ended.
  std::condition_variable_any answered_;  // reading_ or done_ has changed.

  bool continue_on_group_error_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  bool input_closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;      // A write has noticed.
  std::deque<Outgoing> queue_ ABSL_GUARDED_BY(mutex_);  // The front is written.
  size_t queued_bytes_ ABSL_GUARDED_BY(mutex_) = 0;

  // gRPC's while the reading is under way.
  v1::PredictDomainResponse answer_ ABSL_GUARDED_BY(mutex_);
  Reading reading_ ABSL_GUARDED_BY(mutex_) = Reading::kUnderWay;

  std::optional<grpc::Status> done_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> finished_;

  // The last, since it may be called at once.
  const std::stop_callback<std::function<void()>> on_stop_;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_LIBRARY_PREDICTION_STREAM_IMPL_H_
