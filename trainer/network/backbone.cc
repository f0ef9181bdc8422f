#include "trainer/network/backbone.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model_store/graphs/graph_ops.h"
#include "trainer/network/layers.h"
#include "trainer/network/torch_status.h"

namespace ladder::trainer {

// A block of a ResNet as torchvision has it, by its names (conv1, bn1, ...,
// downsample.0, downsample.1): relu(convolutions(x) + x), where x goes through
// a convolution of its own if its size changes.
class ResidualBlock : public torch::nn::Module {
 public:
  enum class Kind {
    kBasic,       // Two 3x3 convolutions, the stride in the first.
    kBottleneck,  // 1x1, 3x3 with the stride (version 1.5), 1x1.
  };

  // `width` is the number of channels of the 3x3 convolutions.
  ResidualBlock(Kind kind, int64_t num_inputs, int64_t width, int64_t stride);

  // The channels that come out.
  static int64_t NumOutputs(Kind kind, int64_t width);

  torch::Tensor Forward(const torch::Tensor& x);
  model_store::GraphValue Export(const model_store::GraphValue& x) const;

 private:
  std::vector<ConvNorm> convs_;
  std::optional<ConvNorm> downsample_;
};

namespace {

constexpr int64_t kBottleneckExpansion = 4;

std::vector<ConvOptions> Convolutions(ResidualBlock::Kind kind,
                                      int64_t num_inputs, int64_t width,
                                      int64_t stride) {
  if (kind == ResidualBlock::Kind::kBasic) {
    return {{.num_inputs = num_inputs, .num_outputs = width, .stride = stride},
            {.num_inputs = width, .num_outputs = width}};
  }
  return {{.num_inputs = num_inputs, .num_outputs = width, .kernel = 1},
          {.num_inputs = width, .num_outputs = width, .stride = stride},
          {.num_inputs = width,
           .num_outputs = kBottleneckExpansion * width,
           .kernel = 1}};
}

constexpr int64_t kStemWidth = 64;
constexpr PoolWindow kStemPool = {.size = 3, .stride = 2, .padding = 1};

struct StageLayout {
  ResidualBlock::Kind kind;
  std::array<int, 4> num_blocks;  // One number for each stage.
};

StageLayout LayoutOf(ResNet::Depth depth) {
  if (depth == ResNet::Depth::k18) {
    return {ResidualBlock::Kind::kBasic, {2, 2, 2, 2}};
  }
  return {ResidualBlock::Kind::kBottleneck, {3, 4, 6, 3}};
}

using Shape = std::vector<int64_t>;

bool IsPictureLike(const Shape& shape, int64_t smallest_side) {
  return shape.size() == 3 && shape[0] >= 1 && shape[1] >= smallest_side &&
         shape[2] >= smallest_side;
}

bool SuitsResNet(const model_store::InputSpec& /*input*/, const Shape& shape) {
  return IsPictureLike(shape, ResNet::kSmallestSide) &&
         shape[0] == ResNet::kNumChannels;
}

bool SuitsSmallCnn(const model_store::InputSpec& /*input*/,
                   const Shape& shape) {
  return IsPictureLike(shape, SmallCnn::kSmallestSide);
}

bool SuitsMlp(const model_store::InputSpec& input, const Shape& shape) {
  return std::holds_alternative<model_store::TensorInput>(input) &&
         !shape.empty() &&
         std::all_of(shape.begin(), shape.end(),
                     [](int64_t size) { return size >= 1; });
}

struct Kind {
  absl::string_view name;
  bool (*suits)(const model_store::InputSpec&, const Shape&);
  std::string suitable;  // What messages say of it.
  std::function<std::shared_ptr<Backbone>(const Shape&)> make;
};

Kind ResNetKind(absl::string_view name, ResNet::Depth depth) {
  return {.name = name,
          .suits = SuitsResNet,
          .suitable = absl::StrCat("samples of shape [", ResNet::kNumChannels,
                                   ", h, w] with h and w at least ",
                                   ResNet::kSmallestSide),
          .make = [depth](const Shape&) {
            return std::make_shared<ResNet>(depth);
          }};
}

Kind SmallCnnKind() {
  return {.name = "small-cnn",
          .suits = SuitsSmallCnn,
          .suitable =
              absl::StrCat("samples of shape [c, h, w] with h and w at least ",
                           SmallCnn::kSmallestSide),
          .make = [](const Shape& shape) {
            return std::make_shared<SmallCnn>(shape[0]);
          }};
}

Kind MlpKind() {
  return {.name = "mlp",
          .suits = SuitsMlp,
          .suitable = "tensors, not pictures, of at least one element",
          .make = [](const Shape& shape) {
            return std::make_shared<Mlp>(std::accumulate(
                shape.begin(), shape.end(), int64_t{1}, std::multiplies<>()));
          }};
}

std::vector<Kind> Kinds() {
  return {ResNetKind("resnet50", ResNet::Depth::k50),
          ResNetKind("resnet18", ResNet::Depth::k18), SmallCnnKind(),
          MlpKind()};
}

absl::string_view InputKind(const model_store::InputSpec& input) {
  return std::holds_alternative<model_store::ImageInput>(input) ? "pictures"
                                                                : "tensors";
}

constexpr int64_t kWidths[] = {32, 64, 128};
constexpr PoolWindow kPool = {.size = 2, .stride = 2};

}  // namespace

int64_t ResidualBlock::NumOutputs(Kind kind, int64_t width) {
  return kind == Kind::kBasic ? width : kBottleneckExpansion * width;
}

ResidualBlock::ResidualBlock(Kind kind, int64_t num_inputs, int64_t width,
                             int64_t stride) {
  for (const ConvOptions& options :
       Convolutions(kind, num_inputs, width, stride)) {
    const size_t number = convs_.size() + 1;
    convs_.emplace_back(options, *this, absl::StrCat("conv", number),
                        absl::StrCat("bn", number));
  }
  const int64_t num_outputs = NumOutputs(kind, width);
  if (stride != 1 || num_inputs != num_outputs) {
    const auto owner =
        register_module("downsample", std::make_shared<torch::nn::Module>());
    downsample_.emplace(ConvOptions{.num_inputs = num_inputs,
                                    .num_outputs = num_outputs,
                                    .kernel = 1,
                                    .stride = stride},
                        *owner, "0", "1");
  }
}

torch::Tensor ResidualBlock::Forward(const torch::Tensor& x) {
  torch::Tensor sum = convs_.front().Forward(x);
  for (size_t i = 1; i < convs_.size(); ++i) {
    sum = convs_[i].Forward(sum.relu_());
  }
  sum += downsample_.has_value() ? downsample_->Forward(x) : x;
  return sum.relu_();
}

model_store::GraphValue ResidualBlock::Export(
    const model_store::GraphValue& x) const {
  model_store::GraphValue sum = convs_.front().Export(x);
  for (size_t i = 1; i < convs_.size(); ++i) {
    sum = convs_[i].Export(ExportRelu(sum));
  }
  return ExportRelu(sum +
                    (downsample_.has_value() ? downsample_->Export(x) : x));
}

ResNet::ResNet(Depth depth)
    : stem_({.num_inputs = kNumChannels,
             .num_outputs = kStemWidth,
             .kernel = 7,
             .stride = 2},
            *this, "conv1", "bn1"),
      num_features_(kStemWidth) {
  const StageLayout layout = LayoutOf(depth);
  for (size_t stage = 0; stage < layout.num_blocks.size(); ++stage) {
    const auto owner = register_module(absl::StrCat("layer", stage + 1),
                                       std::make_shared<torch::nn::Module>());
    const int64_t width = kStemWidth << stage;
    for (int i = 0; i < layout.num_blocks[stage]; ++i) {
      // The first block of a stage halves the size, except behind the pooling.
      const int64_t stride = i == 0 && stage > 0 ? 2 : 1;
      blocks_.push_back(owner->register_module(
          absl::StrCat(i), std::make_shared<ResidualBlock>(
                               layout.kind, num_features_, width, stride)));
      num_features_ = ResidualBlock::NumOutputs(layout.kind, width);
    }
  }
}

torch::Tensor ResNet::Forward(const torch::Tensor& x) {
  torch::Tensor features =
      torch::max_pool2d(stem_.Forward(InFastLayout(x)).relu_(), kStemPool.size,
                        kStemPool.stride, kStemPool.padding);
  for (const auto& block : blocks_) features = block->Forward(features);
  return features.mean({2, 3});
}

model_store::GraphValue ResNet::Export(const model_store::GraphValue& x) const {
  model_store::GraphValue features =
      ExportMaxPool(kStemPool, ExportRelu(stem_.Export(x)));
  for (const auto& block : blocks_) features = block->Export(features);
  return ExportGlobalAverage(features);
}

absl::StatusOr<std::shared_ptr<Backbone>> MakeBackbone(
    absl::string_view name, const model_store::InputSpec& input) {
  const std::vector<Kind> kinds = Kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(),
                   [name](const Kind& known) { return known.name == name; });
  if (kind == kinds.end()) {
    const auto append_name = [](std::string* out, const Kind& known) {
      absl::StrAppend(out, known.name);
    };
    return absl::InvalidArgumentError(absl::StrCat(
        "backbone: expected one of ", absl::StrJoin(kinds, ", ", append_name),
        ", got \"", name, "\""));
  }
  const Shape shape = model_store::SampleShape(input);
  if (!kind->suits(input, shape)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "backbone ", name, ": expected ", kind->suitable, ", got ",
        InputKind(input), " of shape [", absl::StrJoin(shape, ", "), "]"));
  }
  return CatchTorchErrors<std::shared_ptr<Backbone>>(
      [&] { return kind->make(shape); });
}

SmallCnn::SmallCnn(int64_t num_channels) {
  int64_t num_inputs = num_channels;
  for (const int64_t width : kWidths) {
    const size_t number = convs_.size() + 1;
    convs_.emplace_back(
        ConvOptions{.num_inputs = num_inputs, .num_outputs = width}, *this,
        absl::StrCat("conv", number), absl::StrCat("bn", number));
    num_inputs = width;
  }
}

int64_t SmallCnn::num_features() const { return std::end(kWidths)[-1]; }

// The rectifier commutes with the pooling, behind which it has a quarter of the
// work.
torch::Tensor SmallCnn::Forward(const torch::Tensor& x) {
  torch::Tensor features = InFastLayout(x);
  for (ConvNorm& conv : convs_) {
    features =
        torch::max_pool2d(conv.Forward(features), kPool.size, kPool.stride)
            .relu_();
  }
  return features.mean({2, 3});
}

model_store::GraphValue SmallCnn::Export(
    const model_store::GraphValue& x) const {
  model_store::GraphValue features = x;
  for (const ConvNorm& conv : convs_) {
    features = ExportRelu(ExportMaxPool(kPool, conv.Export(features)));
  }
  return ExportGlobalAverage(features);
}

Mlp::Mlp(int64_t num_inputs)
    : norm_(num_inputs),
      hidden1_(num_inputs, kWidth),
      hidden2_(kWidth, kWidth) {
  register_module("norm", norm_);
  register_module("hidden1", hidden1_);
  register_module("hidden2", hidden2_);
}

torch::Tensor Mlp::Forward(const torch::Tensor& x) {
  const torch::Tensor inputs = norm_->forward(x.flatten(1));
  return hidden2_->forward(hidden1_->forward(inputs).relu_()).relu_();
}

model_store::GraphValue Mlp::Export(const model_store::GraphValue& x) const {
  const auto hidden =
      ExportRelu(ExportLinear(norm_, hidden1_, ExportFlatten(x)));
  return ExportRelu(ExportLinear(hidden2_, hidden));
}

}  // namespace ladder::trainer
