#include "client/command/output/stream_output.h"

#include <filesystem>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/command/output/row_text.h"

namespace ladder::client {
namespace {

absl::StatusOr<DataFile> OpenRoutingFile(const std::filesystem::path& path,
                                         OpenMode mode) {
  if (mode == OpenMode::kOverwrite) {
    LADDER_ASSIGN_OR_RETURN(DataFile file,
                            DataFile::Open(path, DataFile::Mode::kAny));
    LADDER_RETURN_IF_ERROR(file.Truncate(0));
    return file;
  }
  absl::StatusOr<DataFile> file = DataFile::Open(path, DataFile::Mode::kNew);
  if (!absl::IsAlreadyExists(file.status())) return file;
  return absl::AlreadyExistsError(
      absl::StrCat(path.string(),
                   ": expected no such file, found one; replace it by "
                   "--overwrite"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<StreamOutput>> StreamOutput::Open(
    const OutputFileOptions& options, OpenMode mode, std::ostream& out) {
  LADDER_RETURN_IF_ERROR(options.Validate());
  if (mode == OpenMode::kResume) {
    return absl::InvalidArgumentError(
        "--resume: expected an --output that is a file, got \"-\"");
  }
  std::optional<DataFile> routing;
  if (!options.routing.empty()) {
    LADDER_ASSIGN_OR_RETURN(routing, OpenRoutingFile(options.routing, mode));
  }
  std::unique_ptr<StreamOutput> output(
      new StreamOutput(options, std::move(routing), out));
  const base::MutexLock lock(output->mutex_);
  if (output->routing_.has_value()) {
    LADDER_RETURN_IF_ERROR(
        output->routing_->Append(output->routing_rows_.Header()));
  }
  LADDER_RETURN_IF_ERROR(output->Write(output->prediction_rows_.Header()));
  LADDER_RETURN_IF_ERROR(output->Flush());
  return output;
}

StreamOutput::StreamOutput(const OutputFileOptions& options,
                           std::optional<DataFile> routing, std::ostream& out)
    : prediction_rows_(options),
      routing_rows_(options),
      routing_(std::move(routing)),
      out_(out) {}

std::unique_ptr<GroupSpool> StreamOutput::NewSpool(
    absl::string_view group) const {
  return std::make_unique<GroupSpool>(
      ReadableText(group), prediction_rows_,
      std::filesystem::temp_directory_path() / "ladder");
}

absl::Status StreamOutput::Commit(const GroupSpool& spool,
                                  const v1::Routing& routing,
                                  absl::Duration elapsed) {
  LADDER_ASSIGN_OR_RETURN(const std::string routing_row,
                          spool.RoutingRow(routing_rows_, routing, elapsed));
  const base::MutexLock lock(mutex_);
  LADDER_RETURN_IF_ERROR(spool.CopyTo(
      [this](absl::string_view text)
          ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return Write(text); }));
  LADDER_RETURN_IF_ERROR(Flush());
  return routing_.has_value() ? routing_->Append(routing_row)
                              : absl::OkStatus();
}

absl::Status StreamOutput::Write(absl::string_view text) {
  out_.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (out_.good()) return absl::OkStatus();
  return WriteError(absl::DataLossError("cannot write to standard output"));
}

absl::Status StreamOutput::Flush() {
  out_.flush();
  return Write("");
}

}  // namespace ladder::client
