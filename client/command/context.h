#ifndef LADDER_CLIENT_COMMAND_CONTEXT_H_
#define LADDER_CLIENT_COMMAND_CONTEXT_H_

#include <ostream>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "base/terminal/terminal.h"

namespace ladder::command {

// What a subcommand works with: results go to `out`, all else to `err`.
struct Context {
  std::ostream& out;
  std::ostream& err;
  base::Terminal out_terminal = {};
  base::Terminal err_terminal = {};
  std::stop_token stop = {};
};

// Says in a line or two what went wrong and what to do, and returns the exit
// code for it.
int Fail(const absl::Status& status, const Context& context);

// What to do about an error, as a sentence; empty if it says so itself.
std::string Advice(const absl::Status& status);

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_CONTEXT_H_
