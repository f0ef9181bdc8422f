#include "routing/style_sample.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "routing/check_matrix.h"

namespace ladder::routing {
namespace {

absl::Status StatisticError(absl::string_view name, size_t column, float value,
                            absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat(
      name, " of column ", column, " is ", value, "; expected ", expected));
}

std::vector<float> RoundToFloat(std::span<const double> values) {
  std::vector<float> rounded(values.size());
  std::transform(values.begin(), values.end(), rounded.begin(),
                 [](double value) { return static_cast<float>(value); });
  return rounded;
}

}  // namespace

StyleNormalizer::StyleNormalizer(std::vector<float> mean,
                                 std::vector<float> std)
    : mean_(std::move(mean)), std_(std::move(std)) {}

absl::StatusOr<StyleNormalizer> StyleNormalizer::Create(
    std::vector<float> mean, std::vector<float> std) {
  if (mean.empty() || mean.size() != std.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "style mean and std must have the same positive size, got ",
        mean.size(), " and ", std.size()));
  }
  for (size_t column = 0; column < mean.size(); ++column) {
    if (!std::isfinite(mean[column])) {
      return StatisticError("style mean", column, mean[column],
                            "a finite value");
    }
    if (!std::isfinite(std[column]) || std[column] < 0) {
      return StatisticError("style std", column, std[column],
                            "a finite value of at least 0");
    }
  }
  return StyleNormalizer(std::move(mean), std::move(std));
}

absl::StatusOr<StyleNormalizer> StyleNormalizer::Fit(
    std::span<const MatrixView> clouds) {
  if (clouds.empty()) {
    return absl::InvalidArgumentError(
        "style statistics need at least one cloud, got none");
  }
  const size_t dimension = clouds.front().cols;
  size_t num_rows = 0;
  for (size_t i = 0; i < clouds.size(); ++i) {
    LADDER_RETURN_IF_ERROR(
        CheckMatrix(clouds[i], absl::StrCat("style cloud ", i), dimension));
    num_rows += clouds[i].rows;
  }
  const auto count = static_cast<double>(num_rows);

  // Two passes: the one-pass difference of mean square and squared mean
  // cancels when the mean is large. Sums of floats in double are exact enough
  // that a constant column gets exactly its value and a std of exactly 0.
  std::vector<double> mean(dimension, 0);
  for (const MatrixView& cloud : clouds) {
    for (size_t row = 0; row < cloud.rows; ++row) {
      const auto values = cloud.Row(row);
      for (size_t c = 0; c < dimension; ++c) mean[c] += double{values[c]};
    }
  }
  for (double& value : mean) value /= count;

  std::vector<double> std(dimension, 0);
  for (const MatrixView& cloud : clouds) {
    for (size_t row = 0; row < cloud.rows; ++row) {
      const auto values = cloud.Row(row);
      for (size_t c = 0; c < dimension; ++c) {
        const double deviation = double{values[c]} - mean[c];
        std[c] += deviation * deviation;
      }
    }
  }
  for (double& value : std) value = std::sqrt(value / count);

  return Create(RoundToFloat(mean), RoundToFloat(std));
}

absl::Status StyleNormalizer::Apply(const MatrixView& raw,
                                    std::span<float> out) const {
  if (raw.cols != dimension()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "raw style: expected ", dimension(), " columns, got ", raw.cols));
  }
  if (out.size() != raw.rows * raw.cols) {
    return absl::InvalidArgumentError(
        absl::StrCat("normalised style: expected room for ",
                     raw.rows * raw.cols, " values, got ", out.size()));
  }
  for (size_t row = 0; row < raw.rows; ++row) {
    const auto values = raw.Row(row);
    const auto normalised = out.subspan(row * raw.cols, raw.cols);
    for (size_t c = 0; c < raw.cols; ++c) {
      normalised[c] = static_cast<float>((double{values[c]} - mean_[c]) /
                                         (std_[c] + kStdFloor));
    }
  }
  return absl::OkStatus();
}

StyleSample::StyleSample(size_t dimension, size_t capacity, uint64_t seed)
    : dimension_(dimension), reservoir_(capacity, seed) {}

absl::Status StyleSample::Add(const MatrixView& chunk) {
  if (chunk.rows == 0) return absl::OkStatus();
  LADDER_RETURN_IF_ERROR(CheckMatrix(chunk, "style chunk", dimension_));

  for (size_t i = 0; i < chunk.rows; ++i) {
    const std::optional<size_t> slot = reservoir_.Next();
    if (!slot.has_value()) continue;
    const auto row = chunk.Row(i);
    values_.resize(std::max(values_.size(), (*slot + 1) * dimension_));
    std::copy(row.begin(), row.end(), values_.data() + *slot * dimension_);
  }
  return absl::OkStatus();
}

MatrixView StyleSample::rows() const {
  return {values_.data(), reservoir_.size(), dimension_};
}

}  // namespace ladder::routing
