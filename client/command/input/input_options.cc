#include "client/command/input/input_options.h"

#include "absl/strings/str_cat.h"

namespace ladder::command {

absl::StatusOr<ColumnFilter> ParseColumnFilter(absl::string_view text) {
  const size_t sign = text.find('=');
  if (sign == absl::string_view::npos || sign == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--where: expected COLUMN=VALUE, such as split=test, got \"", text,
        "\""));
  }
  return ColumnFilter{std::string(text.substr(0, sign)),
                      std::string(text.substr(sign + 1))};
}

absl::Status InputOptions::Validate() const {
  if (max_chunk_samples == 0 || max_chunk_bytes == 0 ||
      max_picture_bytes == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("limits of chunks: expected at least 1, got ",
                     max_chunk_samples, " samples, ", max_chunk_bytes,
                     " bytes, ", max_picture_bytes, " bytes of a picture"));
  }
  if (!group_by.empty() && !group_regex.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected --group-by or --group-regex, got both: ", group_by, " and ",
        group_regex));
  }
  return absl::OkStatus();
}

}  // namespace ladder::command
