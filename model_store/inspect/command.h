#ifndef LADDER_MODEL_STORE_INSPECT_COMMAND_H_
#define LADDER_MODEL_STORE_INSPECT_COMMAND_H_

#include <ostream>
#include <span>
#include <string>

namespace ladder::model_store {

// The command `ladder-store`: `arguments` without its own name. Writes results
// to `out` and complaints to `err`; returns the exit code. Its --help says the
// rest.
int RunLadderStore(std::span<const std::string> arguments, std::ostream& out,
                   std::ostream& err);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_INSPECT_COMMAND_H_
