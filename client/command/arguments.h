#ifndef LADDER_CLIENT_COMMAND_ARGUMENTS_H_
#define LADDER_CLIENT_COMMAND_ARGUMENTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/command/input/input.h"
#include "ladder/client/client.h"

namespace CLI {
class App;
}  // namespace CLI

namespace ladder::client {

// Which server, and how to talk to it: the options of all that call one.
class ConnectionArguments {
 public:
  // `attempts` unless the user says another number: few for those who look at
  // a terminal.
  explicit ConnectionArguments(int attempts = 3) {
    options_.retry.max_attempts = attempts;
  }

  void AddTo(CLI::App& app);

  absl::StatusOr<Client> Connect() const;

  // What the options say of one call.
  CallOptions Call(std::stop_token stop) const;

 private:
  ClientOptions options_;
  TlsOptions tls_;
  bool use_tls_ = false;
  std::string token_;  // From the environment.
  std::string token_file_;
  double timeout_seconds_ = 0;
};

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

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_ARGUMENTS_H_
