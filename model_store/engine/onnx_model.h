#ifndef LADDER_MODEL_STORE_ENGINE_ONNX_MODEL_H_
#define LADDER_MODEL_STORE_ENGINE_ONNX_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model_store/engine/graph_session.h"
#include "model_store/engine/model.h"
#include "model_store/engine/row_selector.h"
#include "model_store/engine/runtime.h"
#include "model_store/format/bundle.h"

namespace ladder::model_store {

// A bundle on ONNX Runtime.
class OnnxModel final : public Model {
 public:
  // Verifies `files` and, beside that, creates the sessions and runs every
  // warmed batch size through them. The graph of the router is run whether it
  // serves or not. Cancelled if `execution.stop` was requested; errors as
  // ReadBundle, and of the graphs as GraphSession.
  static absl::StatusOr<ModelHandle> Load(
      std::shared_ptr<const Runtime> runtime,
      std::shared_ptr<const RowSelector> row_selector, const BundleFiles& files,
      const routing::Execution& execution);
  ~OnnxModel() override;

  const Manifest& manifest() const override { return manifest_; }
  const std::string& sha256() const override { return sha256_; }
  const routing::StyleNormalizer& normalizer() const override {
    return *normalizer_;
  }
  const routing::Router& router() const override { return *router_; }
  size_t max_batch() const override {
    return runtime_->options().batch_sizes.back();
  }

  absl::StatusOr<Encoding> Encode(std::span<const float> x, size_t num_rows,
                                  std::stop_token stop) const override;
  absl::StatusOr<Tensor> SelectRows(const Tensor& first, const Tensor& second,
                                    std::span<const int64_t> rows,
                                    std::stop_token stop) const override;
  absl::StatusOr<Tensor> ToHost(const Tensor& tensor,
                                std::stop_token stop) const override;
  absl::StatusOr<MeasuredStyle> StyleDistances(
      const Tensor& z_s, const routing::Execution& execution) const override;
  absl::StatusOr<Tensor> Logits(const Tensor& z_c,
                                const routing::MatrixView& weights,
                                std::stop_token stop) const override;

 private:
  OnnxModel(std::shared_ptr<const Runtime> runtime,
            std::shared_ptr<const RowSelector> row_selector,
            const BundleFiles& files);

  // Each verifies its file and sets the members made from it, with graphs
  // warmed.
  absl::Status LoadEncoder(const BundleFiles& files, std::stop_token stop);
  absl::Status LoadHeads(const BundleFiles& files, std::stop_token stop);
  absl::Status LoadRouter(const BundleFiles& files, std::stop_token stop);
  absl::Status LoadStyles(const BundleFiles& files);
  // InvalidArgument, with a source, unless router.onnx measures a few rows as
  // the native solver does. Comes after the others.
  absl::Status CompareRouters(const routing::Execution& execution) const;

  // What the graphs take and give.
  GraphInput EncoderInput(const float* x, size_t num_rows) const;
  std::vector<GraphOutput> EncoderOutputs(size_t num_rows) const;
  GraphOutput HeadsOutput(size_t num_rows) const;
  GraphOutput RouterOutput() const;

  absl::Status CheckTensor(absl::string_view name, const Tensor& tensor,
                           size_t cols) const;
  absl::Status CheckPlace(absl::string_view name, const Tensor& tensor) const;
  absl::StatusOr<std::vector<double>> GraphDistances(
      const Tensor& z_s, std::stop_token stop) const;

  const std::shared_ptr<const Runtime> runtime_;
  const std::shared_ptr<const RowSelector> row_selector_;
  const Manifest manifest_;
  const std::string sha256_;
  const std::vector<int64_t> sample_shape_;
  const size_t sample_size_;  // Counted in floats.

  // Set by Load, before anybody else sees the model.
  std::optional<routing::StyleNormalizer> normalizer_;
  std::optional<routing::Router> router_;
  std::shared_ptr<GraphSession> encoder_;
  std::shared_ptr<GraphSession> heads_;
  std::shared_ptr<GraphSession> router_graph_;  // Null: distances are native.
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_ONNX_MODEL_H_
