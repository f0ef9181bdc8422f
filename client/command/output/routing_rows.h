#ifndef LADDER_CLIENT_COMMAND_OUTPUT_ROUTING_ROWS_H_
#define LADDER_CLIENT_COMMAND_OUTPUT_ROUTING_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/command/output/output_options.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

// What a row says of a group beside its routing.
struct RoutedGroup {
  absl::string_view name = {};
  uint64_t num_samples = 0;
  uint64_t num_rejected = 0;  // Among them.
  absl::Duration elapsed = {};
};

// Turns a group's routing into a row. CSV has the columns group, n, rejected,
// model, version, method, coverage, nearest_distance, effective_experts,
// stability, fallback, fallback_reason, then w_<source> and d_<source>, then
// seconds; JSON lines the same with objects weights and distances. What the
// server did not say is empty or null. Immutable and thread-safe.
class RoutingRows {
 public:
  explicit RoutingRows(const OutputFileOptions& options);

  // The line that names the columns; empty for JSON lines.
  std::string Header() const;

  // Appends a row. FailedPrecondition if CSV's columns are of other sources;
  // `rows` is then as before.
  absl::Status Append(const RoutedGroup& group, const v1::Routing& routing,
                      std::string& rows) const;

 private:
  const OutputFormat format_;
  const std::vector<std::string> sources_;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_OUTPUT_ROUTING_ROWS_H_
