#ifndef LADDER_CLIENT_COMMAND_OUTPUT_GROUP_SPOOL_H_
#define LADDER_CLIENT_COMMAND_OUTPUT_GROUP_SPOOL_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/command/output/data_file.h"
#include "client/command/output/prediction_rows.h"
#include "client/command/output/routing_rows.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

// The rows of a group while it is in flight: in memory, and beyond a limit in a
// temporary file. One caller at a time.
class GroupSpool {
 public:
  // `rows` must outlive this object; a temporary file would lie beside
  // `beside`.
  GroupSpool(std::string group, const PredictionRows& rows,
             std::filesystem::path beside,
             size_t max_memory = kDefaultMaxMemory);

  const std::string& group() const { return group_; }
  uint64_t num_samples() const { return num_samples_; }
  uint64_t num_rejected() const { return num_rejected_; }  // Among them.

  // Adds a row for each sample of the message. Internal if one came before;
  // else as PredictionRows::Append, or as writing. After an error, Discard.
  absl::Status Add(const v1::Predictions& predictions);

  // Empties it, for another attempt.
  void Discard();

  // Internal if a sample is missing below the highest that came, or all are.
  absl::Status CheckComplete() const;

  // The group's row among `rows`. Errors as CheckComplete and
  // RoutingRows::Append.
  absl::StatusOr<std::string> RoutingRow(const RoutingRows& rows,
                                         const v1::Routing& routing,
                                         absl::Duration elapsed) const;

  // Hands all rows to `write`, piece by piece, until it fails.
  absl::Status CopyTo(
      absl::FunctionRef<absl::Status(absl::string_view)> write) const;

 private:
  static constexpr size_t kDefaultMaxMemory = size_t{4} << 20;

  absl::Status Mark(const v1::Predictions& predictions);

  const std::string group_;
  const PredictionRows& rows_;
  const std::filesystem::path beside_;
  const size_t max_memory_;
  std::string memory_;            // Goes behind what is in the file.
  std::optional<DataFile> file_;  // Once there was too much for memory.
  std::vector<bool> seen_;        // Whether a sample came, by its index.
  uint64_t num_samples_ = 0;
  uint64_t num_rejected_ = 0;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_OUTPUT_GROUP_SPOOL_H_
