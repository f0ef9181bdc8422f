#ifndef LADDER_MODEL_STORE_ENGINE_MODEL_H_
#define LADDER_MODEL_STORE_ENGINE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model_store/engine/tensor.h"
#include "model_store/format/manifest.h"
#include "routing/execution.h"
#include "routing/matrix_view.h"
#include "routing/router.h"
#include "routing/style_sample.h"

namespace ladder::model_store {

// What the encoder makes of a batch of samples, one row each.
struct Encoding {
  Tensor z_c;   // Content, on the model's device.
  Tensor z_s;   // Style, on the model's device.
  Tensor gate;  // Logits of the style-domain classifier, on the host.
};

// The style vectors of a group.
struct MeasuredStyle {
  Tensor normalized = {};  // By the sources' statistics, on the host.
  std::vector<double> distances = {};  // To every source.
};

// One version of a model, loaded, warmed and ready to serve.
//
// Immutable and thread-safe; calls beyond the number of instances wait for
// their turn. Errors: InvalidArgument if an argument does not fit the model,
// naming it; Cancelled if `stop` was requested, in the middle of the work too;
// ResourceExhausted if the device's memory does not suffice; Internal if the
// graph failed.
class Model {
 public:
  virtual ~Model() = default;

  virtual const Manifest& manifest() const = 0;
  // The digest of the bundle's manifest.json.
  virtual const std::string& sha256() const = 0;
  virtual const routing::StyleNormalizer& normalizer() const = 0;
  // Routes on the host; its distances are those of StyleDistances within 1e-5.
  virtual const routing::Router& router() const = 0;

  // The most rows that Encode takes at once.
  virtual size_t max_batch() const = 0;

  // Encodes `num_rows` samples, at most max_batch(), that lie one after the
  // other in `x`. The batch is padded to a size that has been warmed.
  virtual absl::StatusOr<Encoding> Encode(std::span<const float> x,
                                          size_t num_rows,
                                          std::stop_token stop) const = 0;

  // Encodes one sample of zeros, to see whether it can be done. Errors as
  // Encode.
  absl::Status TryOut(const std::stop_token& stop) const;

  // Rows of `first` and `second`, which is taken to follow it, by index: how a
  // sample of a stream is kept on the device. An empty `first` is allowed.
  virtual absl::StatusOr<Tensor> SelectRows(const Tensor& first,
                                            const Tensor& second,
                                            std::span<const int64_t> rows,
                                            std::stop_token stop) const = 0;

  // A copy of the rows of all `pieces`, one after the other and where they are,
  // and of the last row as often as it takes to have `min_rows`. Expects at
  // least one row, and pieces that lie at one place. Errors as SelectRows.
  absl::StatusOr<Tensor> Concatenate(std::span<const Tensor> pieces,
                                     size_t min_rows,
                                     const std::stop_token& stop) const;

  // A copy of `tensor` on the host; `tensor` itself if it is there.
  virtual absl::StatusOr<Tensor> ToHost(const Tensor& tensor,
                                        std::stop_token stop) const = 0;

  // Normalises the style vectors `z_s`, which are as Encode gives them, and
  // measures the distance from them to every source.
  virtual absl::StatusOr<MeasuredStyle> StyleDistances(
      const Tensor& z_s, const routing::Execution& execution) const = 0;

  // The logits, on the host, of `z_c` under `weights`: one row for all samples
  // or one for each, of one weight per source.
  virtual absl::StatusOr<Tensor> Logits(const Tensor& z_c,
                                        const routing::MatrixView& weights,
                                        std::stop_token stop) const = 0;
};

// Keeps a version in memory; the last one to be dropped frees it.
using ModelHandle = std::shared_ptr<const Model>;

// Turns a bundle on disk into a model that is verified, warmed and ready.
class ModelLoader {
 public:
  virtual ~ModelLoader() = default;

  // The result owns all it needs: `directory` may change afterwards. May be
  // called from several threads. Cancelled if `stop` was requested.
  virtual absl::StatusOr<ModelHandle> Load(
      const std::filesystem::path& directory, std::stop_token stop) = 0;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_MODEL_H_
