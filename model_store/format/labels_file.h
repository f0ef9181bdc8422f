#ifndef LADDER_MODEL_STORE_FORMAT_LABELS_FILE_H_
#define LADDER_MODEL_STORE_FORMAT_LABELS_FILE_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::model_store {

// Names for a model's versions, which move from one to another.
using Labels = std::map<std::string, uint64_t>;

// Where they are, beside the versions: `<store>/<model>/labels.json`.
inline constexpr char kLabelsFile[] = "labels.json";

// Whoever names neither version nor label gets the version with this label,
// where there is one.
inline constexpr char kStableLabel[] = "stable";

// A letter, then letters, digits, '_', '-' and '.', at most 128: never to be
// taken for a version. InvalidArgument otherwise.
absl::Status CheckLabel(absl::string_view label);

// Parses such a file, {"stable": 3, "canary": 4}. InvalidArgument, naming file
// and label, what was expected and what was found.
absl::StatusOr<Labels> ParseLabels(absl::string_view text);

// The text of a file with these labels.
std::string FormatLabels(const Labels& labels);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_FORMAT_LABELS_FILE_H_
