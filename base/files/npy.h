#ifndef LADDER_BASE_FILES_NPY_H_
#define LADDER_BASE_FILES_NPY_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/files/random_access_file.h"

namespace ladder::base {

enum class NpyType { kFloat32, kFloat64 };

// The beginning of a .npy file.
struct NpyHeader {
  NpyType type = NpyType::kFloat32;
  std::vector<int64_t> shape = {};
  size_t length = 0;  // The header's bytes; the numbers begin behind them.

  // The product of the shape, and how many bytes it takes.
  int64_t num_elements() const;
  int64_t num_bytes() const;
};

// Parses a whole header. InvalidArgument, with what was expected and found, if
// it is damaged, or of an array that is not little-endian float32 or float64 in
// C order, or whose size in bytes does not fit 63 bits.
absl::StatusOr<NpyHeader> ParseNpyHeader(std::span<const std::byte> header);

// An array in a .npy file (NEP 1), read row by row: a row is what has the first
// index in common. Thread-safe.
class NpyFile {
 public:
  // InvalidArgument, naming the path, as ParseNpyHeader, or if the array has no
  // dimension or the file another length than it should; else as
  // RandomAccessFile::Open.
  static absl::StatusOr<NpyFile> Open(const std::filesystem::path& path);

  const std::string& path() const { return file_.path(); }
  const std::vector<int64_t>& shape() const { return header_.shape; }
  size_t row_size() const { return row_size_; }  // In numbers.

  // Reads the row of index `row`, which must be below shape()[0], into `x`,
  // which must have room for row_size() numbers. Doubles are rounded to float.
  absl::Status ReadRow(int64_t row, std::span<float> x) const;

 private:
  NpyFile(RandomAccessFile file, NpyHeader header);

  RandomAccessFile file_;
  NpyHeader header_;
  size_t row_size_ = 0;
};

}  // namespace ladder::base

#endif  // LADDER_BASE_FILES_NPY_H_
