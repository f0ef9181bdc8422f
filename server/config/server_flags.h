#ifndef LADDER_SERVER_CONFIG_SERVER_FLAGS_H_
#define LADDER_SERVER_CONFIG_SERVER_FLAGS_H_

#include <string>
#include <vector>

#include "server/config/flag.h"
#include "server/config/server_config.h"

namespace ladder::server {

// The table that the command line, the environment, the help, the checks of
// ranges and docs/serving.md all come from; sections in the order of help.
std::vector<Flag> ServerFlags();

// The effective value of every flag, each as "--name=value": lines for a log
// that are a flag file at the same time. No secrets, only their paths.
std::vector<std::string> FormatConfig(const ServerConfig& config);

}  // namespace ladder::server

#endif  // LADDER_SERVER_CONFIG_SERVER_FLAGS_H_
