#ifndef LADDER_IMAGING_REJECTION_H_
#define LADDER_IMAGING_REJECTION_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ladder::imaging {

// Why a picture was not decoded; few enough to label a metric with.
enum class Rejection {
  kUnsupported,  // Not a JPEG or PNG, or a kind of JPEG that is not decoded.
  kTooLarge,     // Beyond DecodeLimits.
  kCorrupt,      // Damaged, truncated or against the format's rules.
};

// "unsupported", "too_large" or "corrupt".
absl::string_view RejectionName(Rejection rejection);

// An InvalidArgument error that carries its reason along.
absl::Status RejectImage(Rejection rejection, absl::string_view message);

// The reason that an error of this module carries; none in any other status.
std::optional<Rejection> GetRejection(const absl::Status& status);

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_REJECTION_H_
