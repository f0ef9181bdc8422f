#include "model_store/store/model_store.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "model_store/format/manifest.h"

namespace ladder::model_store {
namespace {

absl::Status NotInMode(absl::string_view what, StoreMode mode) {
  return absl::FailedPreconditionError(absl::StrCat(
      what, " is not possible in model control mode ", StoreModeName(mode)));
}

// A handle to `loaded` whose end is noticed: when the last copy is dropped, the
// model is freed and then `on_released` called, both as a task of `tasks`,
// because freeing takes a while and the last to let go may be in the middle of
// a request. If the queue has stopped, the model is freed on the spot and
// nobody is told.
ModelHandle WatchedHandle(ModelHandle loaded,
                          std::weak_ptr<base::TaskQueue> tasks,
                          std::function<void()> on_released) {
  const Model* model = loaded.get();
  return ModelHandle(
      model, [loaded = std::move(loaded), tasks = std::move(tasks),
              on_released = std::move(on_released)](const Model*) mutable {
        auto release = [loaded = std::move(loaded),
                        on_released = std::move(on_released)]() mutable {
          loaded.reset();
          on_released();
        };
        if (const auto queue = tasks.lock()) queue->Post(std::move(release));
      });
}

}  // namespace

absl::StatusOr<std::unique_ptr<ModelStore>> ModelStore::Open(
    std::filesystem::path directory, ModelLoader& loader,
    StoreOptions options) {
  LADDER_RETURN_IF_ERROR(options.Validate());
  LADDER_ASSIGN_OR_RETURN(auto opened,
                          StoreDirectory::Open(std::move(directory)));
  std::unique_ptr<ModelStore> store(
      new ModelStore(std::move(opened), loader, std::move(options)));
  LADDER_RETURN_IF_ERROR(store->Start());
  return store;
}

ModelStore::ModelStore(StoreDirectory directory, ModelLoader& loader,
                       StoreOptions options)
    : options_(std::move(options)),
      loader_(loader),
      root_(directory.path()),
      directory_(std::move(directory)) {}

ModelStore::~ModelStore() {
  Stop();
  tasks_->Stop();
}

void ModelStore::StopLoading() {
  for (std::jthread& thread : loaders_) thread.request_stop();
  const base::MutexLock lock(mutex_);
  for (auto& [name, versions] : models_) versions.CancelLoads();
}

void ModelStore::Stop() {
  StopLoading();
  poller_.reset();
  loaders_.clear();
}

absl::Status ModelStore::Start() {
  LADDER_RETURN_IF_ERROR(Scan(options_.mode == StoreMode::kExplicit
                                  ? ScanPurpose::kListing
                                  : ScanPurpose::kOrdered));
  for (int i = 0; i < options_.parallel_loads; ++i) {
    loaders_.emplace_back(
        [this](const std::stop_token& stop) { LoadLoop(stop); });
  }
  poller_.emplace(options_.poll_interval, [this] {
    if (options_.mode == StoreMode::kPoll) {
      Poll().IgnoreError();  // List tells it.
    } else {
      WatchLabels();
    }
  });
  return absl::OkStatus();
}

std::shared_ptr<const StoreSnapshot> ModelStore::Snapshot() const {
  const base::MutexLock lock(snapshot_mutex_);
  return snapshot_;
}

absl::StatusOr<ModelHandle> ModelStore::Get(absl::string_view model) const {
  const auto snapshot = Snapshot();
  LADDER_ASSIGN_OR_RETURN(const auto found, snapshot->Find(model));
  return found->Default();
}

absl::StatusOr<ModelHandle> ModelStore::GetVersion(absl::string_view model,
                                                   uint64_t version) const {
  const auto snapshot = Snapshot();
  LADDER_ASSIGN_OR_RETURN(const auto found, snapshot->Find(model));
  return found->Version(version);
}

absl::StatusOr<ModelHandle> ModelStore::GetLabelled(
    absl::string_view model, absl::string_view label) const {
  const auto snapshot = Snapshot();
  LADDER_ASSIGN_OR_RETURN(const auto found, snapshot->Find(model));
  return found->Labelled(label);
}

StoreInfo ModelStore::List() const {
  const auto snapshot = Snapshot();
  StoreInfo info = {.path = root_, .status = snapshot->status};
  for (const auto& [name, model] : snapshot->models) {
    info.models.push_back(model->info);
  }
  return info;
}

absl::StatusOr<ModelInfo> ModelStore::Describe(absl::string_view model) const {
  const auto snapshot = Snapshot();
  LADDER_ASSIGN_OR_RETURN(const auto found, snapshot->Find(model));
  return found->info;
}

absl::Status ModelStore::CheckReady(std::span<const std::string> models) const {
  std::vector<std::string> reasons;
  for (const std::string& model : models) {
    const auto handle = Get(model);
    if (!handle.ok()) reasons.emplace_back(handle.status().message());
  }
  if (reasons.empty()) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("not ready: ", absl::StrJoin(reasons, "; ")));
}

absl::Status ModelStore::Poll() {
  return Scan(options_.mode == StoreMode::kPoll ? ScanPurpose::kPolling
                                                : ScanPurpose::kListing);
}

absl::Status ModelStore::Scan(ScanPurpose purpose) {
  const base::MutexLock scan_lock(scan_mutex_);
  const absl::StatusOr<ModelsOnDisk> found = directory_.Scan();
  const auto labels = directory_.ScanLabels();
  const base::MutexLock lock(mutex_);
  SetStatus(CheckScan(found));
  if (status_.ok()) {
    for (const auto& [name, versions] : *found) VersionsOf(name);
    for (auto& [name, versions] : models_) {
      const auto on_disk = found->find(name);
      versions.Observe(on_disk != found->end()
                           ? on_disk->second
                           : absl::NotFoundError("no such folder"),
                       purpose);
      if (const auto file = labels.find(name); file != labels.end()) {
        versions.ObserveLabels(file->second);
      }
      if (purpose != ScanPurpose::kListing) versions.Plan();
    }
    std::erase_if(models_,
                  [](const auto& item) { return item.second.IsEmpty(); });
  }
  Publish();
  return status_;
}

// A directory that cannot be read, or that has lost all its models, has more
// likely been unmounted than emptied on purpose.
absl::Status ModelStore::CheckScan(
    const absl::StatusOr<ModelsOnDisk>& found) const {
  if (!found.ok()) {
    return absl::UnavailableError(
        absl::StrCat("model store unreadable, what is served stays: ",
                     found.status().message()));
  }
  const bool in_use =
      std::any_of(models_.begin(), models_.end(), [](const auto& item) {
        return item.second.IsServing() || item.second.IsBusy(std::nullopt);
      });
  if (!found->empty() || !in_use) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("model store ", root_.string(),
                   " is empty, what is served stays: has it been unmounted?"));
}

void ModelStore::SetStatus(absl::Status status) {
  if (status == status_) return;
  status_ = std::move(status);
  Tell([status = status_](StoreObserver& observer) {
    observer.OnStoreStatus(status);
  });
}

absl::Status ModelStore::Load(absl::string_view model,
                              std::optional<uint64_t> version,
                              const std::stop_token& stop) {
  if (options_.mode == StoreMode::kNone) {
    return NotInMode("loading a model", options_.mode);
  }
  LADDER_RETURN_IF_ERROR(CheckModelName(model));
  {
    const base::MutexLock scan_lock(scan_mutex_);
    const auto found = directory_.ScanModel(std::string(model));
    if (absl::IsNotFound(found.status())) {
      return absl::NotFoundError(
          absl::StrCat("model \"", model, "\" has no folder in the store"));
    }
    if (!found.ok()) return found.status();
    const auto labels = directory_.ReadLabels(std::string(model));
    const base::MutexLock lock(mutex_);
    VersionsOf(std::string(model)).ObserveLabels(labels);
    OrderLoad(std::string(model), *found, version);
    Publish();
  }
  base::MutexLock lock(mutex_);
  const bool done =
      changed_.wait(lock, stop, [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        const auto versions = models_.find(model);
        return versions == models_.end() || !versions->second.IsBusy(version);
      });
  if (!done) {
    return absl::CancelledError(
        absl::StrCat("stopped waiting for model \"", model,
                     "\", which is still being loaded"));
  }
  const auto versions = models_.find(model);
  if (versions != models_.end()) return versions->second.Outcome(version);
  return absl::NotFoundError(
      absl::StrCat("model \"", model, "\" has no version in the store"));
}

void ModelStore::OrderLoad(const std::string& model,
                           const VersionsOnDisk& found,
                           std::optional<uint64_t> version) {
  ModelVersions& versions = VersionsOf(model);
  versions.Observe(found, ScanPurpose::kOrdered);
  if (options_.mode == StoreMode::kExplicit) {
    if (!version.has_value()) {
      versions.ChoosePolicy();
    } else if (found.contains(*version)) {
      versions.ChooseVersion(*version);
    }
  }
  versions.Retry(version);
  if (versions.IsEmpty()) models_.erase(model);
}

ModelVersions& ModelStore::VersionsOf(const std::string& model) {
  const auto known = models_.find(model);
  if (known != models_.end()) return known->second;
  const auto config = options_.models.find(model);
  ModelContext context = {
      .model = model,
      .folder = root_ / model,
      .now = options_.now,
      .on_event =
          [this](VersionEvent event) {
            Tell([event = std::move(event)](StoreObserver& observer) {
              observer.OnVersionState(event);
            });
          },
      .on_labels =
          [this](LabelsEvent event) {
            Tell([event = std::move(event)](StoreObserver& observer) {
              observer.OnLabels(event);
            });
          }};
  const auto added = models_.try_emplace(
      model, std::move(context),
      config != options_.models.end() ? config->second
                                      : ModelConfig{.policy = options_.policy},
      /*by_policy=*/options_.mode != StoreMode::kExplicit);
  return added.first->second;
}

absl::Status ModelStore::Unload(absl::string_view model,
                                std::optional<uint64_t> version) {
  if (options_.mode != StoreMode::kExplicit) {
    return NotInMode("unloading a model", options_.mode);
  }
  return Change(
      model, [&](ModelVersions& versions) { return versions.Unload(version); });
}

absl::Status ModelStore::SetLabel(absl::string_view model,
                                  absl::string_view label, uint64_t version) {
  LADDER_RETURN_IF_ERROR(CheckLabel(label));
  return ChangeLabels(
      model,
      [&](const ModelVersions& versions, Labels& labels) -> absl::Status {
        LADDER_RETURN_IF_ERROR(versions.CheckServed(label, version));
        labels[std::string(label)] = version;
        return absl::OkStatus();
      });
}

absl::Status ModelStore::RemoveLabel(absl::string_view model,
                                     absl::string_view label) {
  return ChangeLabels(model, [&](const ModelVersions& versions,
                                 Labels& labels) {
    return labels.erase(std::string(label)) > 0 ? absl::OkStatus()
                                                : versions.CannotRemove(label);
  });
}

absl::Status ModelStore::ChangeLabels(
    absl::string_view model,
    absl::FunctionRef<absl::Status(const ModelVersions&, Labels&)> change) {
  LADDER_RETURN_IF_ERROR(CheckModelName(model));
  const std::string name(model);
  const base::MutexLock scan_lock(scan_mutex_);
  auto labels = directory_.ReadLabels(name);
  {
    const base::MutexLock lock(mutex_);
    const auto versions = models_.find(model);
    if (versions == models_.end()) return Snapshot()->Find(model).status();
    if (!labels.ok()) return labels.status();
    LADDER_RETURN_IF_ERROR(change(versions->second, *labels));
  }
  LADDER_RETURN_IF_ERROR(directory_.WriteLabels(name, *labels));
  return Change(model, [&](ModelVersions& versions) {
    versions.ObserveLabels(labels);
    versions.Plan();
    return absl::OkStatus();
  });
}

void ModelStore::WatchLabels() {
  const base::MutexLock scan_lock(scan_mutex_);
  const auto labels = directory_.ScanLabels();
  const base::MutexLock lock(mutex_);
  for (const auto& [name, found] : labels) {
    const auto versions = models_.find(name);
    if (versions != models_.end()) versions->second.ObserveLabels(found);
  }
  Publish();
}

absl::Status ModelStore::Change(
    absl::string_view model,
    absl::FunctionRef<absl::Status(ModelVersions&)> change) {
  const base::MutexLock lock(mutex_);
  const auto versions = models_.find(model);
  if (versions == models_.end()) return Snapshot()->Find(model).status();
  absl::Status status = change(versions->second);
  Publish();
  return status;
}

bool ModelStore::IsIdle() const {
  return std::none_of(models_.begin(), models_.end(), [](const auto& item) {
    return item.second.IsBusy(std::nullopt);
  });
}

void ModelStore::WaitUntilIdle() const {
  for (bool idle = false; !idle;) {
    base::MutexLock lock(mutex_);
    changed_.wait(lock, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return IsIdle();
    });
    lock.unlock();
    tasks_->Flush();  // May end the draining of a version that is wanted again.
    lock.lock();
    idle = IsIdle();
  }
}

void ModelStore::Publish() {
  auto next = std::make_shared<StoreSnapshot>();
  next->status = status_;
  for (auto& [name, versions] : models_) {
    next->models.emplace(name, versions.Snapshot());
  }
  std::shared_ptr<const StoreSnapshot> snapshot = std::move(next);
  {
    const base::MutexLock lock(snapshot_mutex_);
    snapshot_.swap(snapshot);
  }
  changed_.notify_all();
}

void ModelStore::Tell(std::function<void(StoreObserver&)> what) {
  if (options_.observer == nullptr) return;
  tasks_->Post([observer = options_.observer, what = std::move(what)] {
    what(*observer);
  });
}

std::optional<ModelStore::Job> ModelStore::NextLoad() {
  for (const bool serving : {false, true}) {
    for (auto& [name, versions] : models_) {
      if (versions.IsServing() != serving) continue;
      if (auto load = versions.StartLoad()) return Job{name, *load};
    }
  }
  return std::nullopt;
}

void ModelStore::LoadLoop(const std::stop_token& stop) {
  base::MutexLock lock(mutex_);
  std::optional<Job> job;
  const auto has_job = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    job = stop.stop_requested() ? std::nullopt : NextLoad();
    return job.has_value();
  };
  while (changed_.wait(lock, stop, has_job)) {
    Publish();
    lock.unlock();
    absl::StatusOr<ModelHandle> model = LoadVersion(*job);
    lock.lock();
    models_.at(job->model).FinishLoad(job->load.version, std::move(model));
    Publish();
  }
}

absl::StatusOr<ModelHandle> ModelStore::LoadVersion(const Job& job) {
  const uint64_t version = job.load.version;
  LADDER_ASSIGN_OR_RETURN(
      ModelHandle loaded,
      loader_.Load(root_ / job.model / absl::StrCat(version), job.load.stop));
  const auto on_released = [this, model = job.model, version] {
    Change(model, [&](ModelVersions& versions) {
      versions.Released(version);
      return absl::OkStatus();
    }).IgnoreError();  // A model that is gone has nothing to note down.
  };
  return WatchedHandle(std::move(loaded), tasks_, on_released);
}

}  // namespace ladder::model_store
