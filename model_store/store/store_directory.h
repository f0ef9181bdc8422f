#ifndef LADDER_MODEL_STORE_STORE_STORE_DIRECTORY_H_
#define LADDER_MODEL_STORE_STORE_STORE_DIRECTORY_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model_store/format/labels_file.h"

namespace ladder::model_store {

struct VersionOnDisk {
  // Changes whenever a file is added, removed, written, replaced or given other
  // permissions. Costs no reading.
  std::string signature = {};
  std::string manifest_sha256 = {};  // Empty if it could not be read.
};

using VersionsOnDisk = std::map<uint64_t, VersionOnDisk>;

// The folders `<store>/<model>/<version>/` of a store: the only place where the
// store itself touches the file system.
//
// A model is a folder with a name that CheckModelName accepts; a version is a
// folder in it, named by a positive integer without leading zeros, with a
// manifest.json; labels.json beside them names some. All else is ignored,
// symbolic links included, except that the store's own path may be one.
//
// Not thread-safe.
class StoreDirectory {
 public:
  // NotFound if there is no such directory; InvalidArgument if it is something
  // else; otherwise what the system says. Messages name the path.
  static absl::StatusOr<StoreDirectory> Open(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }

  // What there is now, by model. An error of one model leaves the others as
  // they are; an error of the store's directory is an error of the call.
  absl::StatusOr<std::map<std::string, absl::StatusOr<VersionsOnDisk>>> Scan();

  // What there is now of `model`, a name that CheckModelName accepts. NotFound
  // if it has no folder.
  absl::StatusOr<VersionsOnDisk> ScanModel(const std::string& model);

  // What the file of labels of `model` says, a name as above; nothing if there
  // is no such file. NotFound if the model has no folder, InvalidArgument if
  // the file is not one of labels, else what the system says.
  absl::StatusOr<Labels> ReadLabels(const std::string& model) const;

  // The same of all models that have a folder now; of none if the store's
  // directory cannot be read.
  std::map<std::string, absl::StatusOr<Labels>> ScanLabels() const;

  // Makes `labels` the file's content, in one step and durably.
  absl::Status WriteLabels(const std::string& model, const Labels& labels);

 private:
  explicit StoreDirectory(std::filesystem::path path);

  // Digests are computed again only where the signature has changed.
  void AddDigests(const std::string& model, VersionsOnDisk& versions);

  std::filesystem::path path_;
  std::map<std::string, VersionsOnDisk> last_scan_;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_STORE_STORE_DIRECTORY_H_
