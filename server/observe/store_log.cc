#include "server/observe/store_log.h"

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "model_store/store/version_state.h"

namespace ladder::server {
namespace {

using model_store::VersionEvent;
using model_store::VersionState;

struct Headline {
  LogLevel level;
  absl::string_view message;
};

Headline HeadlineOf(const VersionEvent& event) {
  if (event.from == event.to) {
    return event.status.ok()
               ? Headline{LogLevel::kInfo, "model version's files are back"}
               : Headline{LogLevel::kWarn, "model version's files changed"};
  }
  switch (event.to) {
    case VersionState::kServing:
      return {LogLevel::kInfo, "model version served"};
    case VersionState::kFailed:
      return {LogLevel::kError, "model version failed to load"};
    case VersionState::kUnloaded:
      return {LogLevel::kInfo, "model version unloaded"};
    case VersionState::kDiscovered:
    case VersionState::kLoading:
    case VersionState::kDraining:
      break;
  }
  return {LogLevel::kDebug, "model version moved on"};
}

}  // namespace

void StoreLog::OnVersionState(const VersionEvent& event) {
  const Headline headline = HeadlineOf(event);
  std::vector<LogField> fields = {
      {"model", event.model},
      {"version", event.version},
      {"from", model_store::VersionStateName(event.from)},
      {"to", model_store::VersionStateName(event.to)},
      {"after_seconds", absl::ToDoubleSeconds(event.duration)}};
  if (!event.status.ok()) fields.emplace_back("error", event.status.message());
  logger_.Log(headline.level, headline.message, fields);
}

void StoreLog::OnStoreStatus(const absl::Status& status) {
  if (status.ok()) {
    logger_.Log(LogLevel::kInfo, "model store is readable again");
  } else {
    logger_.Log(LogLevel::kError, "model store cannot be read",
                {{"error", status.message()}});
  }
}

}  // namespace ladder::server
