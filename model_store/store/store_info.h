#ifndef LADDER_MODEL_STORE_STORE_STORE_INFO_H_
#define LADDER_MODEL_STORE_STORE_STORE_INFO_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "model_store/format/labels_file.h"
#include "model_store/store/version_state.h"

namespace ladder::model_store {

// What the store tells about itself. All of it is a copy of one moment.
struct VersionInfo {
  uint64_t version = 0;
  VersionState state = VersionState::kDiscovered;
  absl::Time since = absl::InfinitePast();  // When it came into that state.
  bool waiting = false;  // Will be loaded as soon as a loader is free.
  // The reason if it is kFailed. Otherwise not ok if its files have been
  // replaced or removed, which leaves what is loaded as it is.
  absl::Status status = {};
  std::vector<std::string> labels = {};
  std::string sha256 = {};  // The manifest's; once loaded, the loaded one's.
  absl::Duration load_duration = absl::ZeroDuration();  // The last one's.
  std::filesystem::path path = {};
};

struct ModelInfo {
  std::string name = {};
  std::string policy = {};
  absl::Status status = {};  // Not ok if its folder is unreadable.
  // False if nothing of it is to be served: it was unloaded by hand, or its
  // folder is gone.
  bool wanted = true;
  std::vector<uint64_t> served = {};  // Ascending.
  // What is served to those who name neither version nor label: the version
  // with the label "stable" if there is that label, else the highest. 0 if that
  // is not served.
  uint64_t default_version = 0;
  Labels labels = {};  // In force.
  // Not ok if the file of labels is unusable, which leaves them as they are, or
  // if one has not moved yet because its new version is not served.
  absl::Status labels_status = {};
  std::vector<VersionInfo> versions = {};  // Ascending.
};

struct StoreInfo {
  std::filesystem::path path = {};
  absl::Status status = {};  // Not ok if the directory is unreadable or empty.
  std::vector<ModelInfo> models = {};  // Ordered by name.
};

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

// A model's labels, or what there is to say about them, have changed.
struct LabelsEvent {
  std::string model = {};
  Labels labels = {};
  absl::Status status = {};
};

// Told by the store what happens in it, so that others can log and count.
//
// Called by one thread of the store, one call at a time, in the order of the
// events, holding no lock: an implementation may call the store, except for
// what waits (Load, WaitUntilIdle) and the destructor. It should return soon;
// memory of unloaded versions is returned by the same thread.
class StoreObserver {
 public:
  virtual ~StoreObserver() = default;

  virtual void OnVersionState(const VersionEvent& event) = 0;

  // The store's directory could not be read, or can be read again.
  virtual void OnStoreStatus(const absl::Status& status) = 0;

  virtual void OnLabels(const LabelsEvent& /*event*/) {}
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_STORE_STORE_INFO_H_
