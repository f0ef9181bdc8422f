#include "server/inference/output_tensor.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/inference/infer_parameters.h"
#include "server/inference/quoted_text.h"

namespace ladder::server {
namespace {

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
  const absl::StatusOr<Output> output = ParseOutput(tensor.name());
  if (!output.ok()) return output.status();
  const std::string where = absl::StrCat("output ", tensor.name());
  const absl::StatusOr<std::optional<int64_t>> count =
      ParseClassification(tensor.parameters(), where);
  if (!count.ok()) return count.status();
  if (!count->has_value()) return WantedOutput{.output = *output};
  if (!CanBeRanked(*output)) {
    return absl::InvalidArgumentError(
        absl::StrCat(where,
                     ": parameter classification: expected with probabilities, "
                     "logits or weights only"));
  }
  const auto num_columns =
      static_cast<int64_t>(ColumnNames(*output, model).size());
  return WantedOutput{
      .output = *output,
      .top_n = static_cast<size_t>(std::min(**count, num_columns))};
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
    const absl::StatusOr<WantedOutput> parsed =
        ParseWantedOutput(tensor, model);
    if (!parsed.ok()) return parsed.status();
    const bool is_known = std::any_of(wanted.begin(), wanted.end(),
                                      [&](const WantedOutput& other) {
                                        return other.output == parsed->output;
                                      });
    // Which also bounds how many there can be.
    if (is_known) {
      return absl::InvalidArgumentError(
          absl::StrCat("outputs: expected each at most once, got ",
                       tensor.name(), " twice"));
    }
    wanted.push_back(*parsed);
  }
  return wanted;
}

}  // namespace ladder::server
