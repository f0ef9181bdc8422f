#include "client/command/output/output_options.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace ladder::client {

absl::string_view OutputFormatName(OutputFormat format) {
  return format == OutputFormat::kCsv ? "csv" : "jsonl";
}

v1::OutputOptions OutputFileOptions::Request() const {
  v1::OutputOptions request;
  // The first is the label's probability.
  size_t num_top = std::max(top_n, size_t{1});
  if (!classes.empty()) num_top = std::min(num_top, classes.size());
  request.set_top_n(static_cast<uint32_t>(num_top));
  request.set_probabilities(probabilities);
  request.set_logits(logits);
  return request;
}

std::filesystem::path OutputFileOptions::RoutingPath() const {
  if (!routing.empty()) return routing;
  std::filesystem::path path = predictions;
  path.replace_extension(".routing");
  path += predictions.extension();
  return path;
}

std::filesystem::path OutputFileOptions::JournalPath() const {
  std::filesystem::path path = predictions;
  path += ".journal";
  return path;
}

absl::Status OutputFileOptions::Validate() const {
  if (!predictions.has_filename()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--output: expected a file, got \"", predictions.string(), "\""));
  }
  if (routing == "-") {
    return absl::InvalidArgumentError(
        "--routing-output: expected a file, got \"-\"");
  }
  const std::filesystem::path other = RoutingPath().lexically_normal();
  if (other == predictions.lexically_normal() ||
      other == JournalPath().lexically_normal()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--routing-output: expected another file than ", predictions.string(),
        " and its journal, got ", other.string()));
  }
  if (format == OutputFormat::kCsv && (probabilities || logits) &&
      classes.empty()) {
    return absl::InvalidArgumentError(
        "--probabilities, --logits: columns need the classes' names, which "
        "are not known; expected the format jsonl, got csv");
  }
  return absl::OkStatus();
}

}  // namespace ladder::client
