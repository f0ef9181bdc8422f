#include "base/files/npy.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files/fault.h"

static_assert(std::endian::native == std::endian::little,
              "numbers are read from files as they are");

namespace ladder::base {
namespace {

// Enough of a file to tell how long its header is.
constexpr size_t kStartLength = 12;

}  // namespace

absl::StatusOr<NpyFile> NpyFile::Open(const std::filesystem::path& path) {
  absl::StatusOr<RandomAccessFile> file = RandomAccessFile::Open(path);
  if (!file.ok()) return file.status();
  std::vector<std::byte> bytes(kStartLength);
  const absl::StatusOr<size_t> count = file->ReadSome(/*offset=*/0, bytes);
  if (!count.ok()) return count.status();
  const absl::StatusOr<size_t> length =
      NpyHeaderLength(std::span(bytes).first(*count));
  if (!length.ok()) return AtPlace(file->path(), length.status());
  bytes.resize(*length);
  absl::Status status = file->ReadAll(/*offset=*/0, bytes);
  if (!status.ok()) return status;
  absl::StatusOr<NpyHeader> header = ParseNpyHeader(bytes);
  if (!header.ok()) return AtPlace(file->path(), header.status());

  if (header->shape.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        file->path(), ": expected an array of rows, found a single number"));
  }
  const int64_t data_bytes = file->size() - static_cast<int64_t>(*length);
  if (data_bytes != header->num_bytes()) {
    return absl::InvalidArgumentError(absl::StrCat(
        file->path(), ": expected ", header->num_bytes(),
        " bytes behind the header for an array of ",
        absl::StrJoin(header->shape, " x "), ", found ", data_bytes));
  }
  return NpyFile(*std::move(file), *std::move(header));
}

NpyFile::NpyFile(RandomAccessFile file, NpyHeader header)
    : file_(std::move(file)), header_(std::move(header)), row_size_(1) {
  for (size_t i = 1; i < header_.shape.size(); ++i) {
    row_size_ *= static_cast<size_t>(header_.shape[i]);
  }
}

absl::Status NpyFile::ReadRow(int64_t row, std::span<float> x) const {
  const auto start = static_cast<int64_t>(header_.length);
  const int64_t first = row * static_cast<int64_t>(row_size_);
  if (header_.type == NpyType::kFloat32) {
    return file_.ReadAll(start + first * int64_t{sizeof(float)},
                         std::as_writable_bytes(x));
  }
  std::vector<double> doubles(row_size_);
  absl::Status status =
      file_.ReadAll(start + first * int64_t{sizeof(double)},
                    std::as_writable_bytes(std::span(doubles)));
  if (!status.ok()) return status;
  std::transform(doubles.begin(), doubles.end(), x.begin(),
                 [](double value) { return static_cast<float>(value); });
  return absl::OkStatus();
}

}  // namespace ladder::base
