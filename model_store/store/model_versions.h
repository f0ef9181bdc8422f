#ifndef LADDER_MODEL_STORE_STORE_MODEL_VERSIONS_H_
#define LADDER_MODEL_STORE_STORE_MODEL_VERSIONS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model_store/format/labels_file.h"
#include "model_store/store/store_directory.h"
#include "model_store/store/store_options.h"
#include "model_store/store/store_snapshot.h"
#include "model_store/store/version_policy.h"
#include "model_store/store/version_record.h"

namespace ladder::model_store {

// The versions of one model: decides which of them to load and which to retire.
// Loading, threads and files are its owner's business.
//
// Where a version may be left out, none means all.
//
// Not thread-safe; the owner guards it. Neither copied nor moved: its versions
// refer to it.
class ModelVersions {
 public:
  // Serves by `config` if `by_policy`, else only what is chosen.
  ModelVersions(ModelContext context, ModelConfig config, bool by_policy);

  ModelVersions(const ModelVersions&) = delete;
  ModelVersions& operator=(const ModelVersions&) = delete;

  // What a scan has found: `found` is NotFound if the model has no folder, and
  // may be another error, which is noted and changes nothing else. To be
  // followed by Plan or Retry unless `purpose` is kListing.
  void Observe(const absl::StatusOr<VersionsOnDisk>& found,
               ScanPurpose purpose);

  // Decides anew what to load and what to retire, and retires.
  void Plan();

  // Serves by the policy from the next Plan on.
  void ChoosePolicy() { chosen_.reset(); }
  // Serves `version` and what is served now, from the next Plan on.
  void ChooseVersion(uint64_t version);

  // Forgets failures, and plans.
  void Retry(std::optional<uint64_t> version);

  // Retires, and serves only the rest from now on. NotFound if it is not
  // loaded; FailedPrecondition if `version` has a label.
  absl::Status Unload(std::optional<uint64_t> version);

  // What the model's file of labels says: labels that it does not name are as
  // configured. NotFound, for a model without a folder, changes nothing;
  // another error is noted and changes nothing else. A label that moves stays
  // with its old version, if that is served, until the new one is. To be
  // followed by Plan where versions may be loaded and retired for it.
  void ObserveLabels(const absl::StatusOr<Labels>& found);

  // OK if `version` may be given `label`; NotFound, or FailedPrecondition with
  // its state, if it is not served.
  absl::Status CheckServed(absl::string_view label, uint64_t version) const;
  // Why `label`, which the file does not have, cannot be removed.
  absl::Status CannotRemove(absl::string_view label) const;

  bool IsBusy(std::optional<uint64_t> version) const;  // Loading or about to.
  bool IsServing() const;
  // True if there is nothing to tell about the model.
  bool IsEmpty() const { return records_.empty() && status_.ok(); }

  // OK if `version`, or all that the policy asks for, is served as it is on
  // disk; else why not.
  absl::Status Outcome(std::optional<uint64_t> version) const;

  struct Job {
    uint64_t version = 0;
    std::stop_token stop = {};
  };
  // The next version to load, which is kLoading from now on.
  std::optional<Job> StartLoad();
  void FinishLoad(uint64_t version, absl::StatusOr<ModelHandle> model);
  void CancelLoads();

  // The last handle of `version` is gone.
  void Released(uint64_t version);

  std::shared_ptr<const ModelSnapshot> Snapshot();

 private:
  VersionPolicy PolicyInForce() const;
  FactsByVersion Facts() const;
  ServingPlan NextPlan() const;
  // Whether it has a label, or is to have one.
  bool HasLabel(uint64_t version) const;
  bool IsServed(uint64_t version) const;
  // Moves labels to the versions that they are wanted for, where these are
  // served, and tells if that changed anything.
  void SettleLabels();
  absl::Status LabelsStatus() const;
  bool HasLostFolder() const { return folder_scans_missed_ >= kScansUntilGone; }
  absl::Status OutcomeOf(uint64_t version) const;
  std::string NameOf(uint64_t version) const;

  const ModelContext context_;
  const ModelConfig config_;
  Labels labels_;         // In force.
  Labels wanted_labels_;  // As the file and the configuration say.
  absl::Status labels_file_status_;
  absl::Status told_labels_status_;  // What was told last.
  // The versions chosen by hand; none if the policy chooses.
  std::optional<std::set<uint64_t>> chosen_;
  std::map<uint64_t, VersionRecord> records_;
  int folder_scans_missed_ = 0;
  absl::Status status_;                            // The folder's.
  std::shared_ptr<const ModelSnapshot> snapshot_;  // Null once out of date.
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_STORE_MODEL_VERSIONS_H_
