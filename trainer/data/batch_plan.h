#ifndef LADDER_TRAINER_DATA_BATCH_PLAN_H_
#define LADDER_TRAINER_DATA_BATCH_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace ladder::trainer {

// Which samples make up the batch of a step: a pure, thread-safe function.
using BatchPlan = std::function<std::vector<size_t>(uint64_t step)>;

// The given samples once, in order, `batch_size` at a time; the last batch may
// be smaller. Its steps are [0, NumBatches(samples.size(), batch_size)).
BatchPlan InOrder(std::vector<size_t> samples, size_t batch_size);

uint64_t NumBatches(size_t num_samples, size_t batch_size);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_BATCH_PLAN_H_
