#ifndef LADDER_CLIENT_COMMAND_INPUT_PICTURE_FILES_H_
#define LADDER_CLIENT_COMMAND_INPUT_PICTURE_FILES_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/command/input/sample_source.h"
#include "client/command/input/string_list.h"

namespace ladder::command {

// Pictures that lie in files of their own.
class PictureFiles : public SampleSource {
 public:
  // `list` is the CSV file that names them; empty if none does.
  PictureFiles(std::filesystem::path root, std::string list, size_t max_bytes)
      : root_(std::move(root)), list_(std::move(list)), max_bytes_(max_bytes) {}

  // While it is built. `path` is relative to the root; `line` is the list's.
  void Add(absl::string_view path, absl::string_view id, int64_t line);
  size_t size() const { return paths_.size(); }

  const std::vector<int64_t>& shape() const override { return shape_; }
  std::string Id(size_t sample) const override;
  absl::Status Read(size_t sample, std::string& bytes) const override;

 private:
  absl::Status ReadFile(const std::filesystem::path& path,
                        std::string& bytes) const;

  std::filesystem::path root_;
  std::string list_;
  size_t max_bytes_;
  StringList paths_;
  StringList ids_;  // Empty where it is the path.
  std::vector<int64_t> lines_;
  std::vector<int64_t> shape_;
};

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_INPUT_PICTURE_FILES_H_
