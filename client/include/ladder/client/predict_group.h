#ifndef LADDER_CLIENT_PREDICT_GROUP_H_
#define LADDER_CLIENT_PREDICT_GROUP_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "ladder/client/client.h"
#include "ladder/client/samples.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

// Takes a group's answers: a routing, predictions in order, and the end.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;

  // An error ends the group with it.
  virtual absl::Status OnAnswer(v1::PredictDomainResponse answer) = 0;

  // The call is made again because of `why`: what came so far does not count.
  virtual void OnRestart(const absl::Status& why) = 0;
};

struct GroupRequest {
  std::string group = {};
  v1::GroupOptions options = {};
};

// Predicts for one group on a stream of its own, again and again as the
// client's RetryPolicy says. Samples are read on a thread of its own, the sink
// is called on the caller's; their errors cancel the call and come back as they
// are. Returns once both are done, so a reader must not wait for ever. DataLoss
// if the server's answers cannot be about what it was sent: for other samples,
// ids or groups, with labels that are no classes or numbers that are not
// finite. The sink gets answers that were checked.
absl::Status PredictGroup(const Client& client, const GroupRequest& request,
                          SampleReader& samples, AnswerSink& sink,
                          const CallOptions& call = {});

struct LargeGroupOptions {
  size_t num_streams = 4;  // At once; spread over the replicas.
  size_t segment_samples = 1024;
  size_t segment_bytes = size_t{16} << 20;  // At most, but for a last chunk.
};

// The same for a group that is too large for one server's memory, or to be
// spread over several: routes all samples first, then predicts with these
// weights on several streams. Weights are those of PredictGroup, probabilities
// too within 1e-5; every sample is sent twice. Segments are retried one by one,
// and the sink is told of a restart only if the version that has routed the
// group is not served any more: unless `request` names it, the group is routed
// again, so that all answers are of one version. In memory are at most
// num_streams + 1 segments and their answers. InvalidArgument if an option is
// 0.
absl::Status PredictLargeGroup(const Client& client,
                               const GroupRequest& request,
                               SampleReader& samples, AnswerSink& sink,
                               const LargeGroupOptions& options = {},
                               const CallOptions& call = {});

}  // namespace ladder::client

#endif  // LADDER_CLIENT_PREDICT_GROUP_H_
