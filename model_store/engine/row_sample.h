#ifndef LADDER_MODEL_STORE_ENGINE_ROW_SAMPLE_H_
#define LADDER_MODEL_STORE_ENGINE_ROW_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <stop_token>

#include "absl/status/status.h"
#include "model_store/engine/model.h"
#include "model_store/engine/tensor.h"
#include "routing/reservoir.h"

namespace ladder::model_store {

// A seeded uniform sample of a stream's rows, kept where the model works: those
// that a routing::StyleSample with the same capacity and seed would hold,
// without a copy to the host.
//
// `model` must outlive it. One writer at a time.
class RowSample {
 public:
  RowSample(const Model& model, size_t capacity, uint64_t seed);

  // A sample of a group's style vectors, with the bundle's capacity and seed.
  static RowSample OfStyle(const Model& model);

  // Shows the next rows of the stream to the sample. On an error the sample is
  // what it was before.
  absl::Status Add(const Tensor& rows, std::stop_token stop);

  // The rows held now, at most `capacity`.
  const Tensor& rows() const { return rows_; }
  uint64_t num_seen() const { return reservoir_.num_seen(); }

 private:
  const Model& model_;
  routing::Reservoir reservoir_;
  Tensor rows_;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_ROW_SAMPLE_H_
