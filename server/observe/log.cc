#include "server/observe/log.h"

#include "spdlog/async_logger.h"
#include "spdlog/common.h"
#include "spdlog/details/console_globals.h"
#include "spdlog/details/thread_pool.h"
#include "spdlog/pattern_formatter.h"
#include "spdlog/sinks/stdout_sinks.h"

namespace ladder::server {
namespace {

// At a few kilobytes for the longest lines, some ten megabytes.
constexpr size_t kQueuedLines = 4096;

// Needs no mutex: one thread writes.
class StreamSink final : public spdlog::sinks::stdout_sink_base<
                             spdlog::details::console_nullmutex> {
 public:
  explicit StreamSink(std::FILE* stream) : stdout_sink_base(stream) {}
};

}  // namespace

struct Logger::Writer {
  explicit Writer(std::FILE* stream)
      : threads(std::make_shared<spdlog::details::thread_pool>(
            kQueuedLines, /*threads_n=*/1)),
        logger(std::make_shared<spdlog::async_logger>(
            "ladder", std::make_shared<StreamSink>(stream), threads,
            spdlog::async_overflow_policy::overrun_oldest)) {
    logger->set_formatter(
        std::make_unique<spdlog::pattern_formatter>("%v"));  // Line as it is.
    logger->set_level(spdlog::level::trace);  // Enabled() has decided.
  }

  std::shared_ptr<spdlog::details::thread_pool> threads;
  std::shared_ptr<spdlog::async_logger> logger;
};

Logger::Logger(const LogOptions& options, std::FILE* stream)
    : options_(options), writer_(std::make_unique<Writer>(stream)) {}

Logger::~Logger() = default;

void Logger::Log(LogLevel level, absl::string_view message,
                 absl::Span<const LogField> fields) const {
  if (!Enabled(level)) return;
  const std::string line =
      FormatLogLine(options_.format, options_.now(), level, message, fields);
  writer_->logger->log(spdlog::level::info, spdlog::string_view_t(line));
}

uint64_t Logger::num_dropped() const {
  return writer_->threads->overrun_counter();
}

}  // namespace ladder::server
