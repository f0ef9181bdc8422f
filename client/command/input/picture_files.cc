#include "client/command/input/picture_files.h"

#include <span>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/files/csv_table.h"
#include "base/files/fault.h"
#include "base/files/random_access_file.h"
#include "client/command/input/valid_text.h"

namespace ladder::command {

void PictureFiles::Add(absl::string_view path, absl::string_view id,
                       int64_t line) {
  paths_.Add(path);
  ids_.Add(id == path ? "" : id);
  lines_.push_back(line);
}

std::string PictureFiles::Id(size_t sample) const {
  return ValidText(ids_[sample].empty() ? paths_[sample] : ids_[sample]);
}

absl::Status PictureFiles::Read(size_t sample, std::string& bytes) const {
  absl::Status status = ReadFile(
      root_ / std::string_view(paths_[sample].data(), paths_[sample].size()),
      bytes);
  if (list_.empty()) return status;
  return base::AtPlace(base::LinePlace(list_, lines_[sample]), status);
}

absl::Status PictureFiles::ReadFile(const std::filesystem::path& path,
                                    std::string& bytes) const {
  const absl::StatusOr<base::RandomAccessFile> file =
      base::RandomAccessFile::Open(path);
  if (!file.ok()) return file.status();
  const auto size = static_cast<size_t>(file->size());
  if (size > max_bytes_) {
    return base::Fault("too large",
                       absl::StrCat(file->path(), ": expected at most ",
                                    max_bytes_, " bytes, found ", size));
  }
  bytes.resize(size);
  return file->ReadAll(/*offset=*/0, std::as_writable_bytes(std::span(bytes)));
}

}  // namespace ladder::command
