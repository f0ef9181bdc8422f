#include "server/scheduling/work_account.h"

#include <algorithm>
#include <cmath>

namespace ladder::server {
namespace {

double HalfLives(absl::Time now) {
  return absl::FDivDuration(now - absl::UnixEpoch(), WorkAccount::kHalfLife);
}

}  // namespace

void WorkAccount::Charge(absl::Duration work, absl::Time now) {
  if (work <= absl::ZeroDuration()) return;
  const double more = std::log2(absl::ToDoubleSeconds(work)) + HalfLives(now);
  double before = level();
  double after = 0;
  do {
    // log2(2^before + 2^more), without the powers, which would overflow.
    const double larger = std::max(before, more);
    const double smaller = std::min(before, more);
    after = larger + std::log2(1 + std::exp2(smaller - larger));
  } while (
      !level_.compare_exchange_weak(before, after, std::memory_order_relaxed));
}

bool WorkAccount::IsForgotten(absl::Time now) const {
  constexpr double kThousandth = -10;  // Of a second, as a power of two.
  return level() - HalfLives(now) < kThousandth;
}

}  // namespace ladder::server
