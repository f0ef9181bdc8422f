#ifndef LADDER_MODEL_STORE_STORE_VERSION_RECORD_H_
#define LADDER_MODEL_STORE_STORE_VERSION_RECORD_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "model_store/engine/model.h"
#include "model_store/store/store_directory.h"
#include "model_store/store/store_info.h"
#include "model_store/store/version_policy.h"
#include "model_store/store/version_state.h"

namespace ladder::model_store {

// What the versions of a model share.
struct ModelContext {
  std::string model;
  std::filesystem::path folder;
  std::function<absl::Time()> now;
  std::function<void(VersionEvent)> on_event;
  std::function<void(LabelsEvent)> on_labels;
};

// What a scan of the directory is for.
enum class ScanPurpose {
  kListing,  // Information: nothing is loaded or retired for what it found.
  kPolling,  // A routine look.
  kOrdered,  // Somebody asked to look now.
};

// Scans in a row that must have missed something before it is taken for gone.
// One may fall between two renames, or meet a network file system on a bad day;
// only routine ones are doubted.
inline constexpr int kScansUntilGone = 2;

// How many scans in a row have missed something after one more.
int ScansMissed(int before, ScanPurpose purpose);

// One version of a model: its life, its files as last seen, and its model while
// that is loaded. Steps of its life are told to the context's on_event; a step
// that the diagram does not have crashes.
//
// Not thread-safe.
class VersionRecord {
 public:
  // `context` must outlive it.
  VersionRecord(const ModelContext& context, uint64_t version);

  VersionState state() const { return life_.state(); }
  const absl::Status& status() const { return life_.status(); }
  bool IsServing() const { return state() == VersionState::kServing; }
  bool IsLoaded() const { return IsServing() || state() == kDraining; }
  // Null unless it is served.
  const ModelHandle& handle() const { return serving_; }

  // What a scan says of the version's files. A load whose files are gone is
  // called off: others may be waiting for its end.
  void Found(const VersionOnDisk& on_disk, ScanPurpose purpose);
  void Missed(ScanPurpose purpose);
  // True if its files are gone and nothing of it is in memory.
  bool IsOver() const;

  // Forgets that it failed.
  void Retry();

  // What the policy may know: whether it is on disk, has failed, is served.
  VersionFacts Facts() const;

  // Whether the plan wants it loaded; true makes it wait for a loader unless
  // it is loading or somebody still holds it.
  void SetWanted(bool wanted);
  bool IsBusy() const;  // Waiting or loading.
  bool CanStartLoad() const;

  // Steps of its life.
  std::stop_token StartLoad();
  void FinishLoad(absl::StatusOr<ModelHandle> model);
  void CancelLoad() { stop_.request_stop(); }
  void Retire();
  // Goes from draining back to serving. False if it is not draining, its last
  // handle is gone or its files are not those it was loaded from.
  bool Revive();
  void Released();  // Its last handle may be gone.

  VersionInfo Describe() const;

 private:
  static constexpr VersionState kDraining = VersionState::kDraining;

  void MoveTo(VersionState state, absl::Status status = {});
  void SetStatus(absl::Status status);

  const ModelContext& context_;
  const uint64_t version_;
  VersionLife life_;

  VersionOnDisk on_disk_;  // What the last scan that found it saw.
  int scans_missed_ = 0;
  bool eligible_ = false;  // On disk as far as the policy may know.

  bool waiting_ = false;
  bool retry_ = false;  // Though it failed.
  std::string tried_signature_;
  absl::Duration load_duration_ = absl::ZeroDuration();
  std::stop_source stop_ = std::stop_source(std::nostopstate);

  std::string loaded_sha256_;
  ModelHandle serving_;                  // While kServing.
  std::weak_ptr<const Model> draining_;  // While kDraining.
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_STORE_VERSION_RECORD_H_
