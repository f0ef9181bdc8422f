#include "trainer/data/batch_plan.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace ladder::trainer {

BatchPlan InOrder(std::vector<size_t> samples, size_t batch_size) {
  // Shared, because functions are copied.
  const auto shared =
      std::make_shared<const std::vector<size_t>>(std::move(samples));
  return [shared, batch_size](uint64_t step) {
    const size_t begin = std::min<size_t>(step * batch_size, shared->size());
    const size_t end = std::min(begin + batch_size, shared->size());
    return std::vector<size_t>(shared->data() + begin, shared->data() + end);
  };
}

uint64_t NumBatches(size_t num_samples, size_t batch_size) {
  return (num_samples + batch_size - 1) / batch_size;
}

}  // namespace ladder::trainer
