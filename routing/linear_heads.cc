#include "routing/linear_heads.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "routing/check_matrix.h"
#include "routing/softmax.h"

namespace ladder::routing {
namespace {

// Rows of z_c that share one pass over a head's parameters: at 512 columns they
// fill half of a 32 KiB first-level cache.
constexpr size_t kBlockRows = 8;

// InvalidArgument unless `size` is the product of `shape` and not zero. Divides
// so that no product of sizes from a file can wrap around to a match.
absl::Status CheckSize(absl::string_view name, size_t size,
                       std::initializer_list<size_t> shape) {
  size_t rest = size;
  bool fits = true;
  for (const size_t extent : shape) {
    fits = fits && extent > 0 && rest % extent == 0;
    if (fits) rest /= extent;
  }
  if (fits && rest == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      name, ": expected ", absl::StrJoin(shape, " x "), " values, got ", size));
}

// Sums in independent lanes, in a fixed order: the compiler may not reorder a
// floating-point sum by itself, and lanes are what it can vectorise.
double Dot(std::span<const float> a, std::span<const float> b) {
  constexpr size_t kLanes = 8;
  double lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] += double{a[i + lane]} * double{b[i + lane]};
    }
  }
  for (; i < a.size(); ++i) lanes[0] += double{a[i]} * double{b[i]};
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

// The sum over e of weights[e] times part e of `stacked`, which holds
// weights.size() parts of equal size. In tiles, so that the sums in double stay
// in the first-level cache while the parts stream past.
std::vector<float> WeightedSum(std::span<const double> weights,
                               std::span<const float> stacked) {
  constexpr size_t kTile = 1024;
  const size_t size = stacked.size() / weights.size();
  std::vector<float> result(size);
  for (size_t begin = 0; begin < size; begin += kTile) {
    const size_t count = std::min(kTile, size - begin);
    double sums[kTile] = {};
    for (size_t e = 0; e < weights.size(); ++e) {
      if (weights[e] == 0) continue;
      const auto part = stacked.subspan(e * size + begin, count);
      for (size_t i = 0; i < count; ++i) sums[i] += weights[e] * part[i];
    }
    for (size_t i = 0; i < count; ++i) {
      result[begin + i] = static_cast<float>(sums[i]);
    }
  }
  return result;
}

// The common part of Logits and ExpertLogits: one head on every row.
absl::Status HeadLogits(std::span<const float> weight,
                        std::span<const float> bias, const MatrixView& z_c,
                        size_t dimension, std::span<float> logits) {
  const size_t num_classes = bias.size();
  LADDER_RETURN_IF_ERROR(CheckMatrix(z_c, "z_c", dimension));
  LADDER_RETURN_IF_ERROR(
      CheckSize("logits", logits.size(), {z_c.rows, num_classes}));

  for (size_t begin = 0; begin < z_c.rows; begin += kBlockRows) {
    const size_t end = std::min(begin + kBlockRows, z_c.rows);
    for (size_t c = 0; c < num_classes; ++c) {
      const auto class_weight = weight.subspan(c * dimension, dimension);
      for (size_t row = begin; row < end; ++row) {
        logits[row * num_classes + c] =
            static_cast<float>(Dot(class_weight, z_c.Row(row)) + bias[c]);
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

LinearHeads::LinearHeads(size_t num_sources, size_t num_classes,
                         size_t dimension, std::vector<float> weights,
                         std::vector<float> bias)
    : num_sources_(num_sources),
      num_classes_(num_classes),
      dimension_(dimension),
      weights_(std::move(weights)),
      bias_(std::move(bias)) {}

absl::StatusOr<LinearHeads> LinearHeads::Create(size_t num_sources,
                                                size_t num_classes,
                                                size_t dimension,
                                                std::vector<float> weights,
                                                std::vector<float> bias) {
  LADDER_RETURN_IF_ERROR(CheckSize("head weights", weights.size(),
                                   {num_sources, num_classes, dimension}));
  LADDER_RETURN_IF_ERROR(
      CheckSize("head bias", bias.size(), {num_sources, num_classes}));

  LinearHeads heads(num_sources, num_classes, dimension, std::move(weights),
                    std::move(bias));
  for (size_t source = 0; source < num_sources; ++source) {
    LADDER_RETURN_IF_ERROR(CheckMatrix(
        {.data = heads.Weight(source).data(),
         .rows = num_classes,
         .cols = dimension},
        absl::StrCat("head weights of source ", source), dimension));
  }
  LADDER_RETURN_IF_ERROR(CheckMatrix(
      {.data = heads.bias_.data(), .rows = num_sources, .cols = num_classes},
      "head bias", num_classes));
  return heads;
}

std::span<const float> LinearHeads::Weight(size_t source) const {
  const size_t size = num_classes_ * dimension_;
  return std::span(weights_).subspan(source * size, size);
}

std::span<const float> LinearHeads::Bias(size_t source) const {
  return std::span(bias_).subspan(source * num_classes_, num_classes_);
}

absl::StatusOr<MixedHead> LinearHeads::Mix(
    std::span<const double> weights) const {
  if (weights.size() != num_sources_) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", num_sources_,
                     " weights (one per source), got ", weights.size()));
  }
  for (size_t source = 0; source < num_sources_; ++source) {
    if (!std::isfinite(weights[source])) {
      return absl::InvalidArgumentError(
          absl::StrCat("weight of source ", source, " is ", weights[source],
                       "; expected a finite value"));
    }
  }
  return MixedHead{.num_classes = num_classes_,
                   .dimension = dimension_,
                   .weight = WeightedSum(weights, weights_),
                   .bias = WeightedSum(weights, bias_)};
}

absl::Status LinearHeads::ExpertLogits(size_t source, const MatrixView& z_c,
                                       std::span<float> logits) const {
  if (source >= num_sources_) {
    return absl::InvalidArgumentError(
        absl::StrCat("source must be below ", num_sources_, ", got ", source));
  }
  return HeadLogits(Weight(source), Bias(source), z_c, dimension_, logits);
}

absl::Status LinearHeads::MixedLogitsPerSample(const MatrixView& z_c,
                                               const MatrixView& sample_weights,
                                               std::span<float> logits) const {
  LADDER_RETURN_IF_ERROR(CheckMatrix(z_c, "z_c", dimension_));
  LADDER_RETURN_IF_ERROR(
      CheckMatrix(sample_weights, "sample weights", num_sources_));
  if (sample_weights.rows != z_c.rows) {
    return absl::InvalidArgumentError(
        absl::StrCat("sample weights: expected ", z_c.rows,
                     " rows (one per row of z_c), got ", sample_weights.rows));
  }
  LADDER_RETURN_IF_ERROR(
      CheckSize("logits", logits.size(), {z_c.rows, num_classes_}));

  std::vector<double> sums(kBlockRows * num_classes_);
  for (size_t begin = 0; begin < z_c.rows; begin += kBlockRows) {
    const size_t end = std::min(begin + kBlockRows, z_c.rows);
    std::fill(sums.begin(), sums.end(), 0);
    for (size_t source = 0; source < num_sources_; ++source) {
      const auto weight = Weight(source);
      const auto bias = Bias(source);
      for (size_t c = 0; c < num_classes_; ++c) {
        const auto class_weight = weight.subspan(c * dimension_, dimension_);
        for (size_t row = begin; row < end; ++row) {
          const double share = sample_weights.Row(row)[source];
          if (share == 0) continue;
          sums[(row - begin) * num_classes_ + c] +=
              share * (Dot(class_weight, z_c.Row(row)) + bias[c]);
        }
      }
    }
    const size_t count = (end - begin) * num_classes_;
    std::transform(sums.data(), sums.data() + count,
                   logits.data() + begin * num_classes_,
                   [](double sum) { return static_cast<float>(sum); });
  }
  return absl::OkStatus();
}

absl::Status Logits(const MixedHead& head, const MatrixView& z_c,
                    std::span<float> logits) {
  LADDER_RETURN_IF_ERROR(CheckSize("mixed head weight", head.weight.size(),
                                   {head.num_classes, head.dimension}));
  LADDER_RETURN_IF_ERROR(
      CheckSize("mixed head bias", head.bias.size(), {head.num_classes}));
  return HeadLogits(head.weight, head.bias, z_c, head.dimension, logits);
}

absl::Status SoftmaxRows(const MatrixView& logits,
                         std::span<float> probabilities) {
  LADDER_RETURN_IF_ERROR(CheckMatrix(logits, "logits", logits.cols));
  LADDER_RETURN_IF_ERROR(CheckSize("probabilities", probabilities.size(),
                                   {logits.rows, logits.cols}));
  SoftmaxEachRow(logits, /*temperature=*/1, probabilities);
  return absl::OkStatus();
}

}  // namespace ladder::routing
