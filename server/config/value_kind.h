#ifndef LADDER_SERVER_CONFIG_VALUE_KIND_H_
#define LADDER_SERVER_CONFIG_VALUE_KIND_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace ladder::server {

// How values of one kind are written.
template <typename T>
struct ValueKind {
  std::string placeholder;  // For help: "PORT".
  std::string expected;     // For errors: "a port from 0 to 65535".
  // None if the text is not what is expected.
  std::function<std::optional<T>(absl::string_view text)> parse;
  // What `parse` takes back to the same value; for a value out of range, a text
  // that `parse` refuses.
  std::function<std::string(const T& value)> format;
  // Joins a further occurrence of a flag to those before; none if it replaces
  // them.
  std::function<void(T& value, T more)> append = {};
};

// Any text, the empty one included, which stands for "not set".
ValueKind<std::string> TextKind(std::string placeholder, std::string expected);

// A host name or an IP address, not empty.
ValueKind<std::string> AddressKind();

// http:// or https:// with host and port, or the empty text, which stands for
// "not set".
ValueKind<std::string> CollectorUrlKind();

// auto, cpu, cuda or cuda:N.
ValueKind<std::string> DeviceKind();

// true, false, 1 or 0.
ValueKind<bool> BooleanKind();

ValueKind<int> PortKind();

// A whole number, both ends included.
ValueKind<uint64_t> CountKind(uint64_t min, uint64_t max);

// As CountKind, also with a suffix: KiB, MiB, GiB, KB, MB or GB.
ValueKind<uint64_t> BytesKind(uint64_t min, uint64_t max);

// A number of seconds that may have a fraction; not shorter than a millisecond,
// unless zero is allowed.
ValueKind<absl::Duration> SecondsKind(absl::Duration max,
                                      bool zero_is_allowed = false);

// A whole number of microseconds, zero included.
ValueKind<absl::Duration> MicrosecondsKind(absl::Duration max);

// Ascending positive numbers with commas in between.
ValueKind<std::vector<size_t>> BatchSizesKind();

// KEY=VALUE with commas in between; can be repeated.
ValueKind<std::map<std::string, std::string>> OptionsKind();

// One of some words.
template <typename Enum>
ValueKind<Enum> ChoiceKind(std::string placeholder,
                           std::vector<std::pair<std::string, Enum>> choices) {
  static_assert(std::is_enum_v<Enum>);
  const std::string expected = absl::StrJoin(
      choices, ", ",
      [](std::string* out, const auto& choice) { out->append(choice.first); });
  return {.placeholder = std::move(placeholder),
          .expected = "one of " + expected,
          .parse = [choices](absl::string_view text) -> std::optional<Enum> {
            for (const auto& [word, value] : choices) {
              if (text == word) return value;
            }
            return {};
          },
          .format =
              [choices](const Enum& value) {
                for (const auto& [word, choice] : choices) {
                  if (choice == value) return word;
                }
                return std::string("unknown");
              }};
}

}  // namespace ladder::server

#endif  // LADDER_SERVER_CONFIG_VALUE_KIND_H_
