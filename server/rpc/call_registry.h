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
#include "server/config/server_config.h"

namespace ladder::server {

// A call that takes as long as its caller likes, within limits.
class LongCall {
 public:
  virtual ~LongCall() = default;

  // Ends the call if it has gone on, or has waited for its caller, for too
  // long.
  virtual void CheckTime(absl::Time now) = 0;

  // Ends the call now.
  virtual void Abort(absl::Status status) = 0;
};

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
  void Add(std::weak_ptr<LongCall> call);

  void CheckTimes(absl::Time now);
  void AbortAll(const absl::Status& status);

 private:
  std::vector<std::shared_ptr<LongCall>> Living();

  base::Mutex mutex_;
  std::condition_variable_any emptied_;
  uint64_t num_present_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::weak_ptr<LongCall>> calls_ ABSL_GUARDED_BY(mutex_);
};

// Why a call has to end: it waited for its caller for too long, or went on for
// too long. Names the flag.
absl::Status IdleTooLong(const LimitsConfig& limits);
absl::Status LastedTooLong(const LimitsConfig& limits);

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_CALL_REGISTRY_H_
