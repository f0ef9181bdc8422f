#ifndef LADDER_SERVER_RPC_CALL_REGISTRY_H_
#define LADDER_SERVER_RPC_CALL_REGISTRY_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"

namespace ladder::server {

class StreamCall;

// The calls of a server. Thread-safe.
class CallRegistry {
 public:
  // Held by whatever serves a call, also while its work is still being stopped
  // after the caller was answered.
  class Presence {
   public:
    explicit Presence(CallRegistry& registry);
    ~Presence();
    Presence(const Presence&) = delete;
    Presence& operator=(const Presence&) = delete;

   private:
    CallRegistry& registry_;
  };

  // Returns when nobody is present.
  void WaitUntilEmpty();

  // Has the call checked for its time, and aborted when all are.
  void Add(std::weak_ptr<StreamCall> call);

  void CheckTimes(absl::Time now);  // By base::SteadyNow.
  void AbortAll(const absl::Status& status);

 private:
  std::vector<std::shared_ptr<StreamCall>> Living();

  base::Mutex mutex_;
  std::condition_variable_any emptied_;
  uint64_t num_present_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::weak_ptr<StreamCall>> calls_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_CALL_REGISTRY_H_
