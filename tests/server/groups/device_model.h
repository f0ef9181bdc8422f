#ifndef LADDER_TESTS_SERVER_GROUPS_DEVICE_MODEL_H_
#define LADDER_TESTS_SERVER_GROUPS_DEVICE_MODEL_H_

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "tests/fakes/fake_model.h"

namespace ladder::server {

inline model_store::Tensor MakeTensor(std::vector<float> values,
                                      size_t num_rows,
                                      model_store::Tensor::Place place) {
  const size_t cols = values.size() / num_rows;
  const auto owner = std::make_shared<std::vector<float>>(std::move(values));
  return model_store::Tensor(owner, owner->data(), num_rows, cols, place);
}

// A model that claims to work on a device, whose memory tests can read.
class DeviceModel final : public model_store::FakeModel {
 public:
  DeviceModel() : FakeModel(TwoSources(), "sha") {}

  absl::StatusOr<model_store::Tensor> SelectRows(
      const model_store::Tensor& first, const model_store::Tensor& second,
      std::span<const int64_t> rows, std::stop_token stop) const override {
    const model_store::Tensor host =
        FakeModel::SelectRows(first, second, rows, std::move(stop)).value();
    const auto values = host.view().Values();
    return MakeTensor({values.begin(), values.end()}, host.rows(),
                      model_store::Tensor::Place::kDevice);
  }

 private:
  static model_store::Manifest TwoSources() {
    model_store::Manifest manifest;
    manifest.classes = {"cat", "dog"};
    manifest.sources = {{.name = "north"}, {.name = "south"}};
    manifest.style_dimension = 1;
    manifest.content_dimension = 2;
    return manifest;
  }
};

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_GROUPS_DEVICE_MODEL_H_
