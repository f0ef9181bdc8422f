#ifndef LADDER_SERVER_SCHEDULING_WORK_ACCOUNT_H_
#define LADDER_SERVER_SCHEDULING_WORK_ACCOUNT_H_

#include <atomic>
#include <limits>
#include <memory>

#include "absl/time/time.h"
#include "base/system/steady_time.h"

namespace ladder::server {

// How much work was done for somebody lately: what was done is forgotten by
// half every kHalfLife. Whoever has had least comes first (FairQueue), so that
// those who ask for much wait for those who ask for little, and nobody for
// ever.
//
// Thread-safe.
class WorkAccount {
 public:
  static constexpr absl::Duration kHalfLife = absl::Seconds(4);

  void Charge(absl::Duration work, absl::Time now = base::SteadyNow());

  // Orders accounts by what was done for them lately, whatever the time is:
  // forgetting by half is the same factor for all. Minus infinity if nothing
  // was ever done.
  double level() const { return level_.load(std::memory_order_relaxed); }

  // Whether less than a thousandth is left of all that was done.
  bool IsForgotten(absl::Time now = base::SteadyNow()) const;

 private:
  // The binary logarithm of the seconds of work, each multiplied by two to the
  // power of the half-lives that had passed when it was done.
  std::atomic<double> level_ = -std::numeric_limits<double>::infinity();
};

// For whom work is done: one call of a caller.
struct WorkOwner {
  std::shared_ptr<WorkAccount> caller = std::make_shared<WorkAccount>();
  std::shared_ptr<WorkAccount> call = std::make_shared<WorkAccount>();

  void Charge(absl::Duration work) const {
    const absl::Time now = base::SteadyNow();
    caller->Charge(work, now);
    call->Charge(work, now);
  }
};

// Whether it is the turn of `a` before that of `b`: callers first, then their
// calls.
inline bool ComesBefore(const WorkOwner& a, const WorkOwner& b) {
  const double caller_a = a.caller->level();
  const double caller_b = b.caller->level();
  if (a.caller != b.caller && caller_a != caller_b) return caller_a < caller_b;
  return a.call->level() < b.call->level();
}

}  // namespace ladder::server

#endif  // LADDER_SERVER_SCHEDULING_WORK_ACCOUNT_H_
