#ifndef LADDER_CLIENT_COMMAND_ARGUMENTS_H_
#define LADDER_CLIENT_COMMAND_ARGUMENTS_H_

#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/command/input/input.h"
#include "ladder/client/client.h"
#include "ladder/v1/domain_routing.pb.h"

namespace CLI {
class App;
}  // namespace CLI

namespace ladder::client {

// "birds", "birds:3" for a version, "birds@canary" for a label.
absl::StatusOr<v1::ModelRef> ParseModel(absl::string_view text);

// What options say, in the words of MethodNames and FallbackNames; all others,
// such as an empty text, leave it to the bundle.
v1::Method ParseMethod(absl::string_view name);
v1::Fallback ParseFallback(absl::string_view name);
std::vector<std::string> MethodNames();
std::vector<std::string> FallbackNames();

// What --k, a number of sources or "all", and --tau say; nothing if they are
// empty. InvalidArgument, naming the option, for what cannot be parsed.
absl::Status ParseK(absl::string_view text, v1::RoutingOptions& routing);
absl::Status ParseTau(absl::string_view text, v1::RoutingOptions& routing);

// What a check of CLI11's says of a value: nothing if `status` is ok, else its
// message without the name in front ("k: expected ..."), which CLI11 adds.
std::string UsageError(const absl::Status& status);

// Checks of CLI11's that an option's value can be parsed.
template <typename Value>
auto CheckedBy(absl::StatusOr<Value> (*parse)(absl::string_view)) {
  return [parse](const std::string& text) {
    return UsageError(parse(text).status());
  };
}
inline auto CheckedBy(absl::Status (*parse)(absl::string_view,
                                            v1::RoutingOptions&)) {
  return [parse](const std::string& text) {
    v1::RoutingOptions routing;
    return UsageError(parse(text, routing));
  };
}

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
  ClientOptions options_;  // But for `tls`; its token is the environment's.
  TlsOptions tls_;
  bool use_tls_ = false;
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
  InputOptions options_;  // But for `where`.
  std::vector<std::string> where_;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_ARGUMENTS_H_
