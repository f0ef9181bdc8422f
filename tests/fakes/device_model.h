#ifndef LADDER_TESTS_FAKES_DEVICE_MODEL_H_
#define LADDER_TESTS_FAKES_DEVICE_MODEL_H_

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/fakes/fake_model.h"

namespace ladder::model_store {

inline Tensor MakeTensor(std::vector<float> values, size_t num_rows,
                         Tensor::Place place) {
  const size_t cols = values.size() / num_rows;
  const auto owner = std::make_shared<std::vector<float>>(std::move(values));
  return Tensor(owner, owner->data(), num_rows, cols, place);
}

// Names the tests of suites that run once for each place.
inline const char* PlaceName(
    const ::testing::TestParamInfo<Tensor::Place>& place) {
  return place.param == Tensor::Place::kHost ? "Host" : "Device";
}

// A model that claims to work on a device, whose memory tests can read.
class DeviceModel final : public FakeModel {
 public:
  DeviceModel() : FakeModel(TwoSources(), "sha") {}

  absl::StatusOr<Tensor> SelectRows(const Tensor& first, const Tensor& second,
                                    std::span<const int64_t> rows,
                                    std::stop_token stop) const override {
    const Tensor host =
        FakeModel::SelectRows(first, second, rows, std::move(stop)).value();
    const auto values = host.view().Values();
    return MakeTensor({values.begin(), values.end()}, host.rows(),
                      Tensor::Place::kDevice);
  }

 private:
  static Manifest TwoSources() {
    Manifest manifest;
    manifest.classes = {"cat", "dog"};
    manifest.sources = {{.name = "north"}, {.name = "south"}};
    manifest.style_dimension = 1;
    manifest.content_dimension = 2;
    return manifest;
  }
};

}  // namespace ladder::model_store

#endif  // LADDER_TESTS_FAKES_DEVICE_MODEL_H_
