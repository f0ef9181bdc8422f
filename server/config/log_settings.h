#ifndef LADDER_SERVER_CONFIG_LOG_SETTINGS_H_
#define LADDER_SERVER_CONFIG_LOG_SETTINGS_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace ladder::server {

// The flags' words for the log. They lie apart from the log, so that the
// configuration knows nothing of what it configures.
enum class LogFormat { kText, kJson };
enum class LogLevel { kError, kWarn, kInfo, kDebug };

// "error", "warn", "info" or "debug".
constexpr absl::string_view LogLevelName(LogLevel level) {
  constexpr absl::string_view kNames[] = {"error", "warn", "info", "debug"};
  return kNames[static_cast<size_t>(level)];
}

}  // namespace ladder::server

#endif  // LADDER_SERVER_CONFIG_LOG_SETTINGS_H_
