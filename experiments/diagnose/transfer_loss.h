#ifndef LADDER_EXPERIMENTS_DIAGNOSE_TRANSFER_LOSS_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_TRANSFER_LOSS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "routing/execution.h"
#include "routing/linear_heads.h"
#include "trainer/encode/encoded_samples.h"

namespace ladder::trainer {

// How well each source's head does on the other sources' samples: entry (e, e')
// of the row-major E x E result is the mean cross-entropy, in nats, of head e
// on the samples at `rows[e']`. Zero on the diagonal and where a source has no
// samples. Labels must be below the heads' number of classes.
//
// Errors as LinearHeads::ExpertLogits; Cancelled as routing::Execution.
absl::StatusOr<std::vector<double>> TransferLosses(
    const routing::LinearHeads& heads, const EncodedSamples& samples,
    std::span<const std::vector<size_t>> rows,
    const routing::Execution& execution);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_TRANSFER_LOSS_H_
