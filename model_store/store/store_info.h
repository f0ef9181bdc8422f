#ifndef LADDER_MODEL_STORE_STORE_STORE_INFO_H_
#define LADDER_MODEL_STORE_STORE_STORE_INFO_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
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
  std::string sha256 = {};  // Of manifest.json; of the one loaded, if it is.
  absl::Duration load_duration = absl::ZeroDuration();  // Of the last load.
  std::filesystem::path path = {};
};

struct ModelInfo {
  std::string name = {};
  std::string policy = {};
  absl::Status status = {};           // Not ok if its folder is unreadable.
  std::vector<uint64_t> served = {};  // Ascending; the last is the default.
  std::map<std::string, uint64_t> labels = {};
  std::vector<VersionInfo> versions = {};  // Ascending.
};

struct StoreInfo {
  std::filesystem::path path = {};
  absl::Status status = {};  // Not ok if the directory is unreadable or empty.
  std::vector<ModelInfo> models = {};  // By name.
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_STORE_STORE_INFO_H_
