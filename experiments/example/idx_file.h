#ifndef LADDER_EXPERIMENTS_EXAMPLE_IDX_FILE_H_
#define LADDER_EXPERIMENTS_EXAMPLE_IDX_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "absl/status/statusor.h"

namespace ladder::trainer {

// An array of bytes, the last dimension lying together.
struct IdxArray {
  std::vector<size_t> shape = {};
  std::vector<uint8_t> values = {};
};

// Reads a file in the IDX format of the MNIST data sets, as it is or in gzip.
// NotFound if there is none, else InvalidArgument if it is not an array of
// unsigned bytes in so many dimensions (1 to 255), is of more than 1 GiB, or is
// longer or shorter than its header says. Messages name the path.
absl::StatusOr<IdxArray> ReadIdx(const std::filesystem::path& path,
                                 size_t num_dimensions);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_EXAMPLE_IDX_FILE_H_
