#include "client/command/output/group_spool.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace ladder::client {
namespace {

// Keeps a server's mistake from taking all memory: 128 MiB of marks.
constexpr uint64_t kMaxSamples = uint64_t{1} << 30;

constexpr size_t kCopyBytes = size_t{1} << 20;

}  // namespace

GroupSpool::GroupSpool(std::string group, const PredictionRows& rows,
                       std::filesystem::path beside, size_t max_memory)
    : group_(std::move(group)),
      rows_(rows),
      beside_(std::move(beside)),
      max_memory_(max_memory) {}

absl::Status GroupSpool::Add(const v1::Predictions& predictions) {
  absl::Status status = rows_.Append(group_, predictions, memory_);
  if (status.ok()) status = Mark(predictions);
  if (!status.ok() || memory_.size() <= max_memory_) return status;
  if (!file_.has_value()) {
    LADDER_ASSIGN_OR_RETURN(file_, DataFile::OpenTemporary(beside_));
  }
  status = file_->Append(memory_);
  memory_.clear();
  return status;
}

absl::Status GroupSpool::Mark(const v1::Predictions& predictions) {
  for (const AnsweredSample& sample : AnsweredSamples(predictions)) {
    if (sample.index >= kMaxSamples) {
      return absl::InternalError(
          absl::StrCat("group \"", group_, "\": expected at most ", kMaxSamples,
                       " samples, the server sent index ", sample.index));
    }
    if (sample.index >= seen_.size()) seen_.resize(sample.index + 1);
    if (seen_[sample.index]) {
      return absl::InternalError(absl::StrCat("group \"", group_,
                                              "\": the server answered twice "
                                              "for sample ",
                                              sample.index));
    }
    seen_[sample.index] = true;
    ++num_samples_;
    if (sample.is_rejected) ++num_rejected_;
  }
  return absl::OkStatus();
}

void GroupSpool::Discard() {
  memory_.clear();
  file_.reset();
  seen_.clear();
  num_samples_ = 0;
  num_rejected_ = 0;
}

absl::Status GroupSpool::CheckComplete() const {
  if (num_samples_ == seen_.size() && num_samples_ > 0) {
    return absl::OkStatus();
  }
  const auto missing = std::find(seen_.begin(), seen_.end(), false);
  return absl::InternalError(absl::StrCat(
      "group \"", group_, "\": expected an answer for every sample, the ",
      "server sent ", num_samples_, " of ", seen_.size(), " and none for ",
      missing - seen_.begin()));
}

absl::StatusOr<std::string> GroupSpool::RoutingRow(
    const RoutingRows& rows, const v1::Routing& routing,
    absl::Duration elapsed) const {
  LADDER_RETURN_IF_ERROR(CheckComplete());
  std::string row;
  LADDER_RETURN_IF_ERROR(rows.Append({.name = group_,
                                      .num_samples = num_samples_,
                                      .num_rejected = num_rejected_,
                                      .elapsed = elapsed},
                                     routing, row));
  return row;
}

absl::Status GroupSpool::CopyTo(
    absl::FunctionRef<absl::Status(absl::string_view)> write) const {
  for (int64_t offset = 0; file_.has_value() && offset < file_->size();) {
    LADDER_ASSIGN_OR_RETURN(const std::string text,
                            file_->Read(offset, kCopyBytes));
    if (text.empty()) {
      return absl::DataLossError(absl::StrCat(file_->path(), ": expected ",
                                              file_->size(), " bytes, found ",
                                              offset));
    }
    LADDER_RETURN_IF_ERROR(write(text));
    offset += static_cast<int64_t>(text.size());
  }
  return write(memory_);
}

}  // namespace ladder::client
