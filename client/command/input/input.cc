#include "client/command/input/input.h"

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/files/fault.h"
#include "base/status_macros.h"
#include "client/command/input/input_contents.h"
#include "ladder/client/samples.h"

namespace ladder::client {
namespace {

// Reads a group from disk, chunk by chunk; holds one chunk and one sample.
class GroupReader : public SampleReader {
 public:
  GroupReader(std::shared_ptr<InputContents> contents, size_t group)
      : contents_(std::move(contents)), group_(contents_->groups[group]) {}

  absl::StatusOr<std::optional<v1::Samples>> Next() override;
  absl::Status Rewind() override;

 private:
  // Reads samples until one can be read, which is then in bytes_ and at next_;
  // false if none can.
  absl::StatusOr<bool> Fetch();
  void Append(v1::Samples& chunk);

  std::shared_ptr<InputContents> contents_;
  const InputGroup& group_;
  size_t next_ = 0;  // Among the group's samples.
  bool is_fetched_ = false;
  std::string bytes_;
  std::string id_;
};

absl::StatusOr<std::optional<v1::Samples>> GroupReader::Next() {
  v1::Samples chunk;
  size_t num_samples = 0;
  size_t num_bytes = 0;
  while (num_samples < contents_->options.max_chunk_samples) {
    LADDER_ASSIGN_OR_RETURN(const bool has_sample, Fetch());
    if (!has_sample) break;
    num_bytes += bytes_.size() + id_.size();
    if (num_samples > 0 && num_bytes > contents_->options.max_chunk_bytes) {
      break;
    }
    Append(chunk);
    ++num_samples;
  }
  if (num_samples == 0) return std::nullopt;
  if (chunk.has_tensor()) {
    chunk.mutable_tensor()->set_shape(0, static_cast<int64_t>(num_samples));
  }
  return chunk;
}

absl::Status GroupReader::Rewind() {
  next_ = 0;
  is_fetched_ = false;
  return absl::OkStatus();
}

absl::StatusOr<bool> GroupReader::Fetch() {
  for (; !is_fetched_ && next_ < group_.samples.size(); ++next_) {
    const size_t sample = group_.samples[next_];
    const absl::Status status = contents_->source->Read(sample, bytes_);
    if (status.ok()) {
      id_ = contents_->source->Id(sample);
      is_fetched_ = true;
      break;
    }
    LADDER_RETURN_IF_ERROR(contents_->skipped.Take(
        base::AtPlace(absl::StrCat("group \"", group_.name, "\""), status)));
  }
  return is_fetched_;
}

void GroupReader::Append(v1::Samples& chunk) {
  chunk.add_ids(std::move(id_));
  const std::vector<int64_t>& shape = contents_->source->shape();
  if (shape.empty()) {
    chunk.mutable_images()->add_images(std::move(bytes_));
  } else {
    v1::Tensor& tensor = *chunk.mutable_tensor();
    if (tensor.shape().empty()) {
      tensor.add_shape(0);
      tensor.mutable_shape()->Add(shape.begin(), shape.end());
    }
    tensor.mutable_float32()->append(bytes_);
  }
  is_fetched_ = false;
  ++next_;
}

struct GivenOption {
  bool is_given = false;
  const char* flag = nullptr;
};

absl::Status RefuseOptions(absl::string_view kind,
                           std::initializer_list<GivenOption> options) {
  for (const GivenOption& option : options) {
    if (!option.is_given) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        option.flag, ": expected an input that it applies to, got ", kind));
  }
  return absl::OkStatus();
}

absl::Status Fill(InputContents& contents) {
  const InputOptions& options = contents.options;
  const std::string extension = options.path.extension().string();
  const GivenOption by{!options.group_by.empty(), "--group-by"};
  const GivenOption regex{!options.group_regex.empty(), "--group-regex"};
  const GivenOption groups{!options.groups_file.empty(), "--groups"};
  const GivenOption root{!options.image_root.empty(), "--image-root"};
  const GivenOption column{!options.path_column.empty(), "--path-column"};
  const GivenOption id{!options.id_column.empty(), "--id-column"};
  const GivenOption features{!options.features.empty(), "--features"};
  const GivenOption where{!options.where.empty(), "--where"};

  std::error_code error;
  const auto kind = std::filesystem::status(options.path, error).type();
  if (kind == std::filesystem::file_type::directory) {
    absl::Status status =
        RefuseOptions(absl::StrCat("the folder ", options.path.string()),
                      {by, groups, root, column, id, features, where});
    return status.ok() ? FillFromFolder(contents) : status;
  }
  if (kind == std::filesystem::file_type::not_found ||
      kind == std::filesystem::file_type::none) {
    return absl::NotFoundError(absl::StrCat(
        options.path.string(), ": expected a folder, a .csv or a .npy file, ",
        error ? error.message() : "found nothing"));
  }
  if (absl::EqualsIgnoreCase(extension, ".csv")) {
    absl::Status status = RefuseOptions(
        absl::StrCat("the table ", options.path.string()), {groups});
    return status.ok() ? FillFromCsv(contents) : status;
  }
  if (absl::EqualsIgnoreCase(extension, ".npy")) {
    absl::Status status =
        RefuseOptions(absl::StrCat("the array ", options.path.string()),
                      {regex, root, column, features});
    return status.ok() ? FillFromArray(contents) : status;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(options.path.string(),
                   ": expected a folder, a .csv or a .npy file, found a file "
                   "that ends in \"",
                   extension, "\""));
}

}  // namespace

absl::StatusOr<ColumnFilter> ParseColumnFilter(absl::string_view text) {
  const size_t sign = text.find('=');
  if (sign == absl::string_view::npos || sign == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--where: expected COLUMN=VALUE, such as split=test, got \"", text,
        "\""));
  }
  return ColumnFilter{std::string(text.substr(0, sign)),
                      std::string(text.substr(sign + 1))};
}

absl::Status InputOptions::Validate() const {
  if (max_chunk_samples == 0 || max_chunk_bytes == 0 ||
      max_picture_bytes == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("limits of chunks: expected at least 1, got ",
                     max_chunk_samples, " samples, ", max_chunk_bytes,
                     " bytes, ", max_picture_bytes, " bytes of a picture"));
  }
  if (!group_by.empty() && !group_regex.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected --group-by or --group-regex, got both: ", group_by, " and ",
        group_regex));
  }
  return absl::OkStatus();
}

size_t Input::num_groups() const { return contents_->groups.size(); }

const std::string& Input::group_name(size_t group) const {
  return contents_->groups[group].name;
}

size_t Input::num_samples(size_t group) const {
  return contents_->groups[group].samples.size();
}

size_t Input::num_samples() const {
  size_t sum = 0;
  for (const InputGroup& group : contents_->groups) sum += group.samples.size();
  return sum;
}

const std::vector<int64_t>& Input::sample_shape() const {
  return contents_->source->shape();
}

const std::vector<std::string>& Input::remarks() const {
  return contents_->remarks;
}

std::vector<std::string> Input::Skipped() const {
  return contents_->skipped.List();
}

std::unique_ptr<SampleReader> Input::Open(size_t group) const {
  return std::make_unique<GroupReader>(contents_, group);
}

absl::StatusOr<Input> OpenInput(const InputOptions& options) {
  LADDER_RETURN_IF_ERROR(options.Validate());
  auto contents = std::make_shared<InputContents>(options);
  LADDER_RETURN_IF_ERROR(Fill(*contents));
  if (contents->groups.empty()) {
    std::string message =
        absl::StrCat(options.path.string(), ": expected samples, found none");
    for (const std::string& remark : contents->remarks) {
      absl::StrAppend(&message, "; ", remark);
    }
    return absl::InvalidArgumentError(message);
  }
  return Input(std::move(contents));
}

}  // namespace ladder::client
