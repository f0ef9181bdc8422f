#include "trainer/network/resnet.h"

#include <array>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "trainer/network/layer_export.h"

namespace ladder::trainer {
namespace {

constexpr int64_t kStemWidth = 64;
constexpr PoolWindow kStemPool = {.size = 3, .stride = 2, .padding = 1};

struct StageLayout {
  ResidualBlock::Kind kind;
  std::array<int, 4> num_blocks;  // Of each stage.
};

StageLayout LayoutOf(ResNet::Depth depth) {
  if (depth == ResNet::Depth::k18) {
    return {ResidualBlock::Kind::kBasic, {2, 2, 2, 2}};
  }
  return {ResidualBlock::Kind::kBottleneck, {3, 4, 6, 3}};
}

}  // namespace

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
