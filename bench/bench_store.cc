#include "bench/bench_store.h"

#include <stdlib.h>

#include <cmath>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "bench/measure.h"
#include "model_store/format/bundle.h"
#include "model_store/graphs/bundle_graphs.h"
#include "model_store/graphs/graph_builder.h"
#include "model_store/graphs/graph_ops.h"
#include "onnx/defs/attr_proto_util.h"
#include "routing/linear_heads.h"

namespace ladder::bench {
namespace {

using model_store::GraphBuilder;
using model_store::GraphValue;

class Random {
 public:
  std::vector<float> Normal(size_t size, double deviation) {
    std::normal_distribution<float> normal(0, static_cast<float>(deviation));
    std::vector<float> values(size);
    for (float& value : values) value = normal(engine_);
    return values;
  }

 private:
  std::mt19937 engine_{7};
};

// ResNet-50 with batch norms folded into the convolutions, as ONNX Runtime
// would fold them.
class ResNet50 {
 public:
  ResNet50(GraphBuilder& graph, Random& random)
      : graph_(graph), random_(random) {}

  // The 2048 pooled features of images [n, 3, size, size].
  GraphValue Features(GraphValue x) {
    x = Relu(Convolution(x, 3, 64, /*kernel=*/7, /*stride=*/2));
    x = graph_.Node("MaxPool", {x},
                    {onnx::MakeAttribute("kernel_shape", Ints{3, 3}),
                     onnx::MakeAttribute("strides", Ints{2, 2}),
                     onnx::MakeAttribute("pads", Ints{1, 1, 1, 1})});
    int64_t channels = 64;
    const std::pair<int, int64_t> stages[] = {
        {3, 64}, {4, 128}, {6, 256}, {3, 512}};
    for (const auto& [num_blocks, width] : stages) {
      for (int block = 0; block < num_blocks; ++block) {
        const int64_t stride = block == 0 && width != 64 ? 2 : 1;
        x = Bottleneck(x, channels, width, stride);
        channels = 4 * width;
      }
    }
    return Reshape(graph_.Node("GlobalAveragePool", {x}), {0, channels});
  }

  GraphValue Project(const GraphValue& x, int64_t inputs, int64_t outputs) {
    return Linear(
        x, Weights({outputs, inputs}, inputs),
        graph_.Floats({outputs}, random_.Normal(outputs, /*deviation=*/0.1)));
  }

 private:
  using Ints = std::vector<int64_t>;

  GraphValue Weights(Ints shape, int64_t fan_in) {
    size_t size = 1;
    for (const int64_t dimension : shape) size *= dimension;
    const auto values =
        random_.Normal(size, std::sqrt(2.0 / static_cast<double>(fan_in)));
    return graph_.Floats(std::move(shape), values);
  }

  GraphValue Convolution(const GraphValue& x, int64_t inputs, int64_t outputs,
                         int64_t kernel, int64_t stride) {
    const int64_t pad = kernel / 2;
    return graph_.Node(
        "Conv",
        {x,
         Weights({outputs, inputs, kernel, kernel}, inputs * kernel * kernel),
         graph_.Floats({outputs}, random_.Normal(outputs, 0.1))},
        {onnx::MakeAttribute("kernel_shape", Ints{kernel, kernel}),
         onnx::MakeAttribute("strides", Ints{stride, stride}),
         onnx::MakeAttribute("pads", Ints{pad, pad, pad, pad})});
  }

  GraphValue Relu(const GraphValue& x) { return graph_.Node("Relu", {x}); }

  GraphValue Bottleneck(const GraphValue& x, int64_t inputs, int64_t width,
                        int64_t stride) {
    const int64_t outputs = 4 * width;
    GraphValue y = Relu(Convolution(x, inputs, width, 1, 1));
    y = Relu(Convolution(y, width, width, 3, stride));
    y = Convolution(y, width, outputs, 1, 1);
    const GraphValue shortcut =
        inputs == outputs ? x : Convolution(x, inputs, outputs, 1, stride);
    // Halved, or sixteen blocks would double the variance sixteen times.
    return Relu(0.5 * (y + shortcut));
  }

  GraphBuilder& graph_;
  Random& random_;
};

std::string EncoderGraph(const ResNet50Sizes& sizes, Random& random) {
  GraphBuilder graph("encoder");
  ResNet50 network(graph, random);
  const auto style = static_cast<int64_t>(sizes.style_dimension);
  const auto content = static_cast<int64_t>(sizes.content_dimension);
  const auto sources = static_cast<int64_t>(sizes.num_sources);
  const GraphValue x =
      graph.Input("x", {"n", 3, sizes.image_size, sizes.image_size});
  const GraphValue features = network.Features(x);
  const GraphValue z_s = network.Project(features, 2048, style);
  graph.Output("z_c", network.Project(features, 2048, content), {"n", content});
  graph.Output("z_s", z_s, {"n", style});
  graph.Output("gate", network.Project(z_s, style, sources), {"n", sources});
  return ValueOrDie(graph.Serialize());
}

model_store::SourceStyles Styles(const ResNet50Sizes& sizes, Random& random) {
  const size_t rows = sizes.fingerprint_samples;
  const size_t cols = sizes.style_dimension;
  const std::vector<float> values =
      random.Normal(sizes.num_sources * rows * cols, /*deviation=*/1);
  std::vector<routing::MatrixView> clouds;
  for (size_t e = 0; e < sizes.num_sources; ++e) {
    clouds.push_back({values.data() + e * rows * cols, rows, cols});
  }
  return {ValueOrDie(routing::StyleNormalizer::Create(
              std::vector<float>(cols, 0), std::vector<float>(cols, 1))),
          ValueOrDie(routing::Fingerprints::Create(clouds, {}, {}))};
}

model_store::Manifest MakeManifest(const ResNet50Sizes& sizes) {
  model_store::Manifest manifest;
  manifest.model = "resnet50";
  manifest.created = absl::Now();
  manifest.trainer_version = "bench";
  for (size_t c = 0; c < sizes.num_classes; ++c) {
    manifest.classes.push_back(absl::StrCat("class ", c));
  }
  for (size_t e = 0; e < sizes.num_sources; ++e) {
    manifest.sources.push_back({absl::StrCat("source ", e),
                                sizes.fingerprint_samples,
                                sizes.fingerprint_samples});
  }
  manifest.content_dimension = sizes.content_dimension;
  manifest.style_dimension = sizes.style_dimension;
  manifest.input = model_store::ImageInput{.height = sizes.image_size,
                                           .width = sizes.image_size,
                                           .mean = {0.485F, 0.456F, 0.406F},
                                           .std = {0.229F, 0.224F, 0.225F}};
  return manifest;
}

model_store::BundleContents ResNet50Bundle(const ResNet50Sizes& sizes) {
  Random random;
  std::string encoder = EncoderGraph(sizes, random);
  const size_t num_biases = sizes.num_sources * sizes.num_classes;
  const std::vector<float> head_weights =
      random.Normal(num_biases * sizes.content_dimension, 0.05);
  const auto heads = ValueOrDie(routing::LinearHeads::Create(
      sizes.num_sources, sizes.num_classes, sizes.content_dimension,
      head_weights, random.Normal(num_biases, 0.1)));
  model_store::SourceStyles styles = Styles(sizes, random);
  std::string router = ValueOrDie(
      model_store::BuildRouterGraph(styles.fingerprints, styles.normalizer));
  return {MakeManifest(sizes), std::move(styles), std::move(encoder),
          ValueOrDie(model_store::BuildHeadsGraph(heads)), std::move(router)};
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string path = std::filesystem::temp_directory_path() / "ladder-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) std::abort();
  path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

BenchStore::BenchStore(const ResNet50Sizes& sizes, int num_versions) {
  for (int i = 0; i < num_versions; ++i) {
    bundle_ =
        ValueOrDie(model_store::WriteBundle(path(), ResNet50Bundle(sizes)));
  }
}

}  // namespace ladder::bench
