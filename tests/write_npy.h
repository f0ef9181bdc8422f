#ifndef LADDER_TESTS_WRITE_NPY_H_
#define LADDER_TESTS_WRITE_NPY_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace ladder {

// Writes a float32 array as NumPy does, version 1.0; `values` must have the
// shape's size.
inline absl::Status WriteNpy(const std::filesystem::path& path,
                             std::span<const int64_t> shape,
                             std::span<const float> values) {
  constexpr char kStart[] = "\x93NUMPY\x01\x00";
  constexpr size_t kStartLength = 8;
  constexpr size_t kAlignment = 64;  // Where the numbers begin in the file.
  // Python writes a tuple of one with a comma.
  std::string dictionary = absl::StrCat(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (",
      absl::StrJoin(shape, ", "), shape.size() == 1 ? "," : "", "), }");
  const size_t length = kStartLength + sizeof(uint16_t) + dictionary.size() + 1;
  dictionary.append((kAlignment - length % kAlignment) % kAlignment, ' ');
  dictionary.push_back('\n');
  const auto stored_length = static_cast<uint16_t>(dictionary.size());

  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(kStart, kStartLength);
  file.write(reinterpret_cast<const char*>(&stored_length),
             sizeof(stored_length));
  file << dictionary;
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size_bytes()));
  file.close();
  if (file) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write ", path.string()));
}

}  // namespace ladder

#endif  // LADDER_TESTS_WRITE_NPY_H_
