#ifndef LADDER_SERVER_CONFIG_SERVER_FLAGS_H_
#define LADDER_SERVER_CONFIG_SERVER_FLAGS_H_

#include <string>
#include <vector>

#include "server/config/flag_value.h"
#include "server/config/server_config.h"

namespace ladder::server {

// One thing that can be set: its names, its field and its meaning.
struct Flag {
  std::string section = {};  // The title it stands under in help.
  std::string name = {};     // With its dashes: "--grpc-port".
  std::string alias = {};    // Empty if there is none.
  FlagValue value = {};
  std::string meaning = {};  // One or more sentences.

  // LADDER_GRPC_PORT of --grpc-port.
  std::string EnvironmentName() const;
};

// The table that the command line, the environment, the help, the checks of
// ranges and docs/serving.md all come from; sections in the order of help. The
// flags are those of the fields of `config`, which must outlive them.
std::vector<Flag> ServerFlags(ServerConfig& config);

}  // namespace ladder::server

#endif  // LADDER_SERVER_CONFIG_SERVER_FLAGS_H_
