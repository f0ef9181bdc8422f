#ifndef LADDER_MODEL_STORE_STORE_VERSION_STATE_H_
#define LADDER_MODEL_STORE_STORE_VERSION_STATE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace ladder::model_store {

// Where a version is in its life. docs/architecture.md draws the diagram.
enum class VersionState {
  kDiscovered,  // On disk; not loaded yet, or not wanted.
  kLoading,     // Being read, verified and warmed.
  kServing,     // Handed out to whoever asks.
  kDraining,    // Not handed out any more, but somebody still holds it.
  kUnloaded,    // Was loaded; its memory has been returned.
  kFailed,      // Could not be loaded.
};

// "DISCOVERED", "LOADING", ...
absl::string_view VersionStateName(VersionState state);

// True for the arrows of the diagram.
bool MayFollow(VersionState from, VersionState to);

// A version's state, since when, and what there is to say about it.
class VersionLife {
 public:
  explicit VersionLife(absl::Time now) : since_(now) {}

  VersionState state() const { return state_; }
  absl::Time since() const { return since_; }

  // The reason if the state is kFailed. Otherwise not ok if something is wrong
  // with the version's files although what has been loaded of them is sound.
  const absl::Status& status() const { return status_; }

  // Crashes unless MayFollow(state(), next): a broken invariant. Returns how
  // long the old state lasted.
  absl::Duration MoveTo(VersionState next, absl::Time now, absl::Status status);

  // False if it said so already.
  bool SetStatus(absl::Status status);

 private:
  VersionState state_ = VersionState::kDiscovered;
  absl::Time since_;
  absl::Status status_;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_STORE_VERSION_STATE_H_
