#include "server/inference/output_tensor.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "server/groups/predict_rows.h"
#include "server/inference/infer_parameters.h"

namespace ladder::server {
namespace {

static_assert(std::endian::native == std::endian::little,
              "Lengths of elements are copied as they are.");

using RequestedTensor =
    inference::ModelInferRequest::InferRequestedOutputTensor;

absl::StatusOr<Output> ParseOutput(absl::string_view name) {
  const auto* const found =
      std::find_if(kAllOutputs.begin(), kAllOutputs.end(),
                   [&](Output output) { return OutputName(output) == name; });
  if (found != kAllOutputs.end()) return *found;
  const auto append = [](std::string* text, Output output) {
    absl::StrAppend(text, OutputName(output));
  };
  return absl::InvalidArgumentError(absl::StrCat(
      "outputs: expected ", absl::StrJoin(kAllOutputs, ", ", append), ", got ",
      QuotedText(name)));
}

// The highest of something that is best when low would mislead.
bool CanBeRanked(Output output) {
  return output != Output::kLabel && output != Output::kDistances;
}

absl::StatusOr<WantedOutput> ParseWantedOutput(const RequestedTensor& tensor,
                                               const ModelSignature& model) {
  LADDER_ASSIGN_OR_RETURN(const Output output, ParseOutput(tensor.name()));
  const std::string where = absl::StrCat("output ", tensor.name());
  LADDER_ASSIGN_OR_RETURN(const std::optional<int64_t> count,
                          ParseClassification(tensor.parameters(), where));
  if (!count.has_value()) return WantedOutput{.output = output};
  if (!CanBeRanked(output)) {
    return absl::InvalidArgumentError(
        absl::StrCat(where,
                     ": parameter classification: expected with probabilities, "
                     "logits or weights only"));
  }
  const auto num_columns =
      static_cast<int64_t>(ColumnNames(output, model).size());
  return WantedOutput{
      .output = output,
      .top_n = static_cast<size_t>(std::min(*count, num_columns))};
}

}  // namespace

absl::string_view OutputName(Output output) {
  switch (output) {
    case Output::kProbabilities:
      return "probabilities";
    case Output::kLogits:
      return "logits";
    case Output::kLabel:
      return "label";
    case Output::kWeights:
      return "weights";
    case Output::kDistances:
      return "distances";
  }
  return "";
}

std::span<const std::string> ColumnNames(Output output,
                                         const ModelSignature& model) {
  switch (output) {
    case Output::kProbabilities:
    case Output::kLogits:
      return model.classes;
    case Output::kWeights:
    case Output::kDistances:
      return model.sources;
    case Output::kLabel:
      break;
  }
  return {};
}

absl::StatusOr<std::vector<WantedOutput>> ParseWantedOutputs(
    const inference::ModelInferRequest& request, const ModelSignature& model) {
  if (request.outputs().empty()) {
    return std::vector<WantedOutput>{{.output = Output::kProbabilities},
                                     {.output = Output::kLabel},
                                     {.output = Output::kWeights}};
  }
  std::vector<WantedOutput> wanted;
  for (const RequestedTensor& tensor : request.outputs()) {
    LADDER_ASSIGN_OR_RETURN(const WantedOutput parsed,
                            ParseWantedOutput(tensor, model));
    const bool is_known = std::any_of(wanted.begin(), wanted.end(),
                                      [&](const WantedOutput& other) {
                                        return other.output == parsed.output;
                                      });
    // This also bounds how many there can be.
    if (is_known) {
      return absl::InvalidArgumentError(
          absl::StrCat("outputs: expected each at most once, got ",
                       tensor.name(), " twice"));
    }
    wanted.push_back(parsed);
  }
  return wanted;
}

void AppendBytesElement(absl::string_view element, std::string& raw) {
  const auto length = static_cast<uint32_t>(element.size());
  char bytes[sizeof(length)];
  std::memcpy(bytes, &length, sizeof(length));
  raw.append(bytes, sizeof(bytes));
  raw.append(element.data(), element.size());
}

std::string ClassificationBytes(const routing::MatrixView& values,
                                std::span<const std::string> names,
                                size_t top_n) {
  std::string raw;
  for (size_t i = 0; i < values.rows; ++i) {
    const std::span<const float> row = values.Row(i);
    for (const uint32_t column : TopColumns(row, top_n)) {
      AppendBytesElement(
          absl::StrFormat("%f:%d:%s", row[column], column, names[column]), raw);
    }
  }
  return raw;
}

}  // namespace ladder::server
