#ifndef LADDER_TRAINER_NETWORK_TORCH_STATUS_H_
#define LADDER_TRAINER_NETWORK_TORCH_STATUS_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ladder::trainer {

// Returns what `work` does, or the exception that LibTorch threw in it as a
// status with the exception's first words and without its stack:
// ResourceExhausted if memory ran out, on the CPU or a device, else Internal.
absl::Status CatchTorchErrors(absl::FunctionRef<absl::Status()> work);

// The same for work that makes something.
template <typename T>
absl::StatusOr<T> CatchTorchErrors(
    absl::FunctionRef<absl::StatusOr<T>()> work) {
  absl::StatusOr<T> made;
  absl::Status status = CatchTorchErrors([&] {
    made = work();
    return made.status();
  });
  if (!status.ok()) return status;
  return made;
}

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_TORCH_STATUS_H_
