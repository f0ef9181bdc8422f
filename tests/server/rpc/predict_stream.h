#ifndef LADDER_TESTS_SERVER_RPC_PREDICT_STREAM_H_
#define LADDER_TESTS_SERVER_RPC_PREDICT_STREAM_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ladder/v1/domain_routing.pb.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::server {

// Samples of the tiny tensor model, one after the other.
v1::Samples TensorSamples(std::span<const float> x);
v1::Samples ImageSamples(const std::vector<std::string>& files);

// A message with samples of `group`, without options.
v1::PredictDomainRequest MessageOf(const std::string& group,
                                   std::span<const float> x);
v1::PredictDomainRequest EndOf(const std::string& group);

// `x` in messages of at most `chunk` samples, the last of which ends the group
// and the first of which has `options`.
std::vector<v1::PredictDomainRequest> MessagesOf(
    const std::string& group, std::span<const float> x, size_t chunk,
    const v1::GroupOptions& options = {});

std::vector<float> FloatsOf(const v1::Matrix& matrix);

// All that was answered for one group.
struct GroupResult {
  // A letter for each answer: routing, predictions, end or error (x);
  // predictions in a row are one p.
  std::string order = {};
  v1::Routing routing = {};
  std::vector<uint64_t> indices = {};
  std::vector<std::string> ids = {};
  std::vector<uint32_t> labels = {};
  std::vector<float> probabilities = {};
  std::vector<float> logits = {};
  std::vector<float> expert_probabilities = {};
  std::vector<float> sample_weights = {};
  std::vector<uint32_t> top_classes = {};
  std::vector<float> top_probabilities = {};
  std::vector<v1::RejectedSample> rejected = {};
  v1::GroupEnd end = {};
  v1::GroupError error = {};

  std::vector<double> weights() const;
  void Take(const v1::PredictDomainResponse& response);
};

struct StreamResult {
  grpc::Status status = {};
  std::map<std::string, GroupResult> groups = {};
};

// One PredictDomain call.
class PredictStream {
 public:
  explicit PredictStream(
      TestServer& server,
      std::unique_ptr<grpc::ClientContext> context = NewContext());
  PredictStream(v1::DomainRouting::StubInterface& stub,
                std::unique_ptr<grpc::ClientContext> context);

  grpc::ClientContext& context() { return *context_; }

  // False if the call is over.
  bool Send(const v1::PredictDomainRequest& message) {
    return stream_->Write(message);
  }
  void EndInput() { stream_->WritesDone(); }
  // The next answer; none if the call is over.
  std::optional<v1::PredictDomainResponse> Read();
  // Reads until the group has ended.
  GroupResult ReadGroup(const std::string& group);
  // Reads all there is.
  StreamResult Finish();

 private:
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientReaderWriterInterface<v1::PredictDomainRequest,
                                                    v1::PredictDomainResponse>>
      stream_;
};

// Sends all, says that this is all, and reads.
StreamResult Predict(TestServer& server,
                     const std::vector<v1::PredictDomainRequest>& messages);

// Waits until samples wait behind a batch. Expects --max-queued-samples of 1.
bool WaitUntilBusy(TestServer& server);

// True if a group is predicted for as it should.
bool IsHealthy(TestServer& server);

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_RPC_PREDICT_STREAM_H_
