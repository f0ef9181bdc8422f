#include "model_store/engine/onnx_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "routing/check_matrix.h"
#include "routing/sinkhorn_distance.h"

namespace ladder::model_store {
namespace {

size_t Product(std::span<const int64_t> shape) {
  return static_cast<size_t>(std::accumulate(shape.begin(), shape.end(),
                                             int64_t{1}, std::multiplies<>()));
}

// How far router.onnx may be off before it is taken for another distance: ten
// times what the format promises, and on CUDA, where products may be in
// TensorFloat-32, ten times what that does. Differences below the last do not
// matter, and coinciding points make some.
constexpr double kHostRouterTolerance = 1e-4;
constexpr double kCudaRouterTolerance = 1e-2;
constexpr double kSmallDistance = 1e-3;

// Host memory of the arena.
class Scratch {
 public:
  static absl::StatusOr<Scratch> Create(HostArena& arena, size_t num_floats) {
    const size_t size = num_floats * sizeof(float);
    auto* data = static_cast<float*>(arena.Allocate(size));
    if (data == nullptr) {
      return absl::ResourceExhaustedError(arena.Shortage(size));
    }
    return Scratch(arena, data);
  }

  float* data() const { return data_.get(); }

 private:
  struct Free {
    HostArena* arena;
    void operator()(float* data) const { arena->Free(data); }
  };

  Scratch(HostArena& arena, float* data) : data_(data, Free{&arena}) {}

  std::unique_ptr<float, Free> data_;
};

GraphInput HostMatrix(const char* name, const routing::MatrixView& matrix) {
  return GraphInput::Floats(
      name, matrix.data,
      {static_cast<int64_t>(matrix.rows), static_cast<int64_t>(matrix.cols)},
      Tensor::Place::kHost);
}

bool UsesRouterGraph(const Runtime& runtime) {
  switch (runtime.options().router) {
    case RouterKind::kNative:
      return false;
    case RouterKind::kGraph:
      return true;
    case RouterKind::kAuto:
      break;
  }
  return runtime.device().kind == Device::Kind::kCuda;
}

// Copies `x` and repeats its last sample until there are `num_rows`: padding
// like the rest, so that nothing in it is out of the ordinary, such as the norm
// of a sample of zeros.
void CopyPadded(std::span<const float> x, size_t sample_size, size_t num_rows,
                float* padded) {
  float* end = std::copy(x.begin(), x.end(), padded);
  for (size_t row = x.size() / sample_size; row < num_rows; ++row) {
    end = std::copy_n(end - sample_size, sample_size, end);
  }
}

}  // namespace

absl::StatusOr<ModelHandle> OnnxModel::Load(
    std::shared_ptr<const Runtime> runtime,
    std::shared_ptr<const RowSelector> row_selector, const BundleFiles& files,
    const routing::Execution& execution) {
  const std::shared_ptr<OnnxModel> model(
      new OnnxModel(std::move(runtime), std::move(row_selector), files));
  // Checksums come first: a damaged file is the simpler explanation of graphs
  // that do not run.
  const std::function<absl::Status()> parts[] = {
      [&] { return CheckDigests(files, execution); },
      [&] { return model->LoadEncoder(files, execution.stop); },
      [&] { return model->LoadHeads(files, execution.stop); },
      [&] { return model->LoadRouter(files, execution.stop); },
      [&] { return model->LoadStyles(files); }};
  LADDER_RETURN_IF_ERROR(execution.RunAll(parts));
  LADDER_RETURN_IF_ERROR(model->CompareRouters(execution));
  if (!UsesRouterGraph(*model->runtime_)) model->router_graph_.reset();
  model->runtime_->AfterLoad();
  return model;
}

OnnxModel::OnnxModel(std::shared_ptr<const Runtime> runtime,
                     std::shared_ptr<const RowSelector> row_selector,
                     const BundleFiles& files)
    : runtime_(std::move(runtime)),
      row_selector_(std::move(row_selector)),
      manifest_(files.manifest),
      sha256_(files.sha256),
      sample_shape_(SampleShape(manifest_.input)),
      sample_size_(Product(sample_shape_)) {}

OnnxModel::~OnnxModel() {
  encoder_.reset();
  heads_.reset();
  router_graph_.reset();
  runtime_->AfterUnload();
}

absl::Status OnnxModel::LoadEncoder(const BundleFiles& files,
                                    std::stop_token stop) {
  LADDER_RETURN_IF_ERROR(CheckEncoder(files));
  LADDER_ASSIGN_OR_RETURN(
      encoder_, GraphSession::Create(runtime_, files.encoder.bytes(),
                                     kEncoderFile, GraphRole::kEncoder));
  const std::vector<float> x(max_batch() * sample_size_);
  for (const size_t rows : runtime_->options().batch_sizes) {
    const GraphInput input = EncoderInput(x.data(), rows);
    LADDER_RETURN_IF_ERROR(
        encoder_->Warm({&input, 1}, EncoderOutputs(rows), stop));
  }
  return absl::OkStatus();
}

absl::Status OnnxModel::LoadHeads(const BundleFiles& files,
                                  std::stop_token stop) {
  LADDER_RETURN_IF_ERROR(CheckHeads(files));
  LADDER_ASSIGN_OR_RETURN(
      heads_, GraphSession::Create(runtime_, files.heads.bytes(), kHeadsFile,
                                   GraphRole::kHeads));
  const size_t rows = max_batch();
  const std::vector<float> z_c(rows * manifest_.content_dimension);
  const std::vector<float> weights(rows * manifest_.num_sources());
  const GraphOutput output = HeadsOutput(rows);
  // One row of weights, and one for each sample: they take different ways.
  for (const size_t weight_rows : {size_t{1}, rows}) {
    const GraphInput inputs[] = {
        HostMatrix("z_c", {z_c.data(), rows, manifest_.content_dimension}),
        HostMatrix("weights",
                   {weights.data(), weight_rows, manifest_.num_sources()})};
    LADDER_RETURN_IF_ERROR(heads_->Warm(inputs, {&output, 1}, stop));
  }
  return absl::OkStatus();
}

absl::Status OnnxModel::LoadRouter(const BundleFiles& files,
                                   std::stop_token stop) {
  LADDER_RETURN_IF_ERROR(CheckRouter(files));
  LADDER_ASSIGN_OR_RETURN(
      router_graph_, GraphSession::Create(runtime_, files.router.bytes(),
                                          kRouterFile, GraphRole::kRouter));
  if (!UsesRouterGraph(*runtime_)) return absl::OkStatus();  // Compared only.
  const std::vector<float> z_s(manifest_.style_dimension);
  const GraphInput input =
      HostMatrix("z_s", {z_s.data(), 1, manifest_.style_dimension});
  const GraphOutput output = RouterOutput();
  return router_graph_->Warm({&input, 1}, {&output, 1}, stop);
}

absl::Status OnnxModel::LoadStyles(const BundleFiles& files) {
  LADDER_ASSIGN_OR_RETURN(SourceStyles styles, ReadStyles(files));
  LADDER_ASSIGN_OR_RETURN(
      routing::Router router,
      routing::Router::Create(std::make_shared<routing::SinkhornDistance>(
                                  std::move(styles.fingerprints)),
                              manifest_.coverage));
  normalizer_ = std::move(styles.normalizer);
  router_ = std::move(router);
  return absl::OkStatus();
}

absl::Status OnnxModel::CompareRouters(
    const routing::Execution& execution) const {
  // Where the sources are, and so that the rows differ.
  constexpr size_t kRows = 3;
  const size_t cols = manifest_.style_dimension;
  std::vector<float> values(kRows * cols);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto step = static_cast<float>((i / cols + i % cols) % kRows);
    values[i] = normalizer_->mean()[i % cols] +
                2 * (step - 1) * normalizer_->std()[i % cols];
  }
  std::vector<float> normalized(values.size());
  LADDER_RETURN_IF_ERROR(
      normalizer_->Apply({values.data(), kRows, cols}, normalized));
  LADDER_ASSIGN_OR_RETURN(
      const std::vector<double> expected,
      router_->Distances({normalized.data(), kRows, cols}, execution));
  LADDER_ASSIGN_OR_RETURN(
      const std::vector<double> found,
      GraphDistances(Tensor::OnHost(std::move(values), kRows, cols),
                     execution.stop));
  const bool on_cuda = runtime_->device().kind == Device::Kind::kCuda;
  const double tolerance =
      on_cuda ? kCudaRouterTolerance : kHostRouterTolerance;
  for (size_t e = 0; e < expected.size(); ++e) {
    if (std::abs(found[e] - expected[e]) >
        std::max(tolerance * std::abs(expected[e]), kSmallDistance)) {
      return absl::InvalidArgumentError(absl::StrCat(
          kRouterFile, ": distances[", e, "] of a sample: expected ",
          expected[e], ", as ", kFingerprintsFile, " gives, found ", found[e]));
    }
  }
  return absl::OkStatus();
}

GraphInput OnnxModel::EncoderInput(const float* x, size_t num_rows) const {
  GraphInput::Shape shape = {static_cast<int64_t>(num_rows)};
  shape.insert(shape.end(), sample_shape_.begin(), sample_shape_.end());
  return GraphInput::Floats("x", x, std::move(shape), Tensor::Place::kHost);
}

std::vector<GraphOutput> OnnxModel::EncoderOutputs(size_t num_rows) const {
  const Tensor::Place place = runtime_->device_place();
  return {{"z_c", place, num_rows, manifest_.content_dimension},
          {"z_s", place, num_rows, manifest_.style_dimension},
          {"gate", Tensor::Place::kHost, num_rows, manifest_.num_sources()}};
}

GraphOutput OnnxModel::HeadsOutput(size_t num_rows) const {
  return {"logits", Tensor::Place::kHost, num_rows, manifest_.num_classes()};
}

GraphOutput OnnxModel::RouterOutput() const {
  return {"distances", Tensor::Place::kHost, GraphOutput::kVector,
          manifest_.num_sources()};
}

absl::StatusOr<Encoding> OnnxModel::Encode(std::span<const float> x,
                                           size_t num_rows,
                                           std::stop_token stop) const {
  const std::vector<size_t>& sizes = runtime_->options().batch_sizes;
  const auto size = std::lower_bound(sizes.begin(), sizes.end(), num_rows);
  if (num_rows == 0 || size == sizes.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "num_rows: expected 1 to ", max_batch(), ", got ", num_rows));
  }
  if (x.size() != num_rows * sample_size_) {
    return absl::InvalidArgumentError(
        absl::StrCat("x: expected ", num_rows, " samples of ", sample_size_,
                     " values each, got ", x.size(), " values"));
  }
  const float* batch = x.data();
  std::optional<Scratch> padded;
  if (*size != num_rows) {
    LADDER_ASSIGN_OR_RETURN(
        padded, Scratch::Create(runtime_->arena(), *size * sample_size_));
    CopyPadded(x, sample_size_, *size, padded->data());
    batch = padded->data();
  }
  const GraphInput input = EncoderInput(batch, *size);
  LADDER_ASSIGN_OR_RETURN(
      std::vector<Tensor> outputs,
      encoder_->Run({&input, 1}, EncoderOutputs(*size), stop));
  return Encoding{.z_c = outputs[0].Rows(0, num_rows),
                  .z_s = outputs[1].Rows(0, num_rows),
                  .gate = outputs[2].Rows(0, num_rows)};
}

absl::StatusOr<Tensor> OnnxModel::SelectRows(const Tensor& first,
                                             const Tensor& second,
                                             std::span<const int64_t> rows,
                                             std::stop_token stop) const {
  absl::Status status = CheckPlace("first", first);
  status.Update(CheckPlace("second", second));
  if (!status.ok()) return status;
  return row_selector_->Select(first, second, rows, runtime_->device_place(),
                               stop);
}

absl::StatusOr<Tensor> OnnxModel::ToHost(const Tensor& tensor,
                                         std::stop_token stop) const {
  if (tensor.place() == Tensor::Place::kHost) return tensor;
  std::vector<int64_t> all(tensor.rows());
  std::iota(all.begin(), all.end(), int64_t{0});
  return row_selector_->Select({}, tensor, all, Tensor::Place::kHost, stop);
}

absl::StatusOr<MeasuredStyle> OnnxModel::StyleDistances(
    const Tensor& z_s, const routing::Execution& execution) const {
  LADDER_RETURN_IF_ERROR(CheckTensor("z_s", z_s, manifest_.style_dimension));
  LADDER_ASSIGN_OR_RETURN(const Tensor host, ToHost(z_s, execution.stop));
  std::vector<float> values(host.rows() * host.cols());
  LADDER_RETURN_IF_ERROR(normalizer_->Apply(host.view(), values));
  MeasuredStyle style = {.normalized = Tensor::OnHost(
                             std::move(values), host.rows(), host.cols())};
  if (router_graph_ == nullptr) {
    LADDER_ASSIGN_OR_RETURN(
        style.distances,
        router_->Distances(style.normalized.view(), execution));
  } else {
    LADDER_RETURN_IF_ERROR(
        routing::CheckMatrix(host.view(), "z_s", manifest_.style_dimension));
    LADDER_ASSIGN_OR_RETURN(style.distances,
                            GraphDistances(z_s, execution.stop));
  }
  return style;
}

absl::StatusOr<std::vector<double>> OnnxModel::GraphDistances(
    const Tensor& z_s, std::stop_token stop) const {
  const GraphInput input = GraphInput::Matrix("z_s", z_s);
  const GraphOutput output = RouterOutput();
  LADDER_ASSIGN_OR_RETURN(std::vector<Tensor> outputs,
                          router_graph_->Run({&input, 1}, {&output, 1}, stop));
  const std::span<const float> distances = outputs.front().view().Values();
  for (size_t e = 0; e < distances.size(); ++e) {
    if (!std::isfinite(distances[e])) {
      return absl::InternalError(
          absl::StrCat(kRouterFile, ": distances[", e,
                       "]: expected a finite value, found ", distances[e]));
    }
  }
  return std::vector<double>(distances.begin(), distances.end());
}

absl::StatusOr<Tensor> OnnxModel::Logits(const Tensor& z_c,
                                         const routing::MatrixView& weights,
                                         std::stop_token stop) const {
  LADDER_RETURN_IF_ERROR(CheckTensor("z_c", z_c, manifest_.content_dimension));
  if (weights.cols != manifest_.num_sources() ||
      (weights.rows != 1 && weights.rows != z_c.rows())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "weights: expected 1 or ", z_c.rows(), " rows of ",
        manifest_.num_sources(), ", got ", weights.rows, " of ", weights.cols));
  }
  const GraphInput inputs[] = {GraphInput::Matrix("z_c", z_c),
                               HostMatrix("weights", weights)};
  const GraphOutput output = HeadsOutput(z_c.rows());
  LADDER_ASSIGN_OR_RETURN(std::vector<Tensor> outputs,
                          heads_->Run(inputs, {&output, 1}, stop));
  return std::move(outputs.front());
}

absl::Status OnnxModel::CheckTensor(absl::string_view name,
                                    const Tensor& tensor, size_t cols) const {
  if (tensor.rows() == 0 || tensor.cols() != cols) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": expected rows of ", cols, " values, got ",
                     tensor.rows(), " of ", tensor.cols()));
  }
  return CheckPlace(name, tensor);
}

absl::Status OnnxModel::CheckPlace(absl::string_view name,
                                   const Tensor& tensor) const {
  if (tensor.place() == Tensor::Place::kHost ||
      tensor.place() == runtime_->device_place()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected a tensor on ", runtime_->device().Name(),
                   ", got one on another engine's device"));
}

}  // namespace ladder::model_store
