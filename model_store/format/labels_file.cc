#include "model_store/format/labels_file.h"

#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model_store/format/json_reader.h"
#include "model_store/format/manifest.h"

namespace ladder::model_store {

absl::Status CheckLabel(absl::string_view label) {
  if (!label.empty() && absl::ascii_isalpha(label[0]) &&
      CheckModelName(label).ok()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "label: expected a letter, then letters, digits, '_', '-' and '.', "
      "found \"",
      label, "\""));
}

absl::StatusOr<Labels> ParseLabels(absl::string_view text) {
  LADDER_ASSIGN_OR_RETURN(JsonDocument document,
                          JsonDocument::Parse(text, kLabelsFile));
  Labels labels;
  for (const auto& [label, value] : document.root().Members()) {
    if (const absl::Status status = CheckLabel(label); !status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(kLabelsFile, ": ", status.message()));
    }
    const uint64_t version = value.Integer(INT64_MAX);
    if (version == 0) value.Fail("a positive version");
    labels.emplace(label, version);
  }
  LADDER_RETURN_IF_ERROR(document.status());
  return labels;
}

std::string FormatLabels(const Labels& labels) {
  return nlohmann::json(labels).dump(/*indent=*/2) + "\n";
}

}  // namespace ladder::model_store
