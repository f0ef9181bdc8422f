#include "server/observe/log.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "spdlog/async_logger.h"
#include "spdlog/common.h"
#include "spdlog/details/console_globals.h"
#include "spdlog/details/thread_pool.h"
#include "spdlog/pattern_formatter.h"
#include "spdlog/sinks/stdout_sinks.h"

namespace ladder::server {
namespace {

// These take some ten megabytes if all lines are as long as they can be.
constexpr size_t kQueuedLines = 4096;

// Needs no mutex: one thread writes.
class StreamSink final : public spdlog::sinks::stdout_sink_base<
                             spdlog::details::console_nullmutex> {
 public:
  explicit StreamSink(std::FILE* stream) : stdout_sink_base(stream) {}
};

using Json = nlohmann::ordered_json;

std::string Cut(absl::string_view text) {
  if (text.size() <= kMaxLogString) return std::string(text);
  return absl::StrCat(text.substr(0, kMaxLogString), "...");
}

struct ToJson {
  Json operator()(const std::string& text) const { return Cut(text); }
  Json operator()(const NamedNumbers& numbers) const {
    Json json = Json::object();
    for (const auto& [name, number] : numbers) json[Cut(name)] = number;
    return json;
  }
  template <typename Number>
  Json operator()(Number number) const {
    return number;
  }
};

// ASCII only: some readers also break lines at U+0085 or U+2028.
std::string Dump(const Json& json) {
  return json.dump(/*indent=*/-1, /*indent_char=*/' ', /*ensure_ascii=*/true,
                   Json::error_handler_t::replace);
}

std::string Rfc3339(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", time, absl::UTCTimeZone());
}

bool IsPlainWord(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::StrContains("_-.:/+", absl::string_view(&c, 1));
  });
}

std::string FormatJson(absl::Time time, LogLevel level,
                       absl::string_view message,
                       absl::Span<const LogField> fields) {
  Json line;
  line["time"] = Rfc3339(time);
  line["level"] = std::string(LogLevelName(level));
  line["message"] = Cut(message);
  for (const LogField& field : fields) {
    line[field.key] = std::visit(ToJson(), field.value);
  }
  return Dump(line);
}

std::string FormatText(absl::Time time, LogLevel level,
                       absl::string_view message,
                       absl::Span<const LogField> fields) {
  const std::string quoted = Dump(Cut(message));
  std::string line = absl::StrCat(
      Rfc3339(time), " ", absl::AsciiStrToUpper(LogLevelName(level)), " ",
      absl::string_view(quoted).substr(1, quoted.size() - 2));
  for (const LogField& field : fields) {
    const auto* text = std::get_if<std::string>(&field.value);
    absl::StrAppend(
        &line, " ", field.key, "=",
        text != nullptr && text->size() <= kMaxLogString && IsPlainWord(*text)
            ? *text
            : Dump(std::visit(ToJson(), field.value)));
  }
  return line;
}

}  // namespace

std::string FormatLogLine(LogFormat format, absl::Time time, LogLevel level,
                          absl::string_view message,
                          absl::Span<const LogField> fields) {
  return format == LogFormat::kJson ? FormatJson(time, level, message, fields)
                                    : FormatText(time, level, message, fields);
}

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
