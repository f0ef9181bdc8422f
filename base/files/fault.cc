#include "base/files/fault.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace ladder::base {
namespace {

constexpr char kPayload[] = "ladder.tables.Fault";

}  // namespace

absl::Status Fault(absl::string_view reason, absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kPayload, absl::Cord(reason));
  return status;
}

std::optional<std::string> FaultReason(const absl::Status& status) {
  const absl::optional<absl::Cord> reason = status.GetPayload(kPayload);
  if (!reason.has_value()) return std::nullopt;
  return std::string(*reason);
}

absl::Status AtPlace(absl::string_view place, const absl::Status& status) {
  if (status.ok()) return status;
  absl::Status placed(status.code(),
                      absl::StrCat(place, ": ", status.message()));
  status.ForEachPayload([&](absl::string_view type, const absl::Cord& payload) {
    placed.SetPayload(type, payload);
  });
  return placed;
}

}  // namespace ladder::base
