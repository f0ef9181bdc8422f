#ifndef LADDER_MODEL_STORE_ENGINE_TENSOR_H_
#define LADDER_MODEL_STORE_ENGINE_TENSOR_H_

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/macros.h"
#include "routing/matrix_view.h"

namespace ladder::model_store {

// A read-only float matrix on the host or on a device. Copies and row ranges
// share the memory, which is freed with the last of them.
class Tensor {
 public:
  enum class Place { kHost, kDevice };

  Tensor() = default;

  // `owner` keeps `data`, an address at `place`, alive.
  Tensor(std::shared_ptr<const void> owner, const float* data, size_t rows,
         size_t cols, Place place)
      : owner_(std::move(owner)),
        data_(data),
        rows_(rows),
        cols_(cols),
        place_(place) {}

  // `values`, row by row, on the host.
  static Tensor OnHost(std::vector<float> values, size_t rows, size_t cols) {
    const auto owner =
        std::make_shared<const std::vector<float>>(std::move(values));
    return Tensor(owner, owner->data(), rows, cols, Place::kHost);
  }

  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  Place place() const { return place_; }

  // An address at place(): not to be read on the host if that is kDevice.
  const float* data() const { return data_; }

  // Expects begin <= end <= rows().
  Tensor Rows(size_t begin, size_t end) const {
    ABSL_HARDENING_ASSERT(begin <= end && end <= rows_);
    return Tensor(owner_, data_ + begin * cols_, end - begin, cols_, place_);
  }

  // Expects place() to be kHost. Valid while a Tensor shares the memory.
  routing::MatrixView view() const {
    ABSL_HARDENING_ASSERT(place_ == Place::kHost);
    return {data_, rows_, cols_};
  }

 private:
  std::shared_ptr<const void> owner_;
  const float* data_ = nullptr;
  size_t rows_ = 0;
  size_t cols_ = 0;
  Place place_ = Place::kHost;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_TENSOR_H_
