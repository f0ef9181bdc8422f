#ifndef LADDER_SERVER_CONFIG_FLAG_ERROR_H_
#define LADDER_SERVER_CONFIG_FLAG_ERROR_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ladder::server {

// What is wrong with a value, in one line whatever the value holds: `origin`
// is a flag or a variable.
absl::Status WrongValueError(absl::string_view origin,
                             absl::string_view expected, absl::string_view got);

// `name` is not one of `flags`, but perhaps like one.
absl::Status UnknownFlagError(absl::string_view name,
                              const std::vector<std::string>& flags);

// The most similar of `names`; empty if none is similar enough to be meant.
std::string NearestName(absl::string_view name,
                        const std::vector<std::string>& names);

// `text` in quotes, in one line and not too long.
std::string Quoted(absl::string_view text);

}  // namespace ladder::server

#endif  // LADDER_SERVER_CONFIG_FLAG_ERROR_H_
