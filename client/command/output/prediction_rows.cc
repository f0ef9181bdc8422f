#include "client/command/output/prediction_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/files/csv.h"
#include "base/status_macros.h"
#include "base/text/quantities.h"
#include "client/command/output/row_text.h"

static_assert(std::endian::native == std::endian::little,
              "numbers are taken from messages as they are");

namespace ladder::client {
namespace {

size_t NumPredicted(const v1::Predictions& predictions) {
  return static_cast<size_t>(predictions.labels_size());
}

// How many of the most probable classes each sample has.
size_t NumTop(const v1::Predictions& predictions) {
  const size_t n = NumPredicted(predictions);
  return n == 0 ? 0 : static_cast<size_t>(predictions.top_classes_size()) / n;
}

bool HasProbabilities(const v1::Predictions& predictions) {
  return !predictions.probabilities().float32().empty();
}

float At(const v1::Matrix& matrix, size_t row, size_t column) {
  float value = 0;
  std::memcpy(&value,
              matrix.float32().data() +
                  (row * matrix.columns() + column) * sizeof(float),
              sizeof(value));
  return value;
}

std::optional<float> LabelProbability(const v1::Predictions& predictions,
                                      size_t place) {
  if (HasProbabilities(predictions)) {
    return At(predictions.probabilities(), place,
              predictions.labels(static_cast<int>(place)));
  }
  const size_t num_top = NumTop(predictions);
  if (num_top == 0) return std::nullopt;
  return predictions.top_probabilities(static_cast<int>(place * num_top));
}

absl::string_view IdOf(const v1::Predictions& predictions,
                       const AnsweredSample& sample) {
  const auto place = static_cast<int>(sample.place);
  if (sample.is_rejected) return predictions.rejected(place).id();
  if (predictions.ids().empty()) return "";
  return predictions.ids(place);
}

std::string ErrorOf(const v1::RejectedSample& rejected) {
  return absl::StrCat(rejected.reason(), rejected.message().empty() ? "" : ": ",
                      rejected.message());
}

absl::Status CheckCount(absl::string_view what, size_t expected, size_t found) {
  if (expected == found) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("predictions.", what, ": expected ",
                                          expected, ", the ", "server sent ",
                                          found));
}

absl::Status CheckMatrix(absl::string_view what, bool is_wanted,
                         const v1::Matrix& matrix, size_t num_rows,
                         size_t num_classes) {
  if (!is_wanted && matrix.float32().empty()) return absl::OkStatus();
  if (num_classes > 0 && matrix.columns() != num_classes) {
    return absl::FailedPreconditionError(absl::StrCat(
        what, ": expected ", num_classes, " classes, the server sent ",
        matrix.columns(), "; has the model been replaced meanwhile?"));
  }
  return CheckCount(what, num_rows * matrix.columns() * sizeof(float),
                    matrix.float32().size());
}

void AppendJsonMatrixRow(const v1::Matrix& matrix, size_t row_index,
                         std::string& row) {
  row.push_back('[');
  for (size_t i = 0; i < matrix.columns(); ++i) {
    if (i > 0) row.push_back(',');
    AppendJsonNumber(At(matrix, row_index, i), row);
  }
  row.push_back(']');
}

}  // namespace

std::vector<AnsweredSample> AnsweredSamples(
    const v1::Predictions& predictions) {
  std::vector<AnsweredSample> samples;
  for (size_t i = 0; i < NumPredicted(predictions); ++i) {
    const uint64_t index = predictions.indices().empty()
                               ? predictions.first_index() + i
                               : predictions.indices(static_cast<int>(i));
    samples.push_back({index, i, /*is_rejected=*/false});
  }
  for (int i = 0; i < predictions.rejected_size(); ++i) {
    samples.push_back({predictions.rejected(i).index(), static_cast<size_t>(i),
                       /*is_rejected=*/true});
  }
  std::stable_sort(samples.begin(), samples.end(),
                   [](const AnsweredSample& a, const AnsweredSample& b) {
                     return a.index < b.index;
                   });
  return samples;
}

PredictionRows::PredictionRows(OutputFileOptions options)
    : options_(std::move(options)) {}

std::string PredictionRows::Header() const {
  if (options_.format == OutputFormat::kJsonLines) return "";
  std::string header = "group,index,id,label,class,probability,error";
  for (size_t i = 1; i <= options_.top_n; ++i) {
    absl::StrAppend(&header, ",top_", i, ",top_", i, "_probability");
  }
  const auto add_classes = [&](absl::string_view prefix) {
    for (const std::string& name : options_.classes) {
      absl::StrAppend(&header, ",",
                      base::CsvField(absl::StrCat(prefix, VisibleText(name))));
    }
  };
  if (options_.probabilities) add_classes("p_");
  if (options_.logits) add_classes("logit_");
  return header + "\n";
}

absl::Status PredictionRows::Append(absl::string_view group,
                                    const v1::Predictions& predictions,
                                    std::string& rows) const {
  LADDER_RETURN_IF_ERROR(Check(predictions));
  for (const AnsweredSample& sample : AnsweredSamples(predictions)) {
    if (options_.format == OutputFormat::kCsv) {
      AppendCsv(group, predictions, sample, rows);
    } else {
      AppendJson(group, predictions, sample, rows);
    }
  }
  return absl::OkStatus();
}

absl::Status PredictionRows::Check(const v1::Predictions& predictions) const {
  const size_t n = NumPredicted(predictions);
  const size_t num_classes = options_.classes.size();
  absl::Status status = absl::OkStatus();
  if (!predictions.ids().empty()) {
    status.Update(CheckCount("ids", n, predictions.ids().size()));
  }
  if (!predictions.indices().empty()) {
    status.Update(CheckCount("indices", n, predictions.indices().size()));
  }
  status.Update(CheckCount("top_classes", n * NumTop(predictions),
                           predictions.top_classes().size()));
  status.Update(CheckCount("top_probabilities", n * NumTop(predictions),
                           predictions.top_probabilities().size()));
  if (n > 0) {
    status.Update(CheckMatrix("probabilities", options_.probabilities,
                              predictions.probabilities(), n, num_classes));
    status.Update(CheckMatrix("logits", options_.logits, predictions.logits(),
                              n, num_classes));
  }
  const size_t num_labels =
      HasProbabilities(predictions)
          ? std::min<size_t>(predictions.probabilities().columns(),
                             num_classes == 0 ? SIZE_MAX : num_classes)
          : num_classes;
  const auto is_unknown = [&](uint32_t label) {
    return num_labels > 0 && label >= num_labels;
  };
  if (std::any_of(predictions.labels().begin(), predictions.labels().end(),
                  is_unknown) ||
      std::any_of(predictions.top_classes().begin(),
                  predictions.top_classes().end(), is_unknown)) {
    status.Update(absl::FailedPreconditionError(
        absl::StrCat("labels: expected less than ", num_labels,
                     "; has the model been replaced meanwhile?")));
  }
  return status;
}

absl::string_view PredictionRows::ClassName(uint32_t label) const {
  return label < options_.classes.size()
             ? absl::string_view(options_.classes[label])
             : "";
}

void PredictionRows::AppendCsv(absl::string_view group,
                               const v1::Predictions& predictions,
                               const AnsweredSample& sample,
                               std::string& row) const {
  absl::StrAppend(&row, base::CsvField(group), ",", sample.index, ",",
                  base::CsvField(IdOf(predictions, sample)));
  if (sample.is_rejected) {
    absl::StrAppend(&row, ",,,,",
                    base::CsvField(VisibleText(ErrorOf(predictions.rejected(
                        static_cast<int>(sample.place))))));
    const size_t num_empty =
        2 * options_.top_n +
        (size_t{options_.probabilities} + size_t{options_.logits}) *
            options_.classes.size();
    row.append(num_empty, ',');
    row.push_back('\n');
    return;
  }
  const uint32_t label = predictions.labels(static_cast<int>(sample.place));
  absl::StrAppend(&row, ",", label, ",",
                  base::CsvField(VisibleText(ClassName(label))), ",");
  const auto probability = LabelProbability(predictions, sample.place);
  if (probability.has_value()) row += base::ShortestText(*probability);
  row.push_back(',');  // No error.
  const size_t num_top = NumTop(predictions);
  for (size_t i = 0; i < options_.top_n; ++i) {
    // A model may have fewer classes than were asked for.
    if (i >= num_top) {
      row.append(",,");
      continue;
    }
    const auto place = static_cast<int>(sample.place * num_top + i);
    const uint32_t top = predictions.top_classes(place);
    absl::StrAppend(&row, ",", base::CsvField(VisibleText(ClassName(top))));
    if (ClassName(top).empty()) absl::StrAppend(&row, top);
    absl::StrAppend(&row, ",",
                    base::ShortestText(predictions.top_probabilities(place)));
  }
  const auto add_matrix = [&](const v1::Matrix& matrix) {
    for (size_t i = 0; i < options_.classes.size(); ++i) {
      row.push_back(',');
      row += base::ShortestText(At(matrix, sample.place, i));
    }
  };
  if (options_.probabilities) add_matrix(predictions.probabilities());
  if (options_.logits) add_matrix(predictions.logits());
  row.push_back('\n');
}

void PredictionRows::AppendJson(absl::string_view group,
                                const v1::Predictions& predictions,
                                const AnsweredSample& sample,
                                std::string& row) const {
  row.append("{\"group\":");
  AppendJsonString(group, row);
  absl::StrAppend(&row, ",\"index\":", sample.index, ",\"id\":");
  AppendJsonString(IdOf(predictions, sample), row);
  if (sample.is_rejected) {
    row.append(",\"error\":");
    AppendJsonString(
        ErrorOf(predictions.rejected(static_cast<int>(sample.place))), row);
    row.append("}\n");
    return;
  }
  const auto add_class = [&](uint32_t label) {
    absl::StrAppend(&row, "\"label\":", label);
    if (ClassName(label).empty()) return;
    row.append(",\"class\":");
    AppendJsonString(ClassName(label), row);
  };
  row.push_back(',');
  add_class(predictions.labels(static_cast<int>(sample.place)));
  const auto probability = LabelProbability(predictions, sample.place);
  if (probability.has_value()) {
    row.append(",\"probability\":");
    AppendJsonNumber(*probability, row);
  }
  const size_t num_top = NumTop(predictions);
  if (options_.top_n > 0) row.append(",\"top\":[");
  for (size_t i = 0; i < std::min(options_.top_n, num_top); ++i) {
    const auto place = static_cast<int>(sample.place * num_top + i);
    row.append(i == 0 ? "{" : ",{");
    add_class(predictions.top_classes(place));
    row.append(",\"probability\":");
    AppendJsonNumber(predictions.top_probabilities(place), row);
    row.push_back('}');
  }
  if (options_.top_n > 0) row.push_back(']');
  if (options_.probabilities) {
    row.append(",\"probabilities\":");
    AppendJsonMatrixRow(predictions.probabilities(), sample.place, row);
  }
  if (options_.logits) {
    row.append(",\"logits\":");
    AppendJsonMatrixRow(predictions.logits(), sample.place, row);
  }
  row.append("}\n");
}

}  // namespace ladder::client
