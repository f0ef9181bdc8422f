#ifndef LADDER_MODEL_STORE_DEVICE_STYLE_SAMPLE_H_
#define LADDER_MODEL_STORE_DEVICE_STYLE_SAMPLE_H_

#include <cstdint>
#include <stop_token>

#include "absl/status/status.h"
#include "model_store/model.h"
#include "model_store/tensor.h"
#include "routing/reservoir.h"

namespace ladder::model_store {

// A group's style sample, kept where the model works: the rows that a
// routing::StyleSample with the bundle's capacity and seed would hold, without
// a copy to the host.
//
// `model` must outlive it. One writer at a time.
class DeviceStyleSample {
 public:
  explicit DeviceStyleSample(const Model& model);

  // Shows the next rows of the group, Encoding::z_s, to the sample. On an error
  // the sample is what it was before.
  absl::Status Add(const Tensor& z_s, std::stop_token stop);

  // At most the bundle's max_style_samples rows.
  const Tensor& rows() const { return rows_; }
  uint64_t num_seen() const { return reservoir_.num_seen(); }

 private:
  const Model& model_;
  routing::Reservoir reservoir_;
  Tensor rows_;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_DEVICE_STYLE_SAMPLE_H_
