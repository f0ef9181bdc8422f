#ifndef LADDER_SERVER_CONFIG_FLAG_VALUE_H_
#define LADDER_SERVER_CONFIG_FLAG_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "model_store/store/store_options.h"
#include "model_store/store/version_policy.h"
#include "server/config/log_settings.h"

namespace ladder::server {

// A field of a configuration, and how its values are written. The field, which
// must outlive it, has one of a few types; each is read and written in one way,
// within the bounds that are given here.
struct FlagValue {
  using Options = std::map<std::string, std::string>;
  using Policies = std::map<std::string, model_store::VersionPolicy>;
  using Labels = std::map<std::string, std::map<std::string, uint64_t>>;
  using Field = std::variant<
      bool*,                        // true, false, 1 or 0.
      int*,                         // A whole number.
      uint64_t*,                    // A whole number, perhaps of bytes.
      absl::Duration*,              // Seconds, perhaps with a fraction.
      std::string*,                 // Any text.
      std::vector<size_t>*,         // Ascending numbers with commas in between.
      std::vector<std::string>*,    // Names with commas in between.
      Options*,                     // KEY=VALUE with commas in between.
      model_store::StoreMode*,      // One of `words`.
      LogFormat*,                   // The same.
      LogLevel*,                    // The same.
      model_store::VersionPolicy*,  // latest:N, all or specific:N,N,...
      Policies*,                    // MODEL=POLICY with semicolons in between.
      Labels*>;                     // MODEL:LABEL=VERSION with commas.

  // False, and nothing is changed, if the text is not what is expected. With
  // `joins`, a repeatable value is added to what is there.
  bool Set(absl::string_view text, bool joins = false) const;
  // The text that Set takes back to the present value; if that is out of range,
  // a text that Set refuses.
  std::string Get() const;

  bool is_boolean() const { return std::holds_alternative<bool*>(field); }
  bool is_repeatable() const;

  Field field = {};
  std::string placeholder = {};  // For help: "PORT".
  std::string expected = {};     // For errors: "a port from 0 to 65535".
  // Both ends of a number, included; of a time, in microseconds.
  uint64_t min = 0;
  uint64_t max = std::numeric_limits<uint64_t>::max();
  // A number may have a suffix: KiB, MiB, GiB, KB, MB or GB.
  bool has_suffix = false;
  // A time is written in whole microseconds, not in seconds.
  bool is_microseconds = false;
  // Whether a text, or a name in a list, may be as it is. If null, any may.
  bool (*accepts)(absl::string_view text) = nullptr;
  // The names of an enumeration's values, which count from zero.
  std::vector<absl::string_view> words = {};
};

// A whole number in decimal digits alone, both ends included.
std::optional<uint64_t> ParseWhole(
    absl::string_view text, uint64_t min = 0,
    uint64_t max = std::numeric_limits<uint64_t>::max());

// Says what is wrong with a value, in one line whatever the value holds.
// `origin` is a flag or a variable.
absl::Status WrongValueError(absl::string_view origin,
                             absl::string_view expected, absl::string_view got);

}  // namespace ladder::server

#endif  // LADDER_SERVER_CONFIG_FLAG_VALUE_H_
