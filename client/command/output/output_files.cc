#include "client/command/output/output_files.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files/fault.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "client/command/output/row_text.h"

namespace ladder::client {
namespace {

namespace fs = std::filesystem;

bool IsThere(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
}

// The run as the journal tells it.
std::map<std::string, std::string> Describe(const OutputFileOptions& options) {
  std::map<std::string, std::string> run;
  for (const auto& [name, value] : options.run) {
    run[ReadableText(name)] = ReadableText(value);
  }
  run["rows"] =
      absl::StrCat(OutputFormatName(options.format), ", top ", options.top_n,
                   options.probabilities ? ", probabilities" : "",
                   options.logits ? ", logits" : "");
  run["classes"] = ReadableText(absl::StrJoin(options.classes, ","));
  run["sources"] = ReadableText(absl::StrJoin(options.sources, ","));
  return run;
}

absl::StatusOr<DataFile> OpenJournal(const OutputFileOptions& options,
                                     OpenMode mode) {
  const fs::path path = options.JournalPath();
  const bool has_journal = IsThere(path);
  for (const fs::path& file : {options.predictions, options.RoutingPath()}) {
    if (!IsThere(file)) continue;
    if (mode == OpenMode::kNew) {
      return absl::AlreadyExistsError(absl::StrCat(
          file.string(),
          ": expected no such file, found one; go on with it by --resume, or "
          "replace it by --overwrite"));
    }
    if (mode == OpenMode::kResume && !has_journal) {
      return absl::FailedPreconditionError(absl::StrCat(
          file.string(), ": cannot resume without the journal ", path.string(),
          "; restore it, or begin anew with --overwrite"));
    }
  }
  if (mode == OpenMode::kNew && has_journal) {
    return absl::AlreadyExistsError(absl::StrCat(
        path.string(),
        ": expected no such file, found one; go on with its run by --resume, "
        "or begin anew with --overwrite"));
  }
  LADDER_ASSIGN_OR_RETURN(
      DataFile journal,
      DataFile::Open(path, has_journal ? DataFile::Mode::kExisting
                                       : DataFile::Mode::kNew));
  LADDER_ASSIGN_OR_RETURN(const bool is_ours, journal.TryLock());
  if (is_ours) return journal;
  return absl::FailedPreconditionError(
      absl::StrCat(options.predictions.string(),
                   ": another process is writing to it; wait for its end, or "
                   "choose another --output"));
}

// What a run to be resumed has; none if it has yet to begin.
absl::StatusOr<std::optional<Journal>> ReadJournal(
    const DataFile& file, const OutputFileOptions& options) {
  LADDER_ASSIGN_OR_RETURN(
      const std::string text,
      file.Read(/*offset=*/0, static_cast<size_t>(file.size())));
  absl::StatusOr<std::optional<Journal>> journal = ParseJournal(text);
  if (!journal.ok()) return base::AtPlace(file.path(), journal.status());
  if (!journal->has_value()) return journal;
  absl::Status status = CheckSameRun(Describe(options), (*journal)->run);
  if (!status.ok()) return base::AtPlace(file.path(), status);
  for (const fs::path& path : {options.predictions, options.RoutingPath()}) {
    if (IsThere(path) || (*journal)->groups.empty()) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        path.string(), ": expected the rows of ", (*journal)->groups.size(),
        " finished groups, found no file; restore it, or begin anew with ",
        "--overwrite"));
  }
  return journal;
}

}  // namespace

absl::StatusOr<std::unique_ptr<OutputFiles>> OutputFiles::Open(
    const OutputFileOptions& options, OpenMode mode) {
  LADDER_RETURN_IF_ERROR(options.Validate());
  std::vector<fs::path> created;
  absl::Cleanup remove_created = [&created] {
    for (const fs::path& path : created) unlink(path.c_str());
  };
  const auto note_if_new = [&created](const fs::path& path) {
    if (!IsThere(path)) created.push_back(path);
  };

  const bool is_new_journal = !IsThere(options.JournalPath());
  LADDER_ASSIGN_OR_RETURN(DataFile journal, OpenJournal(options, mode));
  if (is_new_journal) created.push_back(options.JournalPath());
  std::optional<Journal> before;
  if (mode == OpenMode::kResume) {
    LADDER_ASSIGN_OR_RETURN(before, ReadJournal(journal, options));
  }
  note_if_new(options.predictions);
  LADDER_ASSIGN_OR_RETURN(
      DataFile predictions,
      DataFile::Open(options.predictions, DataFile::Mode::kAny));
  note_if_new(options.RoutingPath());
  LADDER_ASSIGN_OR_RETURN(
      DataFile routing,
      DataFile::Open(options.RoutingPath(), DataFile::Mode::kAny));

  std::unique_ptr<OutputFiles> files(new OutputFiles(
      options, std::move(predictions), std::move(routing), std::move(journal)));
  const base::MutexLock lock(files->mutex_);
  LADDER_RETURN_IF_ERROR(
      before.has_value() ? files->GoOn(*std::move(before), Describe(options))
                         : files->Begin(Describe(options)));
  std::move(remove_created).Cancel();
  return files;
}

OutputFiles::OutputFiles(const OutputFileOptions& options, DataFile predictions,
                         DataFile routing, DataFile journal)
    : options_(options),
      prediction_rows_(options),
      routing_rows_(options),
      predictions_(std::move(predictions)),
      routing_(std::move(routing)),
      journal_(std::move(journal)) {}

absl::Status OutputFiles::Begin(const std::map<std::string, std::string>& run) {
  // The journal first: it must never speak of rows that are not there. Its
  // first line is the last thing to be written.
  LADDER_RETURN_IF_ERROR(journal_.Truncate(0));
  LADDER_RETURN_IF_ERROR(journal_.Sync());
  LADDER_RETURN_IF_ERROR(predictions_.Truncate(0));
  LADDER_RETURN_IF_ERROR(predictions_.Append(prediction_rows_.Header()));
  LADDER_RETURN_IF_ERROR(predictions_.Sync());
  LADDER_RETURN_IF_ERROR(routing_.Truncate(0));
  LADDER_RETURN_IF_ERROR(routing_.Append(routing_rows_.Header()));
  LADDER_RETURN_IF_ERROR(routing_.Sync());
  for (const fs::path& path : {options_.predictions, options_.RoutingPath()}) {
    LADDER_RETURN_IF_ERROR(base::FlushDirectory(path.parent_path()));
  }
  ends_ = {predictions_.size(), routing_.size()};
  absl::Status status = journal_.Append(RunLine(run, ends_));
  if (status.ok()) status = journal_.Sync();
  journal_end_ = journal_.size();
  return status;
}

absl::Status OutputFiles::GoOn(Journal journal,
                               const std::map<std::string, std::string>& run) {
  num_undone_ = journal.groups.size();
  if (!Reach(journal.ends)) return Begin(run);
  ends_ = journal.ends;
  journal_end_ = journal.journal_end;
  for (FinishedGroup& group : journal.groups) {
    if (!Reach(group.ends)) break;
    ends_ = group.ends;
    journal_end_ = group.journal_end;
    finished_.emplace(std::move(group.name), group.num_samples);
    --num_undone_;
  }
  return Undo();
}

bool OutputFiles::Reach(const OutputEnds& ends) const {
  return ends.predictions <= predictions_.size() &&
         ends.routing <= routing_.size();
}

std::unique_ptr<GroupSpool> OutputFiles::NewSpool(
    absl::string_view group) const {
  return std::make_unique<GroupSpool>(ReadableText(group), prediction_rows_,
                                      options_.predictions);
}

absl::Status OutputFiles::Commit(const GroupSpool& spool,
                                 const v1::Routing& routing,
                                 absl::Duration elapsed) {
  LADDER_ASSIGN_OR_RETURN(const std::string routing_row,
                          spool.RoutingRow(routing_rows_, routing, elapsed));

  const base::MutexLock lock(mutex_);
  if (finished_.contains(spool.group())) {
    return absl::AlreadyExistsError(absl::StrCat(
        "group \"", spool.group(), "\": expected it once, found it twice"));
  }
  LADDER_RETURN_IF_ERROR(Undo());  // What a failed Commit could not.
  FinishedGroup group{.name = spool.group(),
                      .num_samples = spool.num_samples()};
  absl::Status status = Write(spool, routing_row, group);
  if (!status.ok()) {
    Undo().IgnoreError();  // The next Commit or the next run will.
    return status;
  }
  ends_ = group.ends;
  journal_end_ = group.journal_end;
  finished_.emplace(group.name, group.num_samples);
  return absl::OkStatus();
}

absl::Status OutputFiles::Write(const GroupSpool& spool,
                                absl::string_view routing_row,
                                FinishedGroup& group) {
  LADDER_RETURN_IF_ERROR(
      spool.CopyTo([this](absl::string_view rows) ABSL_EXCLUSIVE_LOCKS_REQUIRED(
                       mutex_) { return predictions_.Append(rows); }));
  LADDER_RETURN_IF_ERROR(routing_.Append(routing_row));
  // The disk must have the rows before it has the line that makes them count.
  LADDER_RETURN_IF_ERROR(predictions_.Sync());
  LADDER_RETURN_IF_ERROR(routing_.Sync());
  group.ends = {predictions_.size(), routing_.size()};
  LADDER_RETURN_IF_ERROR(journal_.Append(GroupLine(group)));
  LADDER_RETURN_IF_ERROR(journal_.Sync());
  group.journal_end = journal_.size();
  return absl::OkStatus();
}

absl::Status OutputFiles::Undo() {
  // The journal first, as in Begin.
  if (journal_.size() != journal_end_) {
    LADDER_RETURN_IF_ERROR(journal_.Truncate(journal_end_));
    LADDER_RETURN_IF_ERROR(journal_.Sync());
  }
  LADDER_RETURN_IF_ERROR(predictions_.Truncate(ends_.predictions));
  return routing_.Truncate(ends_.routing);
}

std::optional<uint64_t> OutputFiles::FinishedSamples(
    absl::string_view group) const {
  const base::MutexLock lock(mutex_);
  const auto it = finished_.find(ReadableText(group));
  if (it == finished_.end()) return std::nullopt;
  return it->second;
}

size_t OutputFiles::num_finished() const {
  const base::MutexLock lock(mutex_);
  return finished_.size();
}

}  // namespace ladder::client
