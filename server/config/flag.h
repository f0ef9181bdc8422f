#ifndef LADDER_SERVER_CONFIG_FLAG_H_
#define LADDER_SERVER_CONFIG_FLAG_H_

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/config/server_config.h"
#include "server/config/value_kind.h"

namespace ladder::server {

// One thing that can be set: its names, its meaning and its field.
struct Flag {
  std::string section = {};      // The title it stands under in help.
  std::string name = {};         // With its dashes: "--grpc-port".
  std::string alias = {};        // Empty if there is none.
  std::string placeholder = {};  // Of the value, for help.
  std::string expected = {};     // What a value must be, for errors.
  std::string meaning = {};      // One or more sentences.
  bool is_boolean = false;       // Without a value it means true.
  bool is_repeatable = false;

  // False, and nothing is changed, if the text is not what is expected.
  std::function<bool(absl::string_view text, ServerConfig& config)> set = {};
  // The same, joined to what is there; for repeatable flags only.
  std::function<bool(absl::string_view text, ServerConfig& config)> add = {};
  // What `set` takes for the present value; refused by `set` if that is out of
  // range.
  std::function<std::string(const ServerConfig& config)> get = {};

  // LADDER_GRPC_PORT of --grpc-port.
  std::string EnvironmentName() const;
};

// Adds flags for the fields of one part of the configuration.
template <typename Part>
class FlagSection {
 public:
  // `flags` must outlive the section.
  FlagSection(std::vector<Flag>& flags, std::string title,
              Part ServerConfig::*part)
      : flags_(flags), title_(std::move(title)), part_(part) {}

  template <typename T>
  FlagSection& Add(absl::string_view name, T Part::*field, ValueKind<T> kind,
                   std::string meaning) {
    Flag flag = {.section = title_,
                 .name = std::string(name),
                 .placeholder = kind.placeholder,
                 .expected = kind.expected,
                 .meaning = std::move(meaning),
                 .is_boolean = std::is_same_v<T, bool>,
                 .is_repeatable = kind.append != nullptr};
    const auto part = part_;
    flag.set = [=](absl::string_view text, ServerConfig& config) {
      auto value = kind.parse(text);
      if (value) config.*part.*field = *std::move(value);
      return value.has_value();
    };
    if (flag.is_repeatable) {
      flag.add = [=](absl::string_view text, ServerConfig& config) {
        auto value = kind.parse(text);
        if (value) kind.append(config.*part.*field, *std::move(value));
        return value.has_value();
      };
    }
    flag.get = [=](const ServerConfig& config) {
      return kind.format(config.*part.*field);
    };
    flags_.push_back(std::move(flag));
    return *this;
  }

  // Another name of the flag that was added last.
  FlagSection& Alias(std::string alias) {
    flags_.back().alias = std::move(alias);
    return *this;
  }

 private:
  std::vector<Flag>& flags_;
  const std::string title_;
  Part ServerConfig::*const part_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_CONFIG_FLAG_H_
