#include "client/command/output/journal.h"

#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/command/output/row_text.h"
#include "nlohmann/json.hpp"

namespace ladder::client {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 2;  // 1 was of routing without rejected samples.
constexpr char kRunStart[] = "{\"ladder_journal\":";
// A message shows so much of a value: columns may be many.
constexpr size_t kMaxShown = 80;

std::optional<int64_t> CountAt(const Json& json, const char* name) {
  const auto it = json.find(name);
  if (it == json.end() || !it->is_number_integer()) return std::nullopt;
  const auto count = it->get<int64_t>();
  return count >= 0 ? std::optional(count) : std::nullopt;
}

bool ParseEnds(const Json& json, OutputEnds& ends) {
  const auto predictions = CountAt(json, "predictions_end");
  const auto routing = CountAt(json, "routing_end");
  ends = {predictions.value_or(-1), routing.value_or(-1)};
  return predictions.has_value() && routing.has_value();
}

bool ParseRun(const Json& json, Journal& journal) {
  const auto run = json.find("run");
  if (CountAt(json, "ladder_journal") != kVersion || run == json.end() ||
      !run->is_object() || !ParseEnds(json, journal.ends)) {
    return false;
  }
  for (const auto& [name, value] : run->items()) {
    if (!value.is_string()) return false;
    journal.run[name] = value.get<std::string>();
  }
  return true;
}

bool ParseGroup(const Json& json, Journal& journal) {
  FinishedGroup group;
  const auto name = json.find("group");
  const auto num_samples = CountAt(json, "samples");
  if (name == json.end() || !name->is_string() || !num_samples.has_value() ||
      !ParseEnds(json, group.ends)) {
    return false;
  }
  const OutputEnds& before =
      journal.groups.empty() ? journal.ends : journal.groups.back().ends;
  if (group.ends.predictions < before.predictions ||
      group.ends.routing < before.routing) {
    return false;
  }
  group.name = name->get<std::string>();
  group.num_samples = static_cast<uint64_t>(*num_samples);
  journal.groups.push_back(std::move(group));
  return true;
}

std::string EndsText(const OutputEnds& ends) {
  return absl::StrCat(",\"predictions_end\":", ends.predictions,
                      ",\"routing_end\":", ends.routing, "}\n");
}

std::string Shown(const std::map<std::string, std::string>& run,
                  const std::string& name) {
  const auto it = run.find(name);
  if (it == run.end()) return "nothing";
  const absl::string_view value = it->second;
  if (value.size() <= kMaxShown) return absl::StrCat("\"", value, "\"");
  return absl::StrCat("\"", value.substr(0, kMaxShown), "...\"");
}

}  // namespace

std::string RunLine(const std::map<std::string, std::string>& run,
                    const OutputEnds& ends) {
  std::string line = absl::StrCat(kRunStart, kVersion, ",\"run\":{");
  bool is_first = true;
  for (const auto& [name, value] : run) {
    if (!is_first) line.push_back(',');
    is_first = false;
    AppendJsonString(name, line);
    line.push_back(':');
    AppendJsonString(value, line);
  }
  return absl::StrCat(line, "}", EndsText(ends));
}

std::string GroupLine(const FinishedGroup& group) {
  std::string line = "{\"group\":";
  AppendJsonString(group.name, line);
  return absl::StrCat(line, ",\"samples\":", group.num_samples,
                      EndsText(group.ends));
}

absl::StatusOr<std::optional<Journal>> ParseJournal(absl::string_view text) {
  Journal journal;
  for (size_t begin = 0, line = 1;; ++line) {
    const size_t end = text.find('\n', begin);
    const absl::string_view record = text.substr(begin, end - begin);
    const bool is_cut = end == absl::string_view::npos;
    if (is_cut && line > 1) return journal;
    // Files of other programs are not ours to go on with.
    if (is_cut && (absl::StartsWith(record, kRunStart) ||
                   absl::StartsWith(kRunStart, record))) {
      return std::nullopt;
    }
    const Json json = Json::parse(record.begin(), record.end(),
                                  /*cb=*/nullptr, /*allow_exceptions=*/false);
    const bool is_good =
        !is_cut && json.is_object() &&
        (line == 1 ? ParseRun(json, journal) : ParseGroup(json, journal));
    if (!is_good) {
      return absl::InvalidArgumentError(absl::StrCat(
          "line ", line, ": expected ",
          line == 1 ? "the description of a run" : "a finished group",
          " (journal version ", kVersion, "), found \"",
          record.substr(0, kMaxShown), "\""));
    }
    begin = end + 1;
    (line == 1 ? journal.journal_end : journal.groups.back().journal_end) =
        static_cast<int64_t>(begin);
  }
}

absl::Status CheckSameRun(const std::map<std::string, std::string>& expected,
                          const std::map<std::string, std::string>& found) {
  std::set<std::string> names;
  for (const auto& [name, value] : expected) names.insert(name);
  for (const auto& [name, value] : found) names.insert(name);
  std::string differences;
  for (const std::string& name : names) {
    const auto a = expected.find(name);
    const auto b = found.find(name);
    if (a != expected.end() && b != found.end() && a->second == b->second) {
      continue;
    }
    absl::StrAppend(&differences, differences.empty() ? "" : "; ", name,
                    ": expected ", Shown(expected, name), ", found ",
                    Shown(found, name));
  }
  if (differences.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("it is of another run: ", differences));
}

}  // namespace ladder::client
