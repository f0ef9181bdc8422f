#include "server/groups/predict_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "routing/linear_heads.h"
#include "routing/matrix_view.h"

namespace ladder::server {
namespace {

using model_store::Tensor;

// The rows of all `pieces`, in order.
absl::StatusOr<Tensor> Join(const model_store::Model& model,
                            const std::vector<Tensor>& pieces,
                            const std::stop_token& stop) {
  if (pieces.size() == 1) return pieces.front();
  return model.Concatenate(pieces, /*min_rows=*/0, stop);
}

// The first `num_rows` of `rows`, which become the rest.
ContentRows SplitOff(ContentRows& rows, size_t num_rows) {
  const auto split = [num_rows](auto& values) {
    std::remove_reference_t<decltype(values)> first;
    if (values.empty()) return first;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(num_rows);
    first.assign(std::make_move_iterator(values.begin()),
                 std::make_move_iterator(middle));
    values.erase(values.begin(), middle);
    return first;
  };
  ContentRows first = {.z_c = rows.z_c.Rows(0, num_rows),
                       .indices = split(rows.indices),
                       .ids = split(rows.ids)};
  rows.z_c = rows.z_c.Rows(num_rows, rows.z_c.rows());
  if (rows.gate.rows() > 0) {
    first.gate = rows.gate.Rows(0, num_rows);
    rows.gate = rows.gate.Rows(num_rows, rows.gate.rows());
  }
  return first;
}

struct Expert {
  double weight = 0;
  std::shared_ptr<const std::vector<float>> probabilities = {};
};

// Sources with weight, the heaviest first.
std::vector<size_t> Heaviest(std::span<const double> weights) {
  std::vector<size_t> sources(weights.size());
  std::iota(sources.begin(), sources.end(), size_t{0});
  std::erase_if(sources, [&](size_t s) { return weights[s] <= 0; });
  std::stable_sort(sources.begin(), sources.end(),
                   [&](size_t a, size_t b) { return weights[a] > weights[b]; });
  sources.resize(std::min(sources.size(), kMostExperts));
  return sources;
}

uint32_t LargestAt(std::span<const float> row) {
  return static_cast<uint32_t>(
      std::distance(row.begin(), std::max_element(row.begin(), row.end())));
}

// One row of weights for all samples, or one for each.
absl::StatusOr<std::vector<float>> Weights(const model_store::Model& model,
                                           const Tensor& gate,
                                           const RoutingAnswer& answer) {
  const std::vector<double>& group = answer.routing.weights;
  if (!answer.routing.per_sample) {
    return std::vector<float>(group.begin(), group.end());
  }
  std::vector<float> weights(gate.rows() * gate.cols());
  LADDER_RETURN_IF_ERROR(
      model.router().SampleWeights(gate.view(), answer.applied, weights));
  return weights;
}

// Internal if a logit is not finite, saying whose it is by `whose`, which is
// given its row. Samples are finite, so it is the model's fault.
template <typename Whose>
absl::Status CheckLogits(const model_store::Model& model,
                         const routing::MatrixView& logits, Whose whose) {
  const auto values = logits.Values();
  const auto wrong =
      std::find_if_not(values.begin(), values.end(),
                       [](float logit) { return std::isfinite(logit); });
  if (wrong == values.end()) return absl::OkStatus();
  const auto at = static_cast<size_t>(std::distance(values.begin(), wrong));
  return absl::InternalError(absl::StrCat(
      "model ", model.manifest().model, ", version ", model.manifest().version,
      ": expected finite logits, got ", *wrong, " for class ", at % logits.cols,
      " of ", whose(at / logits.cols)));
}

// Adds what every expert makes of the first `num_rows` rows of `z_c`.
absl::Status AddExperts(const model_store::Model& model, const Tensor& z_c,
                        size_t num_rows, const std::stop_token& stop,
                        GroupPredictions& rows) {
  const size_t num_sources = model.manifest().num_sources();
  const size_t num_classes = model.manifest().num_classes();
  rows.expert_probabilities.resize(num_rows * num_sources * num_classes);
  for (size_t source = 0; source < num_sources; ++source) {
    LADDER_ASSIGN_OR_RETURN(const std::vector<float> probabilities,
                            ExpertProbabilities(model, source, z_c, stop));
    for (size_t row = 0; row < num_rows; ++row) {
      std::copy_n(&probabilities[row * num_classes], num_classes,
                  &rows.expert_probabilities[(row * num_sources + source) *
                                             num_classes]);
    }
  }
  return absl::OkStatus();
}

}  // namespace

void ContentBuffer::Push(ContentRows rows) {
  num_rows_ += rows.z_c.rows();
  pieces_.push_back(std::move(rows));
}

absl::StatusOr<ContentRows> ContentBuffer::Take(const model_store::Model& model,
                                                size_t num_rows,
                                                const std::stop_token& stop) {
  num_rows = std::min(num_rows, num_rows_);
  ContentRows taken;
  std::vector<Tensor> z_c;
  std::vector<Tensor> gate;
  for (size_t rest = num_rows; rest > 0;) {
    ContentRows& front = pieces_.front();
    const bool whole = front.z_c.rows() <= rest;
    ContentRows piece = whole ? std::move(front) : SplitOff(front, rest);
    if (whole) pieces_.pop_front();
    rest -= piece.z_c.rows();
    z_c.push_back(std::move(piece.z_c));
    if (piece.gate.rows() > 0) gate.push_back(std::move(piece.gate));
    std::move(piece.indices.begin(), piece.indices.end(),
              std::back_inserter(taken.indices));
    std::move(piece.ids.begin(), piece.ids.end(),
              std::back_inserter(taken.ids));
  }
  num_rows_ -= num_rows;
  LADDER_ASSIGN_OR_RETURN(taken.z_c, Join(model, z_c, stop));
  if (!gate.empty()) {
    LADDER_ASSIGN_OR_RETURN(taken.gate, Join(model, gate, stop));
  }
  return taken;
}

absl::StatusOr<GroupPredictions> PredictRows(const model_store::Model& model,
                                             ContentRows content,
                                             const RoutingAnswer& answer,
                                             const OutputOptions& outputs,
                                             size_t min_rows,
                                             const std::stop_token& stop) {
  const Tensor& z_c = content.z_c;
  LADDER_ASSIGN_OR_RETURN(std::vector<float> weights,
                          Weights(model, content.gate, answer));
  Tensor padded = z_c;
  if (z_c.rows() < min_rows) {
    LADDER_ASSIGN_OR_RETURN(padded,
                            model.Concatenate({&z_c, 1}, min_rows, stop));
  }
  const size_t num_sources = model.manifest().num_sources();
  std::vector<float> padded_weights = weights;
  if (answer.routing.per_sample) {
    padded_weights.resize(padded.rows() * num_sources);
  }
  LADDER_ASSIGN_OR_RETURN(
      const Tensor logits,
      model.Logits(padded,
                   {padded_weights.data(), padded_weights.size() / num_sources,
                    num_sources},
                   stop));
  const Tensor wanted = logits.Rows(0, z_c.rows());
  const routing::MatrixView scores = wanted.view();
  LADDER_RETURN_IF_ERROR(CheckLogits(model, scores, [&](size_t row) {
    return absl::StrCat("sample ", content.indices[row]);
  }));

  GroupPredictions rows;
  rows.top_n = std::min(outputs.top_n, scores.cols);
  for (size_t row = 0; row < scores.rows; ++row) {
    rows.labels.push_back(LargestAt(scores.Row(row)));
  }
  if (outputs.probabilities || rows.top_n > 0) {
    std::vector<float> probabilities(scores.rows * scores.cols);
    LADDER_RETURN_IF_ERROR(routing::SoftmaxRows(scores, probabilities));
    const routing::MatrixView view = {probabilities.data(), scores.rows,
                                      scores.cols};
    for (size_t row = 0; rows.top_n > 0 && row < view.rows; ++row) {
      for (const uint32_t c : TopColumns(view.Row(row), rows.top_n)) {
        rows.top_classes.push_back(c);
        rows.top_probabilities.push_back(view.Row(row)[c]);
      }
    }
    if (outputs.probabilities) rows.probabilities = std::move(probabilities);
  }
  if (outputs.logits) {
    rows.logits.assign(scores.Values().begin(), scores.Values().end());
  }
  if (outputs.expert_probabilities) {
    LADDER_RETURN_IF_ERROR(AddExperts(model, padded, z_c.rows(), stop, rows));
  }
  if (answer.routing.per_sample) rows.sample_weights = std::move(weights);
  rows.indices = std::move(content.indices);
  rows.ids = std::move(content.ids);
  return rows;
}

std::vector<uint32_t> TopColumns(std::span<const float> row, size_t n) {
  // An order of all floats, which sorting needs: NaN is below every number.
  const auto is_higher = [row](uint32_t a, uint32_t b) {
    return row[a] > row[b] || (std::isnan(row[b]) && !std::isnan(row[a]));
  };
  std::vector<uint32_t> columns(row.size());
  std::iota(columns.begin(), columns.end(), 0);
  std::partial_sort(columns.begin(),
                    columns.begin() + static_cast<std::ptrdiff_t>(n),
                    columns.end(), [&](uint32_t a, uint32_t b) {
                      if (is_higher(a, b)) return true;
                      return !is_higher(b, a) && a < b;
                    });
  columns.resize(n);
  return columns;
}

absl::StatusOr<std::vector<float>> ExpertProbabilities(
    const model_store::Model& model, size_t source,
    const model_store::Tensor& z_c, const std::stop_token& stop) {
  std::vector<float> weights(model.manifest().num_sources());
  weights[source] = 1;
  LADDER_ASSIGN_OR_RETURN(
      const model_store::Tensor logits,
      model.Logits(z_c, {weights.data(), 1, weights.size()}, stop));
  LADDER_RETURN_IF_ERROR(CheckLogits(model, logits.view(), [&](size_t) {
    return absl::StrCat("a sample by the expert of source ",
                        model.manifest().sources[source].name);
  }));
  std::vector<float> probabilities(logits.rows() * logits.cols());
  LADDER_RETURN_IF_ERROR(routing::SoftmaxRows(logits.view(), probabilities));
  return probabilities;
}

absl::StatusOr<double> ExpertDisagreement(std::span<const double> weights,
                                          size_t num_rows,
                                          ExpertOpinion opinion) {
  std::vector<Expert> experts;
  double total = 0;
  for (const size_t source : Heaviest(weights)) {
    LADDER_ASSIGN_OR_RETURN(auto probabilities, opinion(source));
    experts.push_back({weights[source], std::move(probabilities)});
    total += weights[source];
  }
  if (experts.empty()) return 0;
  double sum = 0;
  for (size_t i = 0; i < experts.front().probabilities->size(); ++i) {
    double mean = 0;
    for (const Expert& expert : experts) {
      mean += expert.weight / total * (*expert.probabilities)[i];
    }
    for (const Expert& expert : experts) {
      sum +=
          expert.weight / total * std::abs((*expert.probabilities)[i] - mean);
    }
  }
  // Total variation is half of the absolute differences.
  return sum / 2 / static_cast<double>(num_rows);
}

}  // namespace ladder::server
