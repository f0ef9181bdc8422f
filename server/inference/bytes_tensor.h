#ifndef LADDER_SERVER_INFERENCE_BYTES_TENSOR_H_
#define LADDER_SERVER_INFERENCE_BYTES_TENSOR_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::server {

// The protocol's raw form of a BYTES tensor: element after element, each behind
// its length as four little-endian bytes.

// The `count` elements of `raw`, into which they point. InvalidArgument, naming
// the element, if `raw` ends too early or too late.
absl::StatusOr<std::vector<absl::string_view>> SplitBytesTensor(
    absl::string_view raw, size_t count);

// `element` must be shorter than 4 GiB.
void AppendBytesElement(absl::string_view element, std::string& raw);

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_BYTES_TENSOR_H_
