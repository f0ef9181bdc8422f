#ifndef LADDER_CLIENT_COMMAND_OUTPUT_OUTPUT_H_
#define LADDER_CLIENT_COMMAND_OUTPUT_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/command/output/group_spool.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

// Where a run's groups go, each as a whole. Thread-safe.
class Output {
 public:
  virtual ~Output() = default;

  // A spool for the rows of a group in flight; this object must outlive it.
  virtual std::unique_ptr<GroupSpool> NewSpool(
      absl::string_view group) const = 0;

  // Adds a finished group. An error as of GroupSpool::CheckComplete,
  // RoutingRows::Append or writing; the group does not count then.
  virtual absl::Status Commit(const GroupSpool& spool,
                              const v1::Routing& routing,
                              absl::Duration elapsed) = 0;

  // How many samples a finished group had; none if it is not finished.
  virtual std::optional<uint64_t> FinishedSamples(
      absl::string_view group) const = 0;
  virtual size_t num_finished() const = 0;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_OUTPUT_OUTPUT_H_
