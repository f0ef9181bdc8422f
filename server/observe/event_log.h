#ifndef LADDER_SERVER_OBSERVE_EVENT_LOG_H_
#define LADDER_SERVER_OBSERVE_EVENT_LOG_H_

#include "absl/status/status.h"
#include "model_store/store/store_info.h"
#include "server/observe/log.h"
#include "server/observe/serving_observer.h"

namespace ladder::server {

// Logs one line for every group that has ended: as an error if the fault is the
// server's, else as information. Thread-safe.
class AccessLog final : public ServingObserver {
 public:
  // `logger` must outlive this.
  explicit AccessLog(const Logger& logger) : logger_(logger) {}

  void OnGroup(const GroupReport& report) override;

 private:
  const Logger& logger_;
};

// Logs what happens in the model store: versions served, failed and unloaded,
// labels moved, and what cannot be read; steps in between only for debugging.
class StoreLog final : public model_store::StoreObserver {
 public:
  // `logger` must outlive this.
  explicit StoreLog(const Logger& logger) : logger_(logger) {}

  void OnVersionState(const model_store::VersionEvent& event) override;
  void OnStoreStatus(const absl::Status& status) override;
  void OnLabels(const model_store::LabelsEvent& event) override;

 private:
  const Logger& logger_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_EVENT_LOG_H_
