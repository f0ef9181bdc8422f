#include "client/command/commands.h"

#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/system/version.h"
#include "base/terminal/exit_code.h"
#include "base/text/text.h"
#include "client/command/output/data_file.h"

namespace ladder::client {
namespace {

constexpr char kLadderFooter[] =
    "\"ladder COMMAND --help\" says more. Exit codes: 0 done; 1 failed, or "
    "some groups did;\n2 wrong usage; 3 no server answers, try again; 130 "
    "interrupted.";

// Whether it is about trust, which no waiting would change: gRPC has one code
// for this and for servers that are away.
bool IsTlsFailure(const absl::Status& status) {
  if (!absl::IsUnavailable(status)) return false;
  const std::string message = absl::AsciiStrToLower(status.message());
  // Who wants TLS, or a certificate, may hang up before a word is said.
  const bool hangs_up = absl::StrContains(message, "all backends failing") &&
                        absl::StrContains(message, "socket closed");
  return hangs_up || absl::StrContains(message, "handshake") ||
         absl::StrContains(message, "ssl_error") ||
         absl::StrContains(message, "certificate");
}

int ExitCode(const absl::Status& status) {
  if (IsWriteError(status) || IsTlsFailure(status)) return base::kExitFailed;
  switch (status.code()) {
    case absl::StatusCode::kCancelled:
      return base::kExitInterrupted;
    case absl::StatusCode::kUnavailable:
      return base::kExitUnavailable;
    default:
      return base::kExitFailed;
  }
}

// What to do about an error, as a sentence; empty if it says so itself.
std::string Advice(const absl::Status& status) {
  // It says itself what to do.
  if (IsWriteError(status)) return "";
  if (IsTlsFailure(status)) {
    return "Somebody is there, and TLS fails or is missing: see --tls, "
           "--tls-ca, --tls-server-name, and --tls-certificate with --tls-key.";
  }
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      return "Is the server running, and --server its gRPC address?";
    case absl::StatusCode::kUnauthenticated:
      return "Give a token that the server knows: --token-file FILE, or "
             "LADDER_TOKEN.";
    case absl::StatusCode::kDeadlineExceeded:
      return "Give the server more time with --timeout.";
    case absl::StatusCode::kResourceExhausted:
      return "The server is full. Lower --concurrency, come again later, or "
             "raise the limit that is named.";
    case absl::StatusCode::kNotFound:
      // If a file is missing, the message says enough.
      return absl::StrContains(status.message(), "model")
                 ? "\"ladder models\" lists what is served."
                 : "";
    case absl::StatusCode::kUnimplemented:
      return "Does a LADDER server listen there? \"ladder bench --protocol "
             "oip\" and \"ladder health\" also work with others.";
    default:
      return "";
  }
}

}  // namespace

int RunLadder(const std::vector<std::string>& arguments,
              const Context& context) {
  Run run;
  CLI::App app("Predictions for unlabelled target groups by a LADDER server.",
               "ladder");
  app.require_subcommand(1);
  app.set_version_flag("--version", absl::StrCat("ladder ", base::kVersion));
  app.footer(kLadderFooter);
  AddPredict(app, run);
  AddRoute(app, run);
  AddModels(app, run);
  AddModel(app, run);
  AddHealth(app, run);
  AddWatch(app, run);
  AddBench(app, run);
  AddCompletion(app, run);
  try {
    // It pops them from the end.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& asked) {  // For help or the version.
    return app.exit(asked, context.out, context.err);
  } catch (const CLI::ParseError& error) {
    context.err << "ladder: " << error.what()
                << " (--help lists commands and options)\n";
    return base::kExitUsage;
  }
  const absl::StatusOr<int> exit_code = run(context);
  return exit_code.ok() ? *exit_code : Fail(exit_code.status(), context);
}

CLI::App& AddCommand(CLI::App& app, Run& run, const std::string& name,
                     const std::string& description, const std::string& footer,
                     Run command) {
  CLI::App& added = *app.add_subcommand(name, description);
  added.footer(footer);
  added.callback([command = std::move(command), &run] { run = command; });
  return added;
}

void Tell(const std::vector<std::string>& lines, const Context& context) {
  for (const std::string& line : lines) {
    context.err << base::PrintableText(line, context.err_terminal.utf8) << '\n';
  }
}

int Fail(const absl::Status& status, const Context& context) {
  context.err << "ladder: "
              << base::PrintableText(status.message(),
                                     context.err_terminal.utf8)
              << '\n';
  if (const std::string advice = Advice(status); !advice.empty()) {
    context.err << advice << '\n';
  }
  return ExitCode(status);
}

}  // namespace ladder::client
