#include "client/command/output/routing_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/files/csv.h"
#include "base/text/quantities.h"
#include "client/command/output/message_text.h"
#include "client/command/output/row_text.h"

namespace ladder::client {
namespace {

// Writes one row, field by field, in either format. JSON has a null for what
// is empty.
class RowWriter {
 public:
  RowWriter(OutputFormat format, std::string& row)
      : is_json_(format == OutputFormat::kJsonLines), row_(row) {}

  void Text(absl::string_view name, absl::string_view text) {
    Begin(name);
    if (!is_json_) {
      row_ += base::CsvField(text);
    } else if (text.empty()) {
      row_.append("null");
    } else {
      AppendJsonString(text, row_);
    }
  }

  void Count(absl::string_view name, uint64_t count) {
    Begin(name);
    absl::StrAppend(&row_, count);
  }

  void Number(absl::string_view name, std::optional<double> number) {
    Begin(name);
    if (is_json_) {
      AppendJsonNumber(number.value_or(NAN), row_);
    } else if (number.has_value()) {
      row_ += base::ShortestText(*number);
    }
  }

  // A field for each source in CSV, an object of them in JSON.
  void Sources(absl::string_view name, const v1::Routing& routing,
               bool is_known, double (v1::SourceWeight::*value)() const) {
    if (is_json_ && !is_known) return Text(name, "");
    if (is_json_) {
      Begin(name);
      is_first_ = true;
    }
    for (const v1::SourceWeight& source : routing.sources()) {
      Number(source.source(),
             is_known ? std::optional((source.*value)()) : std::nullopt);
    }
    if (is_json_) row_.append(is_first_ ? "{}" : "}");
    is_first_ = false;
  }

  void End() { row_.append(is_json_ ? "}\n" : "\n"); }

 private:
  void Begin(absl::string_view name) {
    if (is_json_) {
      row_.push_back(is_first_ ? '{' : ',');
      AppendJsonString(name, row_);
      row_.push_back(':');
    } else if (!is_first_) {
      row_.push_back(',');
    }
    is_first_ = false;
  }

  const bool is_json_;
  std::string& row_;
  bool is_first_ = true;  // Of the row, or of the object that is open.
};

}  // namespace

RoutingRows::RoutingRows(const OutputFileOptions& options)
    : format_(options.format), sources_(options.sources) {}

std::string RoutingRows::Header() const {
  if (format_ == OutputFormat::kJsonLines) return "";
  std::string header =
      "group,n,rejected,model,version,method,coverage,nearest_distance,"
      "effective_experts,stability,fallback,fallback_reason";
  for (const absl::string_view prefix : {"w_", "d_"}) {
    for (const std::string& source : sources_) {
      absl::StrAppend(
          &header, ",",
          base::CsvField(absl::StrCat(prefix, VisibleText(source))));
    }
  }
  return header + ",seconds\n";
}

absl::Status RoutingRows::Append(const RoutedGroup& group,
                                 const v1::Routing& routing,
                                 std::string& rows) const {
  const bool has_columns =
      std::equal(sources_.begin(), sources_.end(), routing.sources().begin(),
                 routing.sources().end(),
                 [](const std::string& column, const v1::SourceWeight& source) {
                   return column == source.source();
                 });
  if (format_ == OutputFormat::kCsv && !has_columns) {
    return absl::FailedPreconditionError(absl::StrCat(
        "routing of group \"", group.name, "\": expected the ", sources_.size(),
        " sources that are columns, the server sent ", routing.sources_size(),
        " of version ", routing.version(),
        "; has the model been replaced meanwhile?"));
  }
  RowWriter row(format_, rows);
  row.Text("group", group.name);
  row.Count("n", group.num_samples);
  row.Count("rejected", group.num_rejected);
  row.Text("model", VisibleText(routing.model()));
  row.Count("version", routing.version());
  row.Text("method", MethodName(routing.method()));
  row.Text("coverage", VerdictName(routing));
  const auto number_if = [](bool is_known, double number) {
    return is_known ? std::optional(number) : std::nullopt;
  };
  row.Number("nearest_distance",
             number_if(routing.has_distances(),
                       routing.coverage().nearest_distance()));
  row.Number("effective_experts", routing.effective_experts());
  row.Number("stability",
             number_if(routing.has_stability(),
                       routing.stability().mean_total_variation()));
  const v1::AppliedFallback& fallback = routing.fallback();
  const bool fell_back = routing.has_fallback();
  row.Text("fallback", fell_back ? FallbackName(fallback.fallback()) : "");
  row.Text("fallback_reason",
           fell_back ? FallbackReasonName(fallback.reason()) : "");
  row.Sources("weights", routing, /*is_known=*/true, &v1::SourceWeight::weight);
  row.Sources("distances", routing, routing.has_distances(),
              &v1::SourceWeight::distance);
  // Milliseconds are enough.
  row.Number("seconds",
             std::round(absl::ToDoubleMilliseconds(group.elapsed)) / 1000);
  row.End();
  return absl::OkStatus();
}

}  // namespace ladder::client
