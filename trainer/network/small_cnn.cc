#include "trainer/network/small_cnn.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "trainer/network/layer_export.h"

namespace ladder::trainer {
namespace {

constexpr int64_t kWidths[] = {32, 64, 128};
constexpr PoolWindow kPool = {.size = 2, .stride = 2};

}  // namespace

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

}  // namespace ladder::trainer
