#ifndef LADDER_TESTS_FAKES_FAKE_MODEL_H_
#define LADDER_TESTS_FAKES_FAKE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "model_store/engine/model.h"
#include "routing/style_distance.h"

namespace ladder::model_store {

// A model without graphs. Samples are rows of `manifest.style_dimension`
// numbers, which are their own content and style; gates and logits are zeros;
// source e lies at distance e from every group. Thread-safe.
class FakeModel : public Model {
 public:
  // `manifest` needs model, version, style_dimension, sources and classes.
  FakeModel(Manifest manifest, std::string sha256)
      : manifest_(std::move(manifest)), sha256_(std::move(sha256)) {}

  const Manifest& manifest() const override { return manifest_; }
  const std::string& sha256() const override { return sha256_; }
  const routing::StyleNormalizer& normalizer() const override {
    return normalizer_;
  }
  const routing::Router& router() const override { return router_; }
  size_t max_batch() const override { return 32; }

  absl::StatusOr<Encoding> Encode(std::span<const float> x, size_t num_rows,
                                  std::stop_token /*stop*/) const override {
    const Tensor sample = Tensor::OnHost({x.begin(), x.end()}, num_rows,
                                         manifest_.style_dimension);
    return Encoding{.z_c = sample,
                    .z_s = sample,
                    .gate = Zeros(num_rows, manifest_.num_sources())};
  }

  absl::StatusOr<Tensor> SelectRows(const Tensor& first, const Tensor& second,
                                    std::span<const int64_t> rows,
                                    std::stop_token /*stop*/) const override {
    std::vector<float> values;
    for (const int64_t row : rows) {
      const auto index = static_cast<size_t>(row);
      const bool in_first = index < first.rows();
      const Tensor& from = in_first ? first : second;
      const size_t offset = in_first ? index : index - first.rows();
      const float* begin = from.data() + offset * from.cols();
      values.insert(values.end(), begin, begin + from.cols());
    }
    return Tensor::OnHost(std::move(values), rows.size(), second.cols());
  }

  absl::StatusOr<Tensor> ToHost(const Tensor& tensor,
                                std::stop_token /*stop*/) const override {
    return tensor;
  }

  absl::StatusOr<MeasuredStyle> StyleDistances(
      const Tensor& z_s, const routing::Execution& execution) const override {
    LADDER_ASSIGN_OR_RETURN(std::vector<double> distances,
                            router_.Distances(z_s.view(), execution));
    return MeasuredStyle{.normalized = z_s, .distances = std::move(distances)};
  }

  absl::StatusOr<Tensor> Logits(const Tensor& z_c,
                                const routing::MatrixView& /*weights*/,
                                std::stop_token /*stop*/) const override {
    return Zeros(z_c.rows(), manifest_.num_classes());
  }

 private:
  static Tensor Zeros(size_t rows, size_t cols) {
    return Tensor::OnHost(std::vector<float>(rows * cols), rows, cols);
  }

  class IndexDistance final : public routing::StyleDistance {
   public:
    IndexDistance(size_t num_sources, size_t dimension)
        : num_sources_(num_sources), dimension_(dimension) {}

    size_t num_sources() const override { return num_sources_; }
    size_t dimension() const override { return dimension_; }

   private:
    absl::Status DoCompute(
        const routing::MatrixView& /*target*/, std::span<const size_t> sources,
        std::span<double> distances,
        const routing::Execution& /*execution*/) const override {
      for (size_t i = 0; i < sources.size(); ++i) {
        distances[i] = static_cast<double>(sources[i]);
      }
      return absl::OkStatus();
    }

    const size_t num_sources_;
    const size_t dimension_;
  };

  const Manifest manifest_;
  const std::string sha256_;
  const routing::StyleNormalizer normalizer_ =
      routing::StyleNormalizer::Create(
          std::vector<float>(manifest_.style_dimension, 0.0f),
          std::vector<float>(manifest_.style_dimension, 1.0f))
          .value();
  const routing::Router router_ =
      routing::Router::Create(
          std::make_shared<IndexDistance>(manifest_.num_sources(),
                                          manifest_.style_dimension))
          .value();
};

}  // namespace ladder::model_store

#endif  // LADDER_TESTS_FAKES_FAKE_MODEL_H_
