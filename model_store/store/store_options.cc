#include "model_store/store/store_options.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model_store/format/manifest.h"

namespace ladder::model_store {
namespace {

// Anything longer is more likely a slip of units.
constexpr absl::Duration kMaxPollInterval = absl::Hours(24);

}  // namespace

absl::string_view StoreModeName(StoreMode mode) {
  switch (mode) {
    case StoreMode::kPoll:
      return "poll";
    case StoreMode::kExplicit:
      return "explicit";
    case StoreMode::kNone:
      return "none";
  }
  return "unknown";
}

absl::Status StoreOptions::Validate() const {
  if (poll_interval <= absl::ZeroDuration() ||
      (poll_interval > kMaxPollInterval &&
       poll_interval != absl::InfiniteDuration())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "poll_interval must be positive, and at most ",
        absl::FormatDuration(kMaxPollInterval), " or infinite, got ",
        absl::FormatDuration(poll_interval)));
  }
  if (parallel_loads < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("parallel_loads must be positive, got ", parallel_loads));
  }
  LADDER_RETURN_IF_ERROR(policy.Validate());
  for (const auto& [name, config] : models) {
    LADDER_RETURN_IF_ERROR(CheckModelName(name));
    LADDER_RETURN_IF_ERROR(config.policy.Validate());
    for (const auto& [label, version] : config.labels) {
      LADDER_RETURN_IF_ERROR(CheckLabel(label));
      if (version == 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("label \"", label, "\" of model \"", name,
                         "\": the version must be positive, got 0"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace ladder::model_store
