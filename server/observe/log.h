#ifndef LADDER_SERVER_OBSERVE_LOG_H_
#define LADDER_SERVER_OBSERVE_LOG_H_

#include <unistd.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/config/log_settings.h"
#include "server/observe/line_writer.h"

namespace ladder::server {

struct LogOptions {
  LogFormat format = LogFormat::kText;
  LogLevel level = LogLevel::kInfo;  // Less important lines are left out.
  std::function<absl::Time()> now = [] { return absl::Now(); };
};

// Numbers with names, in this order, such as weights by source.
using NamedNumbers = std::vector<std::pair<std::string, double>>;

// A number as LogField keeps it.
template <std::integral T>
constexpr auto Widened(T v) {
  if constexpr (std::is_same_v<T, bool>) {
    return v;
  } else if constexpr (std::is_signed_v<T>) {
    return int64_t{v};
  } else {
    return uint64_t{v};
  }
}

struct LogField {
  LogField(absl::string_view k, absl::string_view v)
      : key(k), value(std::string(v)) {}
  LogField(absl::string_view k, double v) : key(k), value(v) {}
  LogField(absl::string_view k, NamedNumbers v) : key(k), value(std::move(v)) {}
  template <std::integral T>
  LogField(absl::string_view k, T v) : key(k), value(Widened(v)) {}

  std::string key;
  std::variant<bool, int64_t, uint64_t, double, std::string, NamedNumbers>
      value;
};

// One line without its end. Whatever the strings hold, it is printable ASCII:
// all else is escaped as in JSON, so that nobody can forge a line or reach a
// terminal. Strings are cut after kMaxLogString bytes.
//
// kJson: an object with "time" (RFC 3339, UTC), "level", "message" and the
// fields. kText: time, level and message, then key=value for every field, where
// what is not a plain word is written as JSON.
inline constexpr size_t kMaxLogString = 512;
std::string FormatLogLine(LogFormat format, absl::Time time, LogLevel level,
                          absl::string_view message,
                          absl::Span<const LogField> fields);

// Makes lines and has them written by a LineWriter: callers never wait for who
// reads them, and what gets lost is counted.
//
// Thread-safe.
class Logger {
 public:
  explicit Logger(const LogOptions& options, int descriptor = STDERR_FILENO);

  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  bool Enabled(LogLevel level) const { return level <= options_.level; }

  //   logger.Log(LogLevel::kInfo, "listening", {{"port", port}});
  void Log(LogLevel level, absl::string_view message,
           absl::Span<const LogField> fields = {}) const;

  // Waits until all lines are written, but not longer than `patience`.
  void Flush(absl::Duration patience) const { writer_->Flush(patience); }

  // The lines that were lost.
  uint64_t num_dropped() const { return writer_->num_dropped(); }

 private:
  const LogOptions options_;
  const std::unique_ptr<LineWriter> writer_;  // Writing changes it alone.
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_LOG_H_
