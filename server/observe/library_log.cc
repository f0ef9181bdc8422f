#include "server/observe/library_log.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/system/mutex.h"

namespace ladder::server {
namespace {

// What is waited for at most until a last line is written.
constexpr absl::Duration kLastLine = absl::Seconds(1);

// The libraries take functions without a context, so where their lines go is
// one for the process.
struct Target {
  base::Mutex mutex;  // Held while a line is logged: the logger must not go.
  const Logger* logger ABSL_GUARDED_BY(mutex) = nullptr;
};

Target& TheTarget() {
  static Target& target = *new Target;  // Other threads may log to the last.
  return target;
}

void LogForLibrary(absl::string_view library, LogLevel level,
                   absl::string_view message, absl::string_view file,
                   int line) {
  Target& target = TheTarget();
  const base::MutexLock lock(target.mutex);
  if (target.logger == nullptr) return;
  target.logger->Log(
      level, library,
      {{"says", message}, {"at", absl::StrCat(file, ":", line)}});
  if (level == LogLevel::kError) target.logger->Flush(kLastLine);
}

void OnGrpcLine(gpr_log_func_args* args) {
  LogLevel level = LogLevel::kWarn;
  if (args->severity == GPR_LOG_SEVERITY_DEBUG) level = LogLevel::kDebug;
  if (args->severity == GPR_LOG_SEVERITY_INFO) level = LogLevel::kInfo;
  // So GPR_ASSERT begins before it ends the process.
  if (absl::StartsWith(args->message, "assertion failed")) {
    level = LogLevel::kError;
  }
  LogForLibrary("gRPC", level, args->message, args->file, args->line);
}

void OnProtobufLine(google::protobuf::LogLevel severity, const char* file,
                    int line, const std::string& message) {
  LogLevel level = LogLevel::kWarn;
  if (severity == google::protobuf::LOGLEVEL_INFO) level = LogLevel::kInfo;
  if (severity == google::protobuf::LOGLEVEL_FATAL) level = LogLevel::kError;
  LogForLibrary("protobuf", level, message, file, line);
}

}  // namespace

LibraryLog::LibraryLog(const Logger& logger) {
  Target& target = TheTarget();
  const base::MutexLock lock(target.mutex);
  target.logger = &logger;
  gpr_set_log_function(&OnGrpcLine);
  google::protobuf::SetLogHandler(&OnProtobufLine);
}

LibraryLog::~LibraryLog() {
  Target& target = TheTarget();
  const base::MutexLock lock(target.mutex);
  target.logger = nullptr;
}

}  // namespace ladder::server
