#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/files/fault.h"
#include "base/status_macros.h"
#include "base/text/text.h"
#include "client/command/input/input_contents.h"
#include "client/command/input/sample_sources.h"

namespace ladder::client {
namespace {

namespace fs = std::filesystem;

bool IsPicture(const std::string& name) {
  return absl::EndsWithIgnoreCase(name, ".jpg") ||
         absl::EndsWithIgnoreCase(name, ".jpeg") ||
         absl::EndsWithIgnoreCase(name, ".png");
}

// Goes through a folder and those below it, files before folders, both sorted.
// Links to folders come last, so that a folder that lies here is found under
// its own name.
class FolderWalk {
 public:
  FolderWalk(InputContents& contents, PathGroups groups)
      : contents_(contents),
        path_groups_(std::move(groups)),
        files_(std::make_unique<PictureFiles>(
            contents.options.path, /*list=*/"",
            contents.options.max_picture_bytes)) {}

  absl::Status Walk() {
    LADDER_RETURN_IF_ERROR(Visit(/*prefix=*/""));
    // There may be more of them behind a link.
    for (size_t i = 0; i < links_.size(); ++i) {
      const std::string link = links_[i];
      LADDER_RETURN_IF_ERROR(Visit(link));
    }
    return absl::OkStatus();
  }

  void Finish() && {
    const fs::path root =
        fs::absolute(contents_.options.path).lexically_normal();
    contents_.groups = std::move(groups_).Build(
        (root.has_filename() ? root : root.parent_path()).filename().string());
    contents_.source = std::move(files_);
    if (num_hidden_ > 0) {
      contents_.remarks.push_back(absl::StrCat(
          "left out what is hidden: ", num_hidden_, " files or folders"));
    }
    if (num_others_ > 0) {
      contents_.remarks.push_back(absl::StrCat(
          "left out what is neither .jpg, .jpeg nor .png: ", num_others_,
          " files, such as ", base::ValidText(an_other_)));
    }
    if (num_visited_before_ > 0) {
      contents_.remarks.push_back(
          absl::StrCat("left out links to folders that were there already: ",
                       num_visited_before_));
    }
  }

 private:
  struct Entries {
    std::vector<std::string> files = {};
    std::vector<std::string> folders = {};
    std::vector<std::string> links = {};  // To folders.
  };

  // `prefix` is the folder's path relative to the root, with a slash behind it;
  // empty for the root.
  absl::Status Visit(const std::string& prefix) {
    const fs::path folder = contents_.options.path / prefix;
    struct stat identity = {};
    // Links may lead in circles, or to one folder in several ways.
    if (stat(folder.c_str(), &identity) == 0 &&
        !visited_.emplace(identity.st_dev, identity.st_ino).second) {
      ++num_visited_before_;
      return absl::OkStatus();
    }
    absl::StatusOr<Entries> entries = List(folder);
    if (!entries.ok()) return contents_.skipped.Take(entries.status());
    for (const std::string& name : entries->files) {
      LADDER_RETURN_IF_ERROR(AddFile(prefix + name));
    }
    for (const std::string& name : entries->folders) {
      LADDER_RETURN_IF_ERROR(Visit(absl::StrCat(prefix, name, "/")));
    }
    for (const std::string& name : entries->links) {
      links_.push_back(absl::StrCat(prefix, name, "/"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Entries> List(const fs::path& folder) {
    Entries entries;
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      std::string name = entry->path().filename().string();
      std::error_code ignored;  // A link may lead nowhere.
      if (absl::StartsWith(name, ".")) {
        ++num_hidden_;
      } else if (entry->is_directory(ignored)) {
        const bool is_link = entry->is_symlink(ignored);
        (is_link ? entries.links : entries.folders).push_back(std::move(name));
      } else if (IsPicture(name)) {
        entries.files.push_back(std::move(name));
      } else {
        ++num_others_;
        const std::string other = folder / name;
        if (an_other_.empty() || other < an_other_) an_other_ = other;
      }
    }
    if (error) {
      return base::Fault(
          "unreadable folder",
          absl::StrCat(folder.string(), ": cannot list it: ", error.message()));
    }
    std::sort(entries.files.begin(), entries.files.end());
    std::sort(entries.folders.begin(), entries.folders.end());
    std::sort(entries.links.begin(), entries.links.end());
    return entries;
  }

  absl::Status AddFile(const std::string& path) {
    const absl::StatusOr<std::string> group = path_groups_.Of(path);
    if (!group.ok()) return contents_.skipped.Take(group.status());
    groups_.Add(*group, files_->size());
    files_->Add(path, /*id=*/"", /*line=*/0);
    return absl::OkStatus();
  }

  InputContents& contents_;
  PathGroups path_groups_;
  std::unique_ptr<PictureFiles> files_;
  GroupBuilder groups_;
  absl::flat_hash_set<std::pair<dev_t, ino_t>> visited_;
  std::vector<std::string> links_;  // As prefixes, in the order they were met.
  size_t num_hidden_ = 0;
  size_t num_others_ = 0;
  std::string an_other_;  // The first of them by name.
  size_t num_visited_before_ = 0;
};

}  // namespace

absl::Status FillFromFolder(InputContents& contents) {
  LADDER_ASSIGN_OR_RETURN(PathGroups groups,
                          PathGroups::Create(contents.options.group_regex));
  FolderWalk walk(contents, std::move(groups));
  LADDER_RETURN_IF_ERROR(walk.Walk());
  std::move(walk).Finish();
  return absl::OkStatus();
}

}  // namespace ladder::client
