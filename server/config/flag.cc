#include "server/config/flag.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace ladder::server {

std::string Flag::EnvironmentName() const {
  const std::string words =
      absl::StrReplaceAll(absl::StripPrefix(name, "--"), {{"-", "_"}});
  return absl::StrCat("LADDER_", absl::AsciiStrToUpper(words));
}

}  // namespace ladder::server
