#ifndef LADDER_CLIENT_COMMAND_OUTPUT_OUTPUT_FILES_H_
#define LADDER_CLIENT_COMMAND_OUTPUT_OUTPUT_FILES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"
#include "client/command/output/data_file.h"
#include "client/command/output/group_spool.h"
#include "client/command/output/journal.h"
#include "client/command/output/output.h"
#include "client/command/output/output_options.h"
#include "client/command/output/prediction_rows.h"
#include "client/command/output/routing_rows.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

// A run's predictions, its routing, and a journal of the groups that are
// finished. A group is added as a whole or not at all, however the process
// ends: its rows count once its line in the journal is on the disk, and what
// does not count is cut off when the run is resumed.
class OutputFiles final : public Output {
 public:
  // AlreadyExists if kNew and a file is there. FailedPrecondition if kResume
  // and the files are of another run (naming what differs) or lack the journal,
  // or if another process is writing to them. InvalidArgument if an option or
  // the journal is not valid. ResourceExhausted if the disk is full.
  static absl::StatusOr<std::unique_ptr<OutputFiles>> Open(
      const OutputFileOptions& options, OpenMode mode);

  std::unique_ptr<GroupSpool> NewSpool(absl::string_view group) const override;

  // Returns when the disk has the group. AlreadyExists if it was added before;
  // after any other error it may be tried again.
  absl::Status Commit(const GroupSpool& spool, const v1::Routing& routing,
                      absl::Duration elapsed) override;

  std::optional<uint64_t> FinishedSamples(
      absl::string_view group) const override;
  size_t num_finished() const override;
  // Groups that were finished but are not any more, because the files were
  // shorter than the journal says when the run was resumed.
  size_t num_undone() const { return num_undone_; }

 private:
  OutputFiles(const OutputFileOptions& options, DataFile predictions,
              DataFile routing, DataFile journal);

  // Empties the files and writes what stands at their beginnings.
  absl::Status Begin(const std::map<std::string, std::string>& run)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes over what is finished and cuts the files to it.
  absl::Status GoOn(Journal journal,
                    const std::map<std::string, std::string>& run)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether the files are long enough.
  bool Reach(const OutputEnds& ends) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Write(const GroupSpool& spool, absl::string_view routing_row,
                     FinishedGroup& group)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Cuts off what was written since the last group that counts.
  absl::Status Undo() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const OutputFileOptions options_;
  const PredictionRows prediction_rows_;
  const RoutingRows routing_rows_;
  size_t num_undone_ = 0;

  mutable base::Mutex mutex_;
  DataFile predictions_ ABSL_GUARDED_BY(mutex_);
  DataFile routing_ ABSL_GUARDED_BY(mutex_);
  DataFile journal_ ABSL_GUARDED_BY(mutex_);
  OutputEnds ends_ ABSL_GUARDED_BY(mutex_);  // What counts of the files,
  int64_t journal_end_ ABSL_GUARDED_BY(mutex_) = 0;  // and of the journal.
  std::map<std::string, uint64_t, std::less<>> finished_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_OUTPUT_OUTPUT_FILES_H_
