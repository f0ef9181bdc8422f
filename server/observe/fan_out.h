#ifndef LADDER_SERVER_OBSERVE_FAN_OUT_H_
#define LADDER_SERVER_OBSERVE_FAN_OUT_H_

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "model_store/store/store_info.h"
#include "server/observe/serving_observer.h"

namespace ladder::server {

// These tell several observers, in their order, what is told to one. The
// observers must outlive them. They are as thread-safe as the observers are.

class ServingFanOut final : public ServingObserver {
 public:
  explicit ServingFanOut(std::vector<ServingObserver*> observers)
      : observers_(std::move(observers)) {}

  void OnRpcStarted(absl::string_view rpc) override {
    for (auto* observer : observers_) observer->OnRpcStarted(rpc);
  }
  void OnRpcEnded(absl::string_view rpc, absl::StatusCode code,
                  absl::Duration duration) override {
    for (auto* observer : observers_) observer->OnRpcEnded(rpc, code, duration);
  }
  void OnBatch(const BatchReport& report) override {
    for (auto* observer : observers_) observer->OnBatch(report);
  }
  void OnStage(Stage stage, absl::Duration duration) override {
    for (auto* observer : observers_) observer->OnStage(stage, duration);
  }
  void OnImageRejected(absl::string_view reason) override {
    for (auto* observer : observers_) observer->OnImageRejected(reason);
  }
  void OnGroup(const GroupReport& report) override {
    for (auto* observer : observers_) observer->OnGroup(report);
  }

 private:
  const std::vector<ServingObserver*> observers_;
};

class StoreFanOut final : public model_store::StoreObserver {
 public:
  explicit StoreFanOut(std::vector<model_store::StoreObserver*> observers)
      : observers_(std::move(observers)) {}

  void OnVersionState(const model_store::VersionEvent& event) override {
    for (auto* observer : observers_) observer->OnVersionState(event);
  }
  void OnStoreStatus(const absl::Status& status) override {
    for (auto* observer : observers_) observer->OnStoreStatus(status);
  }
  void OnLabels(const model_store::LabelsEvent& event) override {
    for (auto* observer : observers_) observer->OnLabels(event);
  }

 private:
  const std::vector<model_store::StoreObserver*> observers_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_FAN_OUT_H_
