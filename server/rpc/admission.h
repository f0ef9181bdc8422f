#ifndef LADDER_SERVER_RPC_ADMISSION_H_
#define LADDER_SERVER_RPC_ADMISSION_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"
#include "server/scheduling/encode_scheduler.h"
#include "server/scheduling/work_account.h"

namespace ladder::server {

struct AdmissionOptions {
  uint64_t max_calls = 256;             // Of all callers at once.
  uint64_t max_calls_per_caller = 128;  // Of one.
  uint64_t max_waiting_samples = 16384;
};

// Lets calls in, or turns them away at once with a hint when to come again:
// whoever is in will be served. No caller takes the places of all others.
//
// Thread-safe. Must outlive its tickets.
class Admission {
  struct Caller;

 public:
  // `scheduler` must outlive it.
  Admission(const AdmissionOptions& options, const EncodeScheduler& scheduler)
      : options_(options), scheduler_(scheduler) {}

  // A call's place, held while it is served and until its answer was taken.
  class Ticket {
   public:
    Ticket(Admission& admission, std::shared_ptr<Caller> caller);
    ~Ticket();
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

    // For whom the call's work is done.
    const WorkOwner& owner() const { return owner_; }

    // The call is answered: its place is for the next one, since its caller may
    // come again before it is known that the answer was taken.
    void Answered();

   private:
    Admission& admission_;
    const std::shared_ptr<Caller> caller_;
    const WorkOwner owner_;
    bool answered_ = false;  // Guarded by the admission's mutex_.
  };

  // Unavailable once Close was called; ResourceExhausted, naming the flag, if
  // there are too many calls, altogether or of `caller`, or too many samples
  // wait.
  absl::StatusOr<std::unique_ptr<Ticket>> Enter(const std::string& caller);

  // The parts of Enter: whether Close was called, and how many samples wait.
  absl::Status CheckOpen() const;
  absl::Status CheckQueue() const;

  // Lets nobody in any more.
  void Close();

  // Returns true when all calls are answered, false if that takes longer.
  bool WaitUntilEmpty(absl::Duration timeout);

  // Those that are not answered yet.
  uint64_t num_calls() const;

 private:
  // Answers that may be on their way beyond the limit of calls, because of
  // those that were taken it is not known at once.
  static constexpr uint64_t kMoreAnswers = 16;

  // Calls that are served, and those whose answers are on their way.
  struct Places {
    uint64_t num_served = 0;
    uint64_t num_answered = 0;
    bool IsFull(uint64_t limit) const {
      return num_served >= limit || num_answered >= limit + kMoreAnswers;
    }
  };
  struct Caller {
    Places places = {};  // Guarded by mutex_.
    std::shared_ptr<WorkAccount> account = std::make_shared<WorkAccount>();
  };

  std::shared_ptr<Caller> FindCaller(const std::string& name)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // When the next place may be free, by how often one was lately and by how
  // many were sent away since.
  absl::Duration ExpectedWait() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteAnswered(Caller& caller) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const AdmissionOptions options_;
  const EncodeScheduler& scheduler_;
  mutable base::Mutex mutex_;
  std::condition_variable_any emptied_;
  Places places_ ABSL_GUARDED_BY(mutex_);
  // Those with calls, and those for whom something was done lately.
  std::unordered_map<std::string, std::shared_ptr<Caller>> callers_
      ABSL_GUARDED_BY(mutex_);
  size_t max_callers_ ABSL_GUARDED_BY(mutex_) = 64;  // Before some are dropped.
  absl::Time last_answer_ ABSL_GUARDED_BY(mutex_) = base::SteadyNow();
  absl::Duration between_answers_ ABSL_GUARDED_BY(mutex_) =
      absl::ZeroDuration();
  int64_t num_refused_ ABSL_GUARDED_BY(mutex_) = 0;  // Since the last answer.
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_ADMISSION_H_
