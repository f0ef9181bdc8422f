// Answers one group as a server would, for tests in other languages:
//
//   serve_group BUNDLE native|graph REQUEST ANSWER
//
// REQUEST is a safetensors file with `x` [n, ...], ANSWER one with `distances`,
// `weights`, `logits` and `probabilities`. The group passes in chunks of odd
// sizes, and routing follows the bundle's defaults.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "model_store/engine/engine.h"
#include "model_store/engine/row_sample.h"
#include "model_store/format/file_bytes.h"
#include "model_store/format/safetensors.h"
#include "routing/linear_heads.h"

namespace ladder::model_store {
namespace {

constexpr size_t kChunkRows = 7;

struct Answer {
  std::vector<double> distances;
  routing::Routing routing;
  std::vector<float> logits;
};

absl::StatusOr<Answer> Serve(const Model& model, std::span<const float> x,
                             size_t num_rows) {
  const size_t row_size = x.size() / num_rows;
  std::vector<Tensor> content;
  RowSample sample = RowSample::OfStyle(model);
  for (size_t begin = 0; begin < num_rows; begin += kChunkRows) {
    const size_t rows = std::min(kChunkRows, num_rows - begin);
    absl::StatusOr<Encoding> encoding =
        model.Encode(x.subspan(begin * row_size, rows * row_size), rows, {});
    if (!encoding.ok()) return encoding.status();
    content.push_back(encoding->z_c);
    absl::Status status = sample.Add(encoding->z_s, {});
    if (!status.ok()) return status;
  }
  const Tensor& style = sample.rows();

  Answer answer;
  const absl::StatusOr<MeasuredStyle> measured =
      model.StyleDistances(style, {});
  if (!measured.ok()) return measured.status();
  answer.distances = measured->distances;

  const RoutingDefaults& defaults = model.manifest().routing;
  absl::StatusOr<routing::Routing> routing = model.router().Decide(
      {.style = measured->normalized.view(), .num_seen = num_rows},
      answer.distances,
      {.method = defaults.method, .k = defaults.k, .tau = defaults.tau}, {});
  if (!routing.ok()) return routing.status();
  answer.routing = *routing;

  const std::vector<float> weights(answer.routing.weights.begin(),
                                   answer.routing.weights.end());
  for (const Tensor& z_c : content) {
    absl::StatusOr<Tensor> logits =
        model.Logits(z_c, {weights.data(), 1, weights.size()}, {});
    if (!logits.ok()) return logits.status();
    const std::span<const float> values = logits->view().Values();
    answer.logits.insert(answer.logits.end(), values.begin(), values.end());
  }
  return answer;
}

absl::Status Run(const std::string& bundle, const std::string& router,
                 const std::string& request, const std::string& answer_path) {
  absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Create(
      {.device = "cpu",
       .router = router == "graph" ? RouterKind::kGraph : RouterKind::kNative});
  if (!engine.ok()) return engine.status();
  absl::StatusOr<std::shared_ptr<const Model>> model =
      (*engine)->Load(bundle, {});
  if (!model.ok()) return model.status();

  const absl::StatusOr<FileBytes> file = FileBytes::Read(request);
  if (!file.ok()) return file.status();
  const auto tensors = Safetensors::Parse(file->bytes(), request);
  if (!tensors.ok()) return tensors.status();
  const std::vector<uint64_t> shape = tensors->tensors().at("x").shape;
  const auto x = tensors->Read<float>("x", shape);
  if (!x.ok()) return x.status();

  const absl::StatusOr<Answer> answer = Serve(**model, *x, shape[0]);
  if (!answer.ok()) return answer.status();
  const size_t num_classes = (*model)->manifest().num_classes();
  const routing::MatrixView logits = {answer->logits.data(), shape[0],
                                      num_classes};
  std::vector<float> probabilities(answer->logits.size());
  absl::Status status = routing::SoftmaxRows(logits, probabilities);
  if (!status.ok()) return status;

  SafetensorsWriter writer;
  writer.Add<double>("distances", {answer->distances.size()},
                     answer->distances);
  writer.Add<double>("weights", {answer->routing.weights.size()},
                     answer->routing.weights);
  writer.Add<float>("logits", {shape[0], num_classes}, answer->logits);
  writer.Add<float>("probabilities", {shape[0], num_classes}, probabilities);
  std::ofstream(answer_path, std::ios::binary) << writer.Serialize();
  return absl::OkStatus();
}

}  // namespace
}  // namespace ladder::model_store

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: serve_group BUNDLE native|graph REQUEST ANSWER\n";
    return 2;
  }
  const absl::Status status =
      ladder::model_store::Run(argv[1], argv[2], argv[3], argv[4]);
  if (!status.ok()) {
    std::cerr << "serve_group: " << status << '\n';
    return EXIT_FAILURE;
  }
}
