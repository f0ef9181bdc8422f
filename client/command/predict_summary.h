#ifndef LADDER_CLIENT_COMMAND_PREDICT_SUMMARY_H_
#define LADDER_CLIENT_COMMAND_PREDICT_SUMMARY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/terminal/terminal.h"
#include "client/command/predict_run.h"

namespace ladder::command {

// A table of at most `max_rows` groups: samples, top weights as bars, coverage,
// effective experts, time. Failed ones and those out of coverage are shown
// before others, if not all have room.
std::string RenderSummary(const std::vector<GroupOutcome>& outcomes,
                          size_t max_rows, const base::Terminal& terminal);

// "480 groups with 96,000 samples: 450 IN, 20 EDGE, 10 OUT; 2 failed".
std::string SummaryLine(const std::vector<GroupOutcome>& outcomes);

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_PREDICT_SUMMARY_H_
