#include "imaging/rejection.h"

#include <cstddef>
#include <iterator>

#include "absl/strings/cord.h"

namespace ladder::imaging {
namespace {

constexpr char kPayload[] = "ladder.imaging.Rejection";

// The names stand in the order of the enumerators.
constexpr absl::string_view kRejectionNames[] = {"unsupported", "too_large",
                                                 "corrupt"};

}  // namespace

absl::string_view RejectionName(Rejection rejection) {
  return kRejectionNames[static_cast<size_t>(rejection)];
}

absl::Status RejectImage(Rejection rejection, absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kPayload, absl::Cord(RejectionName(rejection)));
  return status;
}

std::optional<Rejection> GetRejection(const absl::Status& status) {
  const absl::optional<absl::Cord> name = status.GetPayload(kPayload);
  if (!name.has_value()) return std::nullopt;
  for (size_t i = 0; i < std::size(kRejectionNames); ++i) {
    if (*name == kRejectionNames[i]) return static_cast<Rejection>(i);
  }
  return std::nullopt;
}

}  // namespace ladder::imaging
