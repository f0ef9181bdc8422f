#include "trainer/data/broken_samples.h"

#include "base/files/fault.h"

namespace ladder::trainer {

bool BrokenSamples::Add(const BrokenSample& broken) {
  return reasons_
      .try_emplace(broken.sample,
                   base::FaultReason(broken.error).value_or("broken"))
      .second;
}

std::map<std::string, int64_t> BrokenSamples::counts() const {
  std::map<std::string, int64_t> counts;
  for (const auto& [sample, reason] : reasons_) ++counts[reason];
  return counts;
}

}  // namespace ladder::trainer
