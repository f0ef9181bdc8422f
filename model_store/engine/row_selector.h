#ifndef LADDER_MODEL_STORE_ENGINE_ROW_SELECTOR_H_
#define LADDER_MODEL_STORE_ENGINE_ROW_SELECTOR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>

#include "absl/status/statusor.h"
#include "model_store/engine/graph_session.h"
#include "model_store/engine/runtime.h"
#include "model_store/engine/tensor.h"

namespace ladder::model_store {

// Copies rows of tensors where they are, by a graph of its own: ONNX Runtime is
// the only way to the device that we have, and the only one we need.
//
// Thread-safe.
class RowSelector {
 public:
  static absl::StatusOr<std::unique_ptr<RowSelector>> Create(
      std::shared_ptr<const Runtime> runtime);

  // The rows of `first`, which may be empty, and `second`, which follows it, by
  // index, at `place`. InvalidArgument if their widths differ or an index is
  // out of range; other errors as GraphSession::Run.
  absl::StatusOr<Tensor> Select(const Tensor& first, const Tensor& second,
                                std::span<const int64_t> rows,
                                Tensor::Place place,
                                std::stop_token stop) const;

 private:
  explicit RowSelector(std::shared_ptr<GraphSession> graph);

  const std::shared_ptr<GraphSession> graph_;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_ROW_SELECTOR_H_
