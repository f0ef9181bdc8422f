#ifndef LADDER_CLIENT_COMMAND_COMPLETION_H_
#define LADDER_CLIENT_COMMAND_COMPLETION_H_

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace ladder::client {

// Scripts that complete `app`, by what it is itself: its subcommands, their
// options, and the values of options that are checked by CLI::IsMember. Where
// nothing is known, files are completed.
std::string BashCompletion(const CLI::App& app);
std::string ZshCompletion(const CLI::App& app);
std::string FishCompletion(const CLI::App& app);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_COMPLETION_H_
