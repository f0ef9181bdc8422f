#include "model_store/store/version_record.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "model_store/format/find_bundles.h"

namespace ladder::model_store {
namespace {

absl::Status ReplacedInPlace(const std::string& expected,
                             const std::string& found) {
  return absl::FailedPreconditionError(
      absl::StrCat("replaced in place: expected sha256 ", expected, ", found ",
                   found, "; publish it under a new version"));
}

}  // namespace

int ScansMissed(int before, ScanPurpose purpose) {
  return purpose == ScanPurpose::kPolling ? before + 1 : kScansUntilGone;
}

VersionRecord::VersionRecord(const ModelContext& context, uint64_t version)
    : context_(context), version_(version), life_(context.now()) {}

void VersionRecord::Found(const VersionOnDisk& on_disk, ScanPurpose purpose) {
  // A copy in progress changes from scan to scan and is left in peace.
  const bool settled = on_disk_.signature == on_disk.signature;
  const bool changed = tried_signature_ != on_disk.signature;
  if (purpose == ScanPurpose::kPolling && settled && changed) Retry();
  on_disk_ = on_disk;
  scans_missed_ = 0;
  if (purpose != ScanPurpose::kListing) eligible_ = true;
  if (!IsLoaded()) return;
  const std::string& sha256 = on_disk.manifest_sha256;
  const bool same = sha256.empty() || sha256 == loaded_sha256_;
  SetStatus(same ? absl::OkStatus() : ReplacedInPlace(loaded_sha256_, sha256));
}

void VersionRecord::Missed(ScanPurpose purpose) {
  scans_missed_ = ScansMissed(scans_missed_, purpose);
  if (scans_missed_ < kScansUntilGone) return;
  if (purpose != ScanPurpose::kListing) {
    eligible_ = false;
    if (state() == VersionState::kLoading) CancelLoad();
  }
  if (!IsLoaded()) return;
  SetStatus(
      absl::NotFoundError("removed from disk; what is loaded of it stays until "
                          "another version can take its place"));
}

bool VersionRecord::IsOver() const {
  return scans_missed_ >= kScansUntilGone && !IsLoaded() &&
         state() != VersionState::kLoading;
}

void VersionRecord::Retry() {
  if (state() == VersionState::kFailed) retry_ = true;
}

VersionFacts VersionRecord::Facts() const {
  return {.on_disk = eligible_,
          .failed = state() == VersionState::kFailed && !retry_,
          .served = IsServing()};
}

void VersionRecord::SetWanted(bool wanted) {
  const bool held = state() == kDraining && !draining_.expired();
  waiting_ = wanted && state() != VersionState::kLoading && !held;
}

bool VersionRecord::IsBusy() const {
  return waiting_ || state() == VersionState::kLoading;
}

bool VersionRecord::CanStartLoad() const {
  return waiting_ && MayFollow(state(), VersionState::kLoading);
}

std::stop_token VersionRecord::StartLoad() {
  waiting_ = false;
  retry_ = false;
  tried_signature_ = on_disk_.signature;
  stop_ = std::stop_source();
  MoveTo(VersionState::kLoading);
  return stop_.get_token();
}

void VersionRecord::FinishLoad(absl::StatusOr<ModelHandle> model) {
  load_duration_ = context_.now() - life_.since();
  const absl::Status status =
      model.ok() ? CheckIdentity((*model)->manifest(), context_.model, version_)
                 : model.status();
  if (stop_.stop_requested()) {
    MoveTo(VersionState::kUnloaded);
  } else if (!status.ok()) {
    MoveTo(VersionState::kFailed, status);
  } else {
    loaded_sha256_ = (*model)->sha256();
    serving_ = *std::move(model);
    MoveTo(VersionState::kServing);
  }
}

void VersionRecord::Retire() {
  draining_ = serving_;
  MoveTo(kDraining, status());
  serving_.reset();
}

bool VersionRecord::Revive() {
  if (state() != kDraining || !status().ok()) return false;
  serving_ = draining_.lock();
  if (serving_ == nullptr) return false;
  draining_.reset();
  MoveTo(VersionState::kServing);
  return true;
}

void VersionRecord::Released() {
  // A load that was called off gives its handle back too, and maybe late.
  if (state() != kDraining || !draining_.expired()) return;
  MoveTo(VersionState::kUnloaded);
}

VersionInfo VersionRecord::Describe() const {
  return {.version = version_,
          .state = state(),
          .since = life_.since(),
          .waiting = waiting_,
          .status = status(),
          .sha256 = IsLoaded() ? loaded_sha256_ : on_disk_.manifest_sha256,
          .load_duration = load_duration_,
          .path = context_.folder / absl::StrCat(version_)};
}

void VersionRecord::MoveTo(VersionState next, absl::Status status) {
  const VersionState from = state();
  const absl::Duration lasted = life_.MoveTo(next, context_.now(), status);
  context_.on_event({.model = context_.model,
                     .version = version_,
                     .from = from,
                     .to = next,
                     .status = std::move(status),
                     .duration = lasted});
}

void VersionRecord::SetStatus(absl::Status status) {
  if (!life_.SetStatus(status)) return;
  context_.on_event({.model = context_.model,
                     .version = version_,
                     .from = state(),
                     .to = state(),
                     .status = std::move(status),
                     .duration = context_.now() - life_.since()});
}

}  // namespace ladder::model_store
