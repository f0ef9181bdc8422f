#ifndef LADDER_TESTS_MODEL_STORE_STORE_RECORDING_OBSERVER_H_
#define LADDER_TESTS_MODEL_STORE_STORE_RECORDING_OBSERVER_H_

#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model_store/store/store_info.h"

namespace ladder::model_store {

// Remembers what it was told. Thread-safe.
class RecordingObserver final : public StoreObserver {
 public:
  void OnVersionState(const VersionEvent& event) override {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }

  void OnStoreStatus(const absl::Status& status) override {
    const std::lock_guard lock(mutex_);
    statuses_.push_back(status);
  }

  void OnLabels(const LabelsEvent& event) override {
    const std::lock_guard lock(mutex_);
    labels_.push_back(
        absl::StrCat(event.model, " ",
                     absl::StrJoin(event.labels, ",", absl::PairFormatter("=")),
                     event.status.ok() ? "" : " ", event.status.message()));
  }

  std::vector<VersionEvent> events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }

  // "model/3 LOADING > SERVING", one for every event.
  std::vector<std::string> steps() const {
    std::vector<std::string> steps;
    for (const VersionEvent& event : events()) {
      steps.push_back(absl::StrCat(event.model, "/", event.version, " ",
                                   VersionStateName(event.from), " > ",
                                   VersionStateName(event.to)));
    }
    return steps;
  }

  // "model canary=4,stable=3", and what is wrong, one for every event.
  std::vector<std::string> labels() const {
    const std::lock_guard lock(mutex_);
    return labels_;
  }

  std::vector<absl::Status> statuses() const {
    const std::lock_guard lock(mutex_);
    return statuses_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<VersionEvent> events_;
  std::vector<absl::Status> statuses_;
  std::vector<std::string> labels_;
};

}  // namespace ladder::model_store

#endif  // LADDER_TESTS_MODEL_STORE_STORE_RECORDING_OBSERVER_H_
