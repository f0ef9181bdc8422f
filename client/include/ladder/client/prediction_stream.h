#ifndef LADDER_CLIENT_PREDICTION_STREAM_H_
#define LADDER_CLIENT_PREDICTION_STREAM_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

// One PredictDomain call: samples of any number of named groups go in,
// interleaved as the caller likes; routings and predictions come out.
//
// Any threads may send while one reads, and who sends much must do both: the
// server stops reading while its answers wait to be taken. Cancel is for any
// thread. The destructor cancels what is not finished.
class PredictionStream {
 public:
  class Impl;
  explicit PredictionStream(std::unique_ptr<Impl> impl);
  PredictionStream(PredictionStream&&) noexcept;
  PredictionStream& operator=(PredictionStream&&) noexcept;
  ~PredictionStream();

  // Before the first Begin: a group that fails is answered by an error and the
  // others go on. Otherwise it ends the call.
  void ContinueOnGroupError();

  // Sending. These wait for room on the wire, not for an answer. UNAVAILABLE if
  // the call has ended, and Finish says why; FailedPrecondition after
  // CloseInput.
  absl::Status Begin(const std::string& group, v1::GroupOptions options);
  absl::Status Send(const std::string& group, v1::Samples samples);
  absl::Status End(const std::string& group);
  void CloseInput();  // Ends the groups that are open.

  // The next answer; nothing when there will be no more.
  std::optional<v1::PredictDomainResponse> Read();

  // Closes the input, throws away what was not read, and says how the call
  // went. Not while others send or read.
  absl::Status Finish();

  // Ends the call with CANCELLED. Does nothing once a send has failed.
  void Cancel();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_PREDICTION_STREAM_H_
