#include "tests/server/rpc/predict_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/model_store/engine/test_models.h"
#include "tests/server/groups/tiny_models.h"

namespace ladder::server {

using model_store::kTinySample;

v1::Samples TensorSamples(std::span<const float> x) {
  v1::Samples samples;
  v1::Tensor& tensor = *samples.mutable_tensor();
  tensor.add_shape(static_cast<int64_t>(x.size() / kTinySample));
  tensor.add_shape(kTinySample);
  tensor.set_float32(x.data(), x.size_bytes());
  return samples;
}

v1::Samples ImageSamples(const std::vector<std::string>& files) {
  v1::Samples samples;
  for (const std::string& file : files) {
    samples.mutable_images()->add_images(file);
  }
  return samples;
}

v1::PredictDomainRequest MessageOf(const std::string& group,
                                   std::span<const float> x) {
  v1::PredictDomainRequest message;
  message.set_group(group);
  *message.mutable_samples() = TensorSamples(x);
  return message;
}

v1::PredictDomainRequest EndOf(const std::string& group) {
  v1::PredictDomainRequest message;
  message.set_group(group);
  message.set_end_of_group(true);
  return message;
}

std::vector<v1::PredictDomainRequest> MessagesOf(
    const std::string& group, std::span<const float> x, size_t chunk,
    const v1::GroupOptions& options) {
  std::vector<v1::PredictDomainRequest> messages;
  const size_t step = chunk * kTinySample;
  for (size_t begin = 0; begin < x.size(); begin += step) {
    messages.push_back(
        MessageOf(group, x.subspan(begin, std::min(step, x.size() - begin))));
  }
  *messages.front().mutable_options() = options;
  messages.back().set_end_of_group(true);
  return messages;
}

std::vector<float> FloatsOf(const v1::Matrix& matrix) {
  const std::string& bytes = matrix.float32();
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<double> GroupResult::weights() const {
  std::vector<double> values;
  for (const auto& source : routing.sources()) {
    values.push_back(source.weight());
  }
  return values;
}

void GroupResult::Take(const v1::PredictDomainResponse& response) {
  const auto append = [](const auto& from, auto& to) {
    to.insert(to.end(), from.begin(), from.end());
  };
  switch (response.answer_case()) {
    case v1::PredictDomainResponse::kRouting:
      order += 'r';
      routing = response.routing();
      break;
    case v1::PredictDomainResponse::kPredictions: {
      if (!order.ends_with('p')) order += 'p';
      const v1::Predictions& rows = response.predictions();
      for (int i = 0; i < rows.labels_size(); ++i) {
        indices.push_back(rows.indices().empty()
                              ? rows.first_index() + static_cast<uint64_t>(i)
                              : rows.indices(i));
      }
      append(rows.ids(), ids);
      append(rows.labels(), labels);
      append(FloatsOf(rows.probabilities()), probabilities);
      append(FloatsOf(rows.logits()), logits);
      append(FloatsOf(rows.expert_probabilities()), expert_probabilities);
      append(FloatsOf(rows.sample_weights()), sample_weights);
      append(rows.top_classes(), top_classes);
      append(rows.top_probabilities(), top_probabilities);
      append(rows.rejected(), rejected);
      break;
    }
    case v1::PredictDomainResponse::kError:
      order += 'x';
      error = response.error();
      break;
    case v1::PredictDomainResponse::kEnd:
      order += 'e';
      end = response.end();
      break;
    case v1::PredictDomainResponse::ANSWER_NOT_SET:
      order += '?';
      break;
  }
}

PredictStream::PredictStream(TestServer& server,
                             std::unique_ptr<grpc::ClientContext> context)
    : PredictStream(server.routing(), std::move(context)) {}

PredictStream::PredictStream(v1::DomainRouting::StubInterface& stub,
                             std::unique_ptr<grpc::ClientContext> context)
    : context_(std::move(context)),
      stream_(stub.PredictDomain(context_.get())) {}

std::optional<v1::PredictDomainResponse> PredictStream::Read() {
  v1::PredictDomainResponse response;
  if (!stream_->Read(&response)) return std::nullopt;
  return response;
}

GroupResult PredictStream::ReadGroup(const std::string& group) {
  GroupResult result;
  while (!result.order.ends_with('e') && !result.order.ends_with('x')) {
    const auto response = Read();
    if (!response.has_value()) break;
    if (response->group() == group) result.Take(*response);
  }
  return result;
}

StreamResult PredictStream::Finish() {
  StreamResult result;
  while (const auto response = Read()) {
    result.groups[response->group()].Take(*response);
  }
  result.status = stream_->Finish();
  return result;
}

StreamResult Predict(TestServer& server,
                     const std::vector<v1::PredictDomainRequest>& messages) {
  PredictStream stream(server);
  for (const auto& message : messages) {
    if (!stream.Send(message)) break;
  }
  stream.EndInput();
  return stream.Finish();
}

bool WaitUntilBusy(TestServer& server) {
  return Eventually([&server] {
    return Predict(server, {}).status.error_code() ==
           grpc::StatusCode::RESOURCE_EXHAUSTED;
  });
}

bool IsHealthy(TestServer& server) {
  v1::GroupOptions options;
  options.mutable_model()->set_name("tiny");
  const StreamResult result =
      Predict(server, MessagesOf("healthy", RandomSamples(3), 3, options));
  return result.status.ok() && result.groups.contains("healthy") &&
         result.groups.at("healthy").labels.size() == 3;
}

}  // namespace ladder::server
