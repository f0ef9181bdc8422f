#ifndef LADDER_CLIENT_COMMAND_OUTPUT_STREAM_OUTPUT_H_
#define LADDER_CLIENT_COMMAND_OUTPUT_STREAM_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"
#include "client/command/output/data_file.h"
#include "client/command/output/output.h"
#include "client/command/output/output_options.h"
#include "client/command/output/prediction_rows.h"
#include "client/command/output/routing_rows.h"

namespace ladder::client {

// Predictions to a stream, such as standard output, and the routing to a file
// if one is named. There is no journal, so that such a run cannot be resumed.
class StreamOutput final : public Output {
 public:
  // Writes the header to `out`, which must outlive this object. AlreadyExists
  // if kNew and the routing's file is there; InvalidArgument if kResume, or if
  // an option is not valid.
  static absl::StatusOr<std::unique_ptr<StreamOutput>> Open(
      const OutputFileOptions& options, OpenMode mode, std::ostream& out);

  std::unique_ptr<GroupSpool> NewSpool(absl::string_view group) const override;
  absl::Status Commit(const GroupSpool& spool, const v1::Routing& routing,
                      absl::Duration elapsed) override;
  std::optional<uint64_t> FinishedSamples(absl::string_view) const override {
    return std::nullopt;
  }
  size_t num_finished() const override { return 0; }

 private:
  StreamOutput(const OutputFileOptions& options,
               std::optional<DataFile> routing, std::ostream& out);

  absl::Status Write(absl::string_view text)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Flush() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const PredictionRows prediction_rows_;
  const RoutingRows routing_rows_;
  base::Mutex mutex_;
  std::optional<DataFile> routing_ ABSL_GUARDED_BY(mutex_);
  std::ostream& out_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_OUTPUT_STREAM_OUTPUT_H_
