#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "server/config/command_line.h"
#include "server/config/server_flags.h"

namespace ladder::server {
namespace {

constexpr size_t kHelpColumns = 80;

constexpr char kHelpHead[] =
    R"(Usage: ladder-server --model-repository=DIRECTORY [FLAG...]

Routes unlabelled groups of samples to the source domains that they resemble,
and predicts with the experts of those. Serves gRPC: ladder.v1.DomainRouting and
the Open Inference Protocol.

A first run, with what `ladder-train` has written to ./store:
  ladder-server --model-repository=store
  curl localhost:8000/v2/health/ready

Values are given as --flag=value or --flag value. Without a value, those of type
BOOL become true; false is --flag=false. BYTES may have a suffix: KiB, MiB, GiB
or KB, MB, GB. SECONDS may have a fraction. Flags marked "repeatable" collect
their values.

Every flag has an environment variable, LADDER_GRPC_PORT for --grpc-port and so
on. Flags win over variables, later flags over earlier ones.
)";

constexpr char kHelpTail[] = R"(
Other flags
  --flagfile=FILE
      Reads flags from a file, one on each line as --flag=value; lines that
      begin with # are comments. They count as if they stood in its place.
  --help, -h
      Prints this text.
  --version
      Prints the version.

SIGTERM and SIGINT end the server after the calls in flight. Exit codes: 0 ended
as asked, 1 could not serve, 2 wrong flags.
)";

// `text` in lines that begin with `indent` spaces.
std::string Wrapped(absl::string_view text, size_t indent) {
  const std::string margin(indent, ' ');
  std::string wrapped;
  std::string line = margin;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    const bool is_first = line.size() == indent;
    if (!is_first && line.size() + 1 + word.size() > kHelpColumns) {
      absl::StrAppend(&wrapped, line, "\n");
      line = margin;
    }
    absl::StrAppend(&line, line.size() == indent ? "" : " ", word);
  }
  return absl::StrCat(wrapped, line, "\n");
}

std::string HelpEntry(const Flag& flag) {
  const auto with_value = [&](absl::string_view name) {
    return absl::StrCat(name, "=", flag.value.placeholder);
  };
  const std::string value = flag.value.Get();
  return absl::StrCat(
      "  ", with_value(flag.name),
      flag.alias.empty() ? "" : absl::StrCat(", ", with_value(flag.alias)),
      flag.value.is_repeatable() ? " (repeatable)" : "", "\n",
      Wrapped(absl::StrCat(flag.meaning,
                           " Default: ", value.empty() ? "none" : value, "."),
              /*indent=*/6));
}

}  // namespace

std::string HelpText() {
  std::string text = kHelpHead;
  ServerConfig defaults;
  std::string section;
  for (const Flag& flag : ServerFlags(defaults)) {
    if (flag.section != section) {
      section = flag.section;
      absl::StrAppend(&text, "\n", section, "\n");
    }
    absl::StrAppend(&text, HelpEntry(flag));
  }
  return absl::StrCat(text, kHelpTail);
}

}  // namespace ladder::server
