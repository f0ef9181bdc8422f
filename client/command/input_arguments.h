#ifndef LADDER_CLIENT_COMMAND_INPUT_ARGUMENTS_H_
#define LADDER_CLIENT_COMMAND_INPUT_ARGUMENTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/command/input/input.h"
#include "client/command/input/input_options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace ladder::command {

// Which samples, and what their groups are: the options of all that send some.
class InputArguments {
 public:
  // Adds the argument INPUT, which must be given, and options. `app` must not
  // outlive this object.
  void AddTo(CLI::App& app);

  // InvalidArgument, as OpenInput has it.
  absl::StatusOr<Input> Open() const;

  // What was given, in one line: equal lines mean equal groups, as long as the
  // files do not change.
  std::string Description() const;

 private:
  InputOptions options_;
  std::string path_;
  std::string groups_file_;
  std::string image_root_;
  std::vector<std::string> where_;
};

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_INPUT_ARGUMENTS_H_
