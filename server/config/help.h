#ifndef LADDER_SERVER_CONFIG_HELP_H_
#define LADDER_SERVER_CONFIG_HELP_H_

#include <string>

#include "server/config/flag.h"

namespace ladder::server {

// The answer to --help: every flag by section, with its default, at most 80
// columns wide.
std::string HelpText();

// The answer to --version: "ladder-server 1.2.3".
std::string VersionText();

// "true" or "16384"; "none" for what is not set.
std::string DefaultText(const Flag& flag);

}  // namespace ladder::server

#endif  // LADDER_SERVER_CONFIG_HELP_H_
