#include "model_store/store/version_state.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace ladder::model_store {

absl::string_view VersionStateName(VersionState state) {
  switch (state) {
    case VersionState::kDiscovered:
      return "DISCOVERED";
    case VersionState::kLoading:
      return "LOADING";
    case VersionState::kServing:
      return "SERVING";
    case VersionState::kDraining:
      return "DRAINING";
    case VersionState::kUnloaded:
      return "UNLOADED";
    case VersionState::kFailed:
      return "FAILED";
  }
  return "UNKNOWN";
}

bool MayFollow(VersionState from, VersionState to) {
  using enum VersionState;
  switch (from) {
    case kDiscovered:
    case kUnloaded:
    case kFailed:
      return to == kLoading;
    case kLoading:
      return to == kServing || to == kFailed || to == kUnloaded;
    case kServing:
      return to == kDraining;
    case kDraining:
      return to == kUnloaded || to == kServing;
  }
  return false;
}

absl::Duration VersionLife::MoveTo(VersionState next, absl::Time now,
                                   absl::Status status) {
  if (!MayFollow(state_, next)) {
    std::fprintf(stderr, "a version cannot go from %s to %s\n",
                 std::string(VersionStateName(state_)).c_str(),
                 std::string(VersionStateName(next)).c_str());
    std::abort();
  }
  const absl::Duration lasted = now - since_;
  state_ = next;
  since_ = now;
  status_ = std::move(status);
  return lasted;
}

bool VersionLife::SetStatus(absl::Status status) {
  if (status == status_) return false;
  status_ = std::move(status);
  return true;
}

}  // namespace ladder::model_store
