#ifndef LADDER_MODEL_STORE_STORE_MODEL_STORE_H_
#define LADDER_MODEL_STORE_STORE_MODEL_STORE_H_

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/system/mutex.h"
#include "base/system/threads.h"
#include "model_store/engine/model.h"
#include "model_store/store/model_versions.h"
#include "model_store/store/store_directory.h"
#include "model_store/store/store_info.h"
#include "model_store/store/store_options.h"
#include "model_store/store/store_snapshot.h"

namespace ladder::model_store {

// Serves the bundles of a directory `<store>/<model>/<version>/`: loads what
// the policies ask for, swaps versions without a gap, keeps the reason of what
// failed. docs/architecture.md tells a version's life.
//
// Whoever asks gets a handle that keeps its version in memory, retired or not;
// handles may outlive the store. Asking never waits for loading or for the
// disk. Thread-safe; all calls must have returned before the destructor, which
// stops.
class ModelStore {
 public:
  // Looks at `directory` once and begins to load unless the mode is kExplicit.
  // `loader` must outlive the store. InvalidArgument if an option is out of
  // range; NotFound or InvalidArgument, naming the path, if it is no directory.
  static absl::StatusOr<std::unique_ptr<ModelStore>> Open(
      std::filesystem::path directory, ModelLoader& loader,
      StoreOptions options);
  ~ModelStore();

  // The version labelled "stable" or, without that label, the highest served;
  // the one given; or the one with that label.
  // NotFound if it does not exist or is not to be served, naming what is;
  // Unavailable while it is loading for the first time or draining;
  // FailedPrecondition, with the reason, if it could not be loaded.
  absl::StatusOr<ModelHandle> Get(absl::string_view model) const;
  absl::StatusOr<ModelHandle> GetVersion(absl::string_view model,
                                         uint64_t version) const;
  absl::StatusOr<ModelHandle> GetLabelled(absl::string_view model,
                                          absl::string_view label) const;

  StoreInfo List() const;
  absl::StatusOr<ModelInfo> Describe(absl::string_view model) const;

  // OK if Get gives a version of each of `models`; else Unavailable, saying of
  // each other one why not.
  absl::Status CheckReady(std::span<const std::string> models) const;

  // Returns when nothing is loading or about to, and all observers are told.
  void WaitUntilIdle() const;

  // Looks at the directory now. In mode kPoll begins to load, and retires, what
  // the policies say; otherwise only List gets to know. The status is also
  // List's: not ok if the directory is unreadable or was emptied, which leaves
  // all that is served as it is.
  absl::Status Poll();

  // Looks at `model` now, tries again what has failed, and waits for the end of
  // it, or for `stop` (Cancelled; loading goes on). In mode kExplicit, the
  // policy is followed from now on, or `version` is served beside what is
  // served already; in kPoll the policy is in force anyway. OK if `version`, or
  // what the policy asks for, is then served as it is on disk. NotFound if it
  // is not on disk; FailedPrecondition if the policy does not choose it, if it
  // has been replaced in place, or in mode kNone; else the reason of the load.
  absl::Status Load(absl::string_view model, std::optional<uint64_t> version,
                    const std::stop_token& stop = {});

  // Stops serving `version`, or the whole model; calls off what is loading.
  // Memory is returned once the last handle is gone. FailedPrecondition unless
  // the mode is kExplicit, or if `version` has a label; NotFound if it is not
  // loaded.
  absl::Status Unload(absl::string_view model, std::optional<uint64_t> version);

  // Gives `label` (a letter, then as a model's name) to `version`, which must
  // be served and is from then on, whatever the policy says. The label is in
  // the model's file of labels afterwards, and so survives the store and
  // reaches others who serve the same directory; if that cannot be written, or
  // is no such file, nothing has changed.
  absl::Status SetLabel(absl::string_view model, absl::string_view label,
                        uint64_t version);
  // NotFound if the file has no such label; FailedPrecondition if that is so
  // because it is configured.
  absl::Status RemoveLabel(absl::string_view model, absl::string_view label);

  // Calls off loads in progress and begins no more. Does not wait for anything.
  void StopLoading();
  // StopLoading, and returns when nothing is read or loaded any more. What is
  // served stays so.
  void Stop();

 private:
  ModelStore(StoreDirectory directory, ModelLoader& loader,
             StoreOptions options);

  // Scans for the first time and starts the threads.
  absl::Status Start();
  // What readers see. Waits for nothing but the copying of a pointer.
  std::shared_ptr<const StoreSnapshot> Snapshot() const;
  // Runs `change` on the versions of `model`, then publishes. NotFound if there
  // is no such model.
  absl::Status Change(absl::string_view model,
                      absl::FunctionRef<absl::Status(ModelVersions&)> change);

  struct Job {
    std::string model;
    ModelVersions::Job load;
  };
  using ModelsOnDisk = std::map<std::string, absl::StatusOr<VersionsOnDisk>>;

  absl::Status ChangeLabels(
      absl::string_view model,
      absl::FunctionRef<absl::Status(const ModelVersions&, Labels&)> change);
  // Reads the files of labels of all models, and nothing else.
  void WatchLabels();

  absl::Status Scan(ScanPurpose purpose);
  absl::Status CheckScan(const absl::StatusOr<ModelsOnDisk>& found) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetStatus(absl::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OrderLoad(const std::string& model, const VersionsOnDisk& found,
                 std::optional<uint64_t> version)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Adds the model if it is new.
  ModelVersions& VersionsOf(const std::string& model)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsIdle() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Publish() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Tell(std::function<void(StoreObserver&)> what);

  // Models without a served version come first.
  std::optional<Job> NextLoad() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LoadLoop(const std::stop_token& stop);
  absl::StatusOr<ModelHandle> LoadVersion(const Job& job);

  const StoreOptions options_;
  ModelLoader& loader_;
  const std::filesystem::path root_;

  // Held during a scan, so that scans are applied in the order in which they
  // were made. Taken before mutex_; readers never wait for it.
  base::Mutex scan_mutex_;
  StoreDirectory directory_ ABSL_GUARDED_BY(scan_mutex_);

  mutable base::Mutex mutex_;  // Never held during I/O or foreign calls.
  mutable std::condition_variable_any changed_;
  std::map<std::string, ModelVersions, std::less<>> models_
      ABSL_GUARDED_BY(mutex_);
  absl::Status status_ ABSL_GUARDED_BY(mutex_);  // Of the directory.

  mutable base::Mutex snapshot_mutex_;  // Held to copy or swap one pointer.
  std::shared_ptr<const StoreSnapshot> snapshot_
      ABSL_GUARDED_BY(snapshot_mutex_) = std::make_shared<StoreSnapshot>();

  // Tells the observer and frees models.
  const std::shared_ptr<base::TaskQueue> tasks_ =
      std::make_shared<base::TaskQueue>();
  std::vector<std::jthread> loaders_;
  std::optional<base::PeriodicThread> poller_;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_STORE_MODEL_STORE_H_
