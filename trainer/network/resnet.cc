#include "trainer/network/resnet.h"

#include <array>
#include <cstddef>
#include <optional>

#include "absl/strings/str_cat.h"
#include "model_store/graphs/graph_ops.h"
#include "trainer/network/layers.h"

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

}  // namespace ladder::trainer
