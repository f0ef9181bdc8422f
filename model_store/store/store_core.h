#ifndef LADDER_MODEL_STORE_STORE_STORE_CORE_H_
#define LADDER_MODEL_STORE_STORE_STORE_CORE_H_

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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
#include "model_store/store/store_options.h"
#include "model_store/store/store_snapshot.h"

namespace ladder::model_store {

// What moves inside a ModelStore: its threads and locks. Scans the directory,
// lets ModelVersions decide, loads, and publishes the outcome as a snapshot.
class StoreCore {
 public:
  StoreCore(StoreDirectory directory, ModelLoader& loader,
            StoreOptions options);
  ~StoreCore();

  // Scans for the first time and starts the threads. To be called once.
  absl::Status Start();

  const std::filesystem::path& root() const { return root_; }

  // What readers see. Waits for nothing but the copying of a pointer.
  std::shared_ptr<const StoreSnapshot> Snapshot() const;

  // Each does what ModelStore's function of this name promises.
  absl::Status Poll();
  absl::Status Load(const std::string& model, std::optional<uint64_t> version,
                    const std::stop_token& stop);
  absl::Status Unload(absl::string_view model, std::optional<uint64_t> version);
  void WaitUntilIdle() const;

  // Runs `change` on the versions of `model`, then publishes. NotFound if there
  // is no such model.
  absl::Status Change(absl::string_view model,
                      absl::FunctionRef<absl::Status(ModelVersions&)> change);

 private:
  struct Job {
    std::string model;
    ModelVersions::Job load;
  };
  using ModelsOnDisk = std::map<std::string, absl::StatusOr<VersionsOnDisk>>;

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

#endif  // LADDER_MODEL_STORE_STORE_STORE_CORE_H_
