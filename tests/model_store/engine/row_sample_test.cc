#include "model_store/engine/row_sample.h"

#include <algorithm>
#include <memory>
#include <stop_token>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/engine/engine.h"
#include "model_store/format/bundle.h"
#include "routing/style_sample.h"
#include "tests/model_store/tiny_bundle.h"
#include "tests/temporary_directory.h"

namespace ladder::model_store {
namespace {

using ::testing::ElementsAreArray;

constexpr size_t kMaxStyleSamples = 16;

// A model whose bundle keeps few style vectors, so that a short stream
// overflows its sample.
class RowSampleTest : public ::testing::Test {
 protected:
  RowSampleTest() {
    BundleContents contents = TinyBundle();
    contents.manifest.routing.max_style_samples = kMaxStyleSamples;
    contents.manifest.routing.seed = 5;
    const auto bundle = WriteBundle(store_.path(), std::move(contents));
    engine_ = Engine::Create({.device = "cpu"}).value();
    model_ = engine_->Load(bundle.value(), {}).value();
  }

  // `num_rows` style vectors, all different.
  Tensor Style(size_t num_rows) {
    const size_t cols = model_->manifest().style_dimension;
    auto values = std::make_shared<std::vector<float>>(num_rows * cols);
    for (float& value : *values) value = next_++;
    return Tensor(values, values->data(), num_rows, cols, Tensor::Place::kHost);
  }

  TemporaryDirectory store_;
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<const Model> model_;
  float next_ = 0;
};

TEST_F(RowSampleTest, HoldsTheRowsOfAStyleSampleHoweverTheStreamIsCut) {
  RowSample on_device = RowSample::OfStyle(*model_);
  const RoutingDefaults& defaults = model_->manifest().routing;
  routing::StyleSample on_host(model_->manifest().style_dimension,
                               defaults.max_style_samples, defaults.seed);

  for (const size_t num_rows : {3, 0, 9, 1, 20, 40, 7}) {
    const Tensor chunk = Style(num_rows);
    ASSERT_TRUE(on_device.Add(chunk, {}).ok());
    ASSERT_TRUE(on_host.Add(chunk.view()).ok());

    EXPECT_EQ(on_device.num_seen(), on_host.num_seen());
    EXPECT_THAT(on_device.rows().view().Values(),
                ElementsAreArray(on_host.rows().Values()));
  }
  EXPECT_EQ(on_device.rows().rows(), kMaxStyleSamples);
}

TEST_F(RowSampleTest, StaysAsItWasWhenAddingFails) {
  RowSample sample = RowSample::OfStyle(*model_);
  ASSERT_TRUE(sample.Add(Style(20), {}).ok());
  const std::span<const float> held = sample.rows().view().Values();
  const std::vector<float> before(held.begin(), held.end());
  std::stop_source stopped;
  stopped.request_stop();

  const absl::Status status = sample.Add(Style(500), stopped.get_token());

  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(sample.num_seen(), 20u);
  EXPECT_THAT(sample.rows().view().Values(), ElementsAreArray(before));
}

}  // namespace
}  // namespace ladder::model_store
