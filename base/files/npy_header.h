#ifndef LADDER_BASE_FILES_NPY_HEADER_H_
#define LADDER_BASE_FILES_NPY_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

namespace ladder::base {

enum class NpyType { kFloat32, kFloat64 };

// What is written at the beginning of a .npy file.
struct NpyHeader {
  NpyType type = NpyType::kFloat32;
  std::vector<int64_t> shape = {};
  size_t length = 0;  // Of the header in bytes; the numbers begin there.

  // The product of the shape, and how many bytes it takes.
  int64_t num_elements() const;
  int64_t num_bytes() const;
};

// How long the header is that begins with `start`, of which 12 bytes are
// enough. InvalidArgument if it is no .npy file of version 1, 2 or 3, or too
// long to be one.
absl::StatusOr<size_t> NpyHeaderLength(std::span<const std::byte> start);

// Parses a whole header. InvalidArgument, with what was expected and found, if
// it is damaged, or of an array that is not little-endian float32 or float64 in
// C order, or whose size in bytes does not fit 63 bits.
absl::StatusOr<NpyHeader> ParseNpyHeader(std::span<const std::byte> header);

}  // namespace ladder::base

#endif  // LADDER_BASE_FILES_NPY_HEADER_H_
