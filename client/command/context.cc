#include "client/command/context.h"

#include "absl/strings/match.h"
#include "base/terminal/exit_code.h"
#include "base/text/text.h"

namespace ladder::command {
namespace {

int ExitCode(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kCancelled:
      return base::kExitInterrupted;
    case absl::StatusCode::kUnavailable:
      return base::kExitUnavailable;
    default:
      return base::kExitFailed;
  }
}

}  // namespace

std::string Advice(const absl::Status& status) {
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
      // Of files, the message says enough.
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

}  // namespace ladder::command
