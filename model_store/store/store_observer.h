#ifndef LADDER_MODEL_STORE_STORE_STORE_OBSERVER_H_
#define LADDER_MODEL_STORE_STORE_STORE_OBSERVER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "model_store/store/version_state.h"

namespace ladder::model_store {

// A step in the life of a version. `from` equals `to` if only the status has
// changed: its files were replaced or removed, or put back.
struct VersionEvent {
  std::string model = {};
  uint64_t version = 0;
  VersionState from = VersionState::kDiscovered;
  VersionState to = VersionState::kDiscovered;
  absl::Status status = {};
  absl::Duration duration = absl::ZeroDuration();  // How long `from` lasted.
};

// Told by the store what happens in it, so that others can log and count.
//
// Called by one thread of the store, one call at a time, in the order of the
// events, holding no lock: an implementation may call the store, except for
// what waits (Load, WaitUntil...) and the destructor. It should return soon;
// memory of unloaded versions is returned by the same thread.
class StoreObserver {
 public:
  virtual ~StoreObserver() = default;

  virtual void OnVersionState(const VersionEvent& event) = 0;

  // The store's directory could not be read, or can be read again.
  virtual void OnStoreStatus(const absl::Status& status) = 0;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_STORE_STORE_OBSERVER_H_
