#ifndef LADDER_CLIENT_COMMAND_LOAD_RUN_LOAD_H_
#define LADDER_CLIENT_COMMAND_LOAD_RUN_LOAD_H_

#include <grpcpp/channel.h>

#include <memory>
#include <stop_token>

#include "absl/status/statusor.h"
#include "client/command/load/load_options.h"
#include "client/command/load/load_report.h"
#include "client/command/load/load_target.h"

namespace ladder::command {

// Puts a server under load and measures it. A request to `stop` ends the run
// early, with a report of what was measured until then. Requests that fail are
// part of the report; an error means that there was no load at all:
// InvalidArgument for options, else what the server said of the model.
absl::StatusOr<LoadReport> RunLoad(std::shared_ptr<grpc::Channel> channel,
                                   const LoadOptions& options,
                                   std::stop_token stop);

// The same for any target. `options` are valid.
LoadReport GenerateLoad(LoadTarget& target, const LoadOptions& options,
                        std::stop_token stop);

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_LOAD_RUN_LOAD_H_
