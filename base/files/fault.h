#ifndef LADDER_BASE_FILES_FAULT_H_
#define LADDER_BASE_FILES_FAULT_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ladder::base {

// An InvalidArgument error about one row or sample, with a reason that is short
// enough to count by: "bad label", "missing file".
absl::Status Fault(absl::string_view reason, absl::string_view message);

// The reason that an error carries; none if it is no fault of the data.
std::optional<std::string> FaultReason(const absl::Status& status);

// The same error, its message beginning with the place where it was met.
absl::Status AtPlace(absl::string_view place, const absl::Status& status);

}  // namespace ladder::base

#endif  // LADDER_BASE_FILES_FAULT_H_
