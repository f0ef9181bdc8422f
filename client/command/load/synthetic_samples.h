#ifndef LADDER_CLIENT_COMMAND_LOAD_SYNTHETIC_SAMPLES_H_
#define LADDER_CLIENT_COMMAND_LOAD_SYNTHETIC_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::client {

// `shape` with `dynamic_size` for every dimension that is not positive.
// InvalidArgument if one is needed and `dynamic_size` is 0. `name` is the
// tensor's, for the message.
absl::StatusOr<std::vector<int64_t>> ResolveShape(
    absl::string_view name, std::span<const int64_t> shape,
    int64_t dynamic_size);

// The bytes of a tensor of a `datatype` of the Open Inference Protocol, such as
// "FP32": uniform in [0, 1) for FP32 and FP64, zeros for other numbers.
// InvalidArgument for other types and for more than 1 GiB.
absl::StatusOr<std::string> SyntheticTensor(absl::string_view datatype,
                                            std::span<const int64_t> shape,
                                            uint64_t seed);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_LOAD_SYNTHETIC_SAMPLES_H_
