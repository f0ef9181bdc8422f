#ifndef LADDER_TRAINER_NETWORK_TORCH_STATUS_H_
#define LADDER_TRAINER_NETWORK_TORCH_STATUS_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace ladder::trainer {

// What `work` returns, or the exception that LibTorch threw in it, as a status
// with the exception's first words and without its stack: ResourceExhausted if
// memory ran out, on the CPU or a device, else Internal.
absl::Status CatchTorchErrors(absl::FunctionRef<absl::Status()> work);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_TORCH_STATUS_H_
