#include "tests/model_store/tiny_bundle.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model_store/graphs/bundle_graphs.h"
#include "onnx/onnx_pb.h"
#include "routing/linear_heads.h"
#include "routing/matrix_view.h"

namespace ladder::model_store {
namespace {

constexpr size_t kContentDimension = 5;
constexpr size_t kStyleDimension = 4;
constexpr size_t kCounts[] = {7, 5, 6};  // And again from the first.

class Normals {
 public:
  explicit Normals(uint64_t seed) : generator_(seed) {}

  std::vector<float> operator()(size_t count, double mean = 0) {
    std::vector<float> values(count);
    for (float& value : values) {
      value = static_cast<float>(mean + normal_(generator_));
    }
    return values;
  }

 private:
  std::mt19937_64 generator_;
  std::normal_distribution<double> normal_;
};

// A graph under construction; dimensions of -1 are dynamic.
class Graph {
 public:
  explicit Graph(const std::string& name) {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(17);
    model_.mutable_graph()->set_name(name);
  }

  void Input(const std::string& name, const std::vector<int64_t>& shape) {
    SetValue(name, shape, *model_.mutable_graph()->add_input());
  }
  void Output(const std::string& name, const std::vector<int64_t>& shape) {
    SetValue(name, shape, *model_.mutable_graph()->add_output());
  }
  void Constant(const std::string& name, const std::vector<int64_t>& shape,
                const std::vector<float>& values) {
    onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (const int64_t size : shape) tensor.add_dims(size);
    tensor.set_raw_data(values.data(), values.size() * sizeof(float));
  }
  void Node(const std::string& op, const std::vector<std::string>& inputs,
            const std::string& output) {
    onnx::NodeProto& node = *model_.mutable_graph()->add_node();
    node.set_op_type(op);
    node.set_name(output);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(output);
  }

  // output = input weight + bias, with new constants of random values.
  void Affine(const std::string& input, size_t num_inputs,
              const std::string& output, size_t num_outputs, Normals& normals) {
    const auto rows = static_cast<int64_t>(num_inputs);
    const auto cols = static_cast<int64_t>(num_outputs);
    const std::string weight = absl::StrCat(output, "_weight");
    const std::string bias = absl::StrCat(output, "_bias");
    const std::string product = absl::StrCat(output, "_product");
    Constant(weight, {rows, cols}, normals(num_inputs * num_outputs));
    Constant(bias, {cols}, normals(num_outputs));
    Node("MatMul", {input, weight}, product);
    Node("Add", {product, bias}, output);
  }

  std::string Serialize() const { return model_.SerializeAsString(); }

 private:
  static void SetValue(const std::string& name,
                       const std::vector<int64_t>& shape,
                       onnx::ValueInfoProto& value) {
    value.set_name(name);
    auto& type = *value.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    for (const int64_t size : shape) {
      auto& dimension = *type.mutable_shape()->add_dim();
      if (size < 0) {
        dimension.set_dim_param("n");
      } else {
        dimension.set_dim_value(size);
      }
    }
  }

  onnx::ModelProto model_;
};

std::string EncoderModel(const Manifest& manifest, Normals& normals) {
  const std::vector<int64_t> sample_shape = SampleShape(manifest.input);
  std::vector<int64_t> batch_shape = {-1};
  batch_shape.insert(batch_shape.end(), sample_shape.begin(),
                     sample_shape.end());
  const auto num_inputs = static_cast<size_t>(
      std::accumulate(sample_shape.begin(), sample_shape.end(), int64_t{1},
                      std::multiplies<>()));

  Graph graph("encoder");
  graph.Input("x", batch_shape);
  graph.Node("Flatten", {"x"}, "flat");
  const std::pair<std::string, size_t> outputs[] = {
      {"z_c", manifest.content_dimension},
      {"z_s", manifest.style_dimension},
      {"gate", manifest.num_sources()}};
  for (const auto& [name, size] : outputs) {
    graph.Affine("flat", num_inputs, name, size, normals);
    graph.Output(name, {-1, static_cast<int64_t>(size)});
  }
  return graph.Serialize();
}

SourceStyles Styles(const Manifest& manifest, Normals& normals) {
  std::vector<std::vector<float>> values;
  std::vector<routing::MatrixView> clouds;
  for (size_t e = 0; e < manifest.num_sources(); ++e) {
    const size_t count = manifest.sources[e].fingerprint_samples;
    values.push_back(
        normals(count * kStyleDimension, /*mean=*/static_cast<double>(e)));
    clouds.push_back({values.back().data(), count, kStyleDimension});
  }
  auto normalizer = routing::StyleNormalizer::Fit(clouds).value();
  for (size_t e = 0; e < clouds.size(); ++e) {
    normalizer.Apply(clouds[e], values[e]).IgnoreError();
  }
  auto fingerprints = routing::Fingerprints::Create(
      clouds, manifest.routing.sinkhorn, /*execution=*/{});
  return {.normalizer = std::move(normalizer),
          .fingerprints = std::move(fingerprints).value()};
}

// Distances at which the sources lie from each other, made up.
routing::CoverageCalibration Calibration(size_t num_sources) {
  routing::CoverageCalibration calibration;
  if (num_sources < 2) return calibration;
  for (const size_t sample_size : {4, 8}) {
    routing::CoverageCalibration::Level level{.sample_size = sample_size,
                                              .num_sources = num_sources};
    for (size_t q = 0; q < routing::CoverageCalibration::kNumQuantiles; ++q) {
      level.quantiles.push_back(0.1 * static_cast<double>(q + 8 / sample_size));
    }
    calibration.levels.push_back(std::move(level));
  }
  return calibration;
}

Manifest TinyManifest(const TinyBundleOptions& options) {
  Manifest manifest;
  manifest.model = options.model;
  manifest.version = options.version;
  manifest.created = absl::FromUnixSeconds(1'794'000'000);
  manifest.trainer_version = "0.1.0";
  manifest.trainer_config = R"({"epochs":2,"learning_rate":0.001})";
  manifest.classes = {"ant", "bee", "cat", "dog"};
  for (size_t e = 0; e < options.num_sources; ++e) {
    const size_t count = kCounts[e % std::size(kCounts)];
    manifest.sources.push_back({.name = absl::StrCat("source-", e),
                                .training_samples = 10 * count,
                                .fingerprint_samples = count});
  }
  manifest.content_dimension = kContentDimension;
  manifest.style_dimension = kStyleDimension;
  if (options.input == TinyBundleOptions::Input::kImage) {
    manifest.input = ImageInput{.height = 8,
                                .width = 8,
                                .mean = {0.485F, 0.456F, 0.406F},
                                .std = {0.229F, 0.224F, 0.225F}};
  } else {
    manifest.input = TensorInput{.shape = {6}};
  }
  manifest.routing.k = std::min<size_t>(2, options.num_sources);
  manifest.coverage = Calibration(options.num_sources);
  return manifest;
}

std::string HeadsModel(const Manifest& manifest, Normals& normals) {
  const size_t num_sources = manifest.num_sources();
  const size_t num_classes = manifest.num_classes();
  auto heads = routing::LinearHeads::Create(
      num_sources, num_classes, kContentDimension,
      normals(num_sources * num_classes * kContentDimension),
      normals(num_sources * num_classes));
  return BuildHeadsGraph(heads.value()).value();
}

}  // namespace

BundleContents TinyBundle(const TinyBundleOptions& options) {
  Normals normals(options.seed);
  Manifest manifest = TinyManifest(options);
  SourceStyles styles = Styles(manifest, normals);
  std::string encoder = EncoderModel(manifest, normals);
  std::string heads = HeadsModel(manifest, normals);
  std::string router =
      BuildRouterGraph(styles.fingerprints, styles.normalizer).value();
  return {.manifest = std::move(manifest),
          .styles = std::move(styles),
          .encoder = std::move(encoder),
          .heads = std::move(heads),
          .router = std::move(router)};
}

}  // namespace ladder::model_store
