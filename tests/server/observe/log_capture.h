#ifndef LADDER_TESTS_SERVER_OBSERVE_LOG_CAPTURE_H_
#define LADDER_TESTS_SERVER_OBSERVE_LOG_CAPTURE_H_

#include <cstdio>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "server/observe/log.h"

namespace ladder::server {

// A logger whose lines can be read. Its clock stands still.
class LogCapture {
 public:
  explicit LogCapture(LogFormat format, LogLevel level = LogLevel::kInfo)
      : file_(std::tmpfile()),
        logger_(std::make_unique<Logger>(
            LogOptions{.format = format,
                       .level = level,
                       .now = [] { return absl::UnixEpoch(); }},
            fileno(file_))) {}
  ~LogCapture() {
    logger_.reset();
    std::fclose(file_);
  }

  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  Logger& logger() { return *logger_; }

  // All that was logged. Ends the logger, which has then written everything.
  std::string Text() {
    logger_.reset();
    std::rewind(file_);
    std::string text;
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) {
      text += static_cast<char>(c);
    }
    return text;
  }

 private:
  std::FILE* const file_;
  std::unique_ptr<Logger> logger_;
};

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_OBSERVE_LOG_CAPTURE_H_
