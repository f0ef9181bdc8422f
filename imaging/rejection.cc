#include "imaging/rejection.h"

#include "absl/strings/cord.h"

namespace ladder::imaging {
namespace {

constexpr char kPayload[] = "ladder.imaging.Rejection";

constexpr Rejection kRejections[] = {Rejection::kUnsupported,
                                     Rejection::kTooLarge, Rejection::kCorrupt};

}  // namespace

absl::string_view RejectionName(Rejection rejection) {
  switch (rejection) {
    case Rejection::kUnsupported:
      return "unsupported";
    case Rejection::kTooLarge:
      return "too_large";
    case Rejection::kCorrupt:
      return "corrupt";
  }
  return "unknown";
}

absl::Status RejectImage(Rejection rejection, absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kPayload, absl::Cord(RejectionName(rejection)));
  return status;
}

std::optional<Rejection> GetRejection(const absl::Status& status) {
  const absl::optional<absl::Cord> name = status.GetPayload(kPayload);
  if (!name.has_value()) return std::nullopt;
  for (const Rejection rejection : kRejections) {
    if (*name == RejectionName(rejection)) return rejection;
  }
  return std::nullopt;
}

}  // namespace ladder::imaging
