#ifndef LADDER_SERVER_RPC_ADMISSION_H_
#define LADDER_SERVER_RPC_ADMISSION_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"
#include "server/scheduling/encode_scheduler.h"

namespace ladder::server {

struct AdmissionOptions {
  uint64_t max_calls = 256;
  uint64_t max_waiting_samples = 16384;
};

// Lets calls in, or turns them away at once with a hint when to come again:
// whoever is in will be served.
//
// Thread-safe. Must outlive its tickets.
class Admission {
 public:
  // `scheduler` must outlive it.
  Admission(const AdmissionOptions& options, const EncodeScheduler& scheduler)
      : options_(options), scheduler_(scheduler) {}

  // Held while a call is served.
  struct Leaver {
    void operator()(Admission* admission) const { admission->Leave(); }
  };
  using Ticket = std::unique_ptr<Admission, Leaver>;

  // Unavailable once Close was called; ResourceExhausted, naming the flag, if
  // there are too many calls or too many samples wait.
  absl::StatusOr<Ticket> Enter();

  // The parts of Enter: whether Close was called, and how many samples wait.
  absl::Status CheckOpen() const;
  absl::Status CheckQueue() const;

  // Lets nobody in any more.
  void Close();

  // Returns true when all tickets are back, false if that takes longer.
  bool WaitUntilEmpty(absl::Time deadline);

  uint64_t num_calls() const;

 private:
  void Leave();

  const AdmissionOptions options_;
  const EncodeScheduler& scheduler_;
  mutable base::Mutex mutex_;
  std::condition_variable_any emptied_;
  uint64_t num_calls_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_ADMISSION_H_
