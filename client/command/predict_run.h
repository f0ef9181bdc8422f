#ifndef LADDER_CLIENT_COMMAND_PREDICT_RUN_H_
#define LADDER_CLIENT_COMMAND_PREDICT_RUN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/terminal/bars.h"
#include "base/terminal/terminal.h"
#include "client/command/input/input.h"
#include "client/command/output/output.h"
#include "client/command/progress_line.h"
#include "ladder/client/client.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

struct PredictOptions {
  v1::GroupOptions group;  // The same for all.
  size_t concurrency = 4;  // Groups at once.
  // Groups of more samples are routed first and then predicted on several
  // streams, so that no server has to hold them.
  size_t large_group_samples = 100'000;
  size_t read_ahead_bytes = size_t{8} << 20;  // For each group at once.
};

// What became of a group.
struct GroupOutcome {
  std::string group;
  absl::Status status;
  uint64_t num_samples = 0;
  uint64_t num_rejected = 0;  // Among them.
  absl::Duration elapsed;
  std::vector<base::NamedShare> top_weights;  // The largest few.
  std::string verdict;
  double effective_experts = 0;
  std::string fallback;  // Empty if none was applied.
};

// Predicts for all groups of `input` that `output` has not finished yet, with
// the outcomes in the input's order. A group that fails does not stop the
// others, except for errors that would meet them as well: the server cannot be
// reached, refuses the token, does not know the model; the output cannot be
// written; or `call.stop` was requested. Groups that were then not tried have
// no outcome.
std::vector<GroupOutcome> PredictGroups(const Client& client,
                                        const Input& input, Output& output,
                                        const PredictOptions& options,
                                        const CallOptions& call,
                                        ProgressLine& progress);

// A table of at most `max_rows` groups: samples, how many of them were rejected
// if any were, top weights as bars, coverage, effective experts, time. Failed
// ones and those out of coverage are shown before others, if not all have room.
std::string RenderSummary(const std::vector<GroupOutcome>& outcomes,
                          size_t max_rows, const base::Terminal& terminal);

// "480 groups with 96,000 samples, 7 of them rejected: 450 IN, 20 EDGE, 10
// failed".
std::string SummaryLine(const std::vector<GroupOutcome>& outcomes);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_PREDICT_RUN_H_
