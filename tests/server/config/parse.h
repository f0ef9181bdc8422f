#ifndef LADDER_TESTS_SERVER_CONFIG_PARSE_H_
#define LADDER_TESTS_SERVER_CONFIG_PARSE_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "server/config/command_line.h"
#include "server/config/server_flags.h"

namespace ladder::server {

// The configuration that the arguments give beside a model repository. Fails
// the test if they are refused.
inline ServerConfig ParsedConfig(std::vector<std::string> arguments,
                                 const Environment& environment = {}) {
  arguments.insert(arguments.begin(), "--model-repository=store");
  const auto parsed = ParseCommandLine(arguments, environment);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? parsed->config : ServerConfig{};
}

// The line that the arguments are refused with, beside a model repository.
inline std::string Refusal(std::vector<std::string> arguments,
                           const Environment& environment = {}) {
  arguments.insert(arguments.begin(), "--model-repository=store");
  const auto parsed = ParseCommandLine(arguments, environment);
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(parsed.status().message());
}

// Every flag with its value in `config`, as "--name=value".
inline std::vector<std::string> FormatConfig(ServerConfig config) {
  std::vector<std::string> lines;
  for (const Flag& flag : ServerFlags(config)) {
    lines.push_back(absl::StrCat(flag.name, "=", flag.value.Get()));
  }
  return lines;
}

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_CONFIG_PARSE_H_
