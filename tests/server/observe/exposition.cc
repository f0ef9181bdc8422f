#include "tests/server/observe/exposition.h"

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "client/command/watch/exposition.h"
#include "nlohmann/json.hpp"
#include "prometheus/check_names.h"
#include "server/observe/http_endpoint.h"

namespace ladder::server {
namespace {

using Labels = ScrapedMetrics::Labels;

absl::Status Wrong(absl::string_view line, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(why, " in: ", line));
}

bool IsUtf8(absl::string_view text) {
  const std::string escaped =
      nlohmann::json(std::string(text))
          .dump(-1, ' ', /*ensure_ascii=*/true,
                nlohmann::json::error_handler_t::ignore);
  return nlohmann::json::parse(escaped).get<std::string>() == text;
}

bool Belongs(const std::string& sample, const std::string& family,
             const std::string& type) {
  if (type != "histogram") return sample == family;
  return sample == family + "_bucket" || sample == family + "_sum" ||
         sample == family + "_count";
}

class Parser {
 public:
  absl::Status Take(absl::string_view line) {
    for (const char c : line) {
      if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
        return Wrong(line, "control character");
      }
    }
    if (!IsUtf8(line)) return Wrong(line, "bytes that are not UTF-8");
    absl::string_view rest = line;
    if (absl::ConsumePrefix(&rest, "# HELP ")) return TakeHelp(line, rest);
    if (absl::ConsumePrefix(&rest, "# TYPE ")) return TakeType(line, rest);
    return TakeSample(line);
  }

  ScrapedMetrics Finish() { return std::move(exposition_); }

 private:
  absl::Status TakeHelp(absl::string_view line, absl::string_view rest) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(rest, absl::MaxSplits(' ', 1));
    name_ = parts.first;
    if (!prometheus::CheckMetricName(name_)) return Wrong(line, "bad name");
    if (exposition_.families.contains(name_))
      return Wrong(line, "family twice");
    if (parts.second.empty()) return Wrong(line, "no help");
    exposition_.families[name_].help = parts.second;
    return absl::OkStatus();
  }

  absl::Status TakeType(absl::string_view line, absl::string_view rest) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(rest, absl::MaxSplits(' ', 1));
    if (parts.first != name_) return Wrong(line, "TYPE without HELP");
    if (parts.second != "counter" && parts.second != "gauge" &&
        parts.second != "histogram") {
      return Wrong(line, "unknown type");
    }
    exposition_.families[name_].type = parts.second;
    return absl::OkStatus();
  }

  absl::Status TakeSample(absl::string_view line) {
    const std::string sample(line.substr(0, line.find_first_of("{ ")));
    ScrapedMetrics::Family& family = exposition_.families[name_];
    if (family.type.empty() || !Belongs(sample, name_, family.type)) {
      return Wrong(line, "sample of no family");
    }
    LADDER_ASSIGN_OR_RETURN(const client::Exposition parsed,
                            client::Exposition::Parse(line));
    const client::MetricSample& read = parsed.Samples(sample).front();
    const Labels labels(read.labels.begin(), read.labels.end());
    if (!family.samples[sample].emplace(labels, read.value).second) {
      return Wrong(line, "sample twice");
    }
    return absl::OkStatus();
  }

  ScrapedMetrics exposition_;
  std::string name_;  // Of the family whose lines come.
};

absl::Status CheckHistogram(const std::string& name,
                            const ScrapedMetrics::Family& family) {
  std::map<Labels, std::map<double, double>> buckets;
  if (const auto it = family.samples.find(name + "_bucket");
      it != family.samples.end()) {
    for (const auto& [labels, count] : it->second) {
      Labels others = labels;
      double bound = 0;
      if (!absl::SimpleAtod(others["le"], &bound)) {
        return Wrong(name, "bucket without bound");
      }
      others.erase("le");
      buckets[others][bound] = count;
    }
  }
  for (const auto& [labels, counts] : buckets) {
    double last = 0;
    for (const auto& [bound, count] : counts) {
      if (count < last) return Wrong(name, "buckets are not cumulative");
      last = count;
    }
    if (std::isfinite(counts.rbegin()->first)) return Wrong(name, "no +Inf");
    if (!family.samples.contains(name + "_sum") ||
        !family.samples.contains(name + "_count") ||
        !family.samples.at(name + "_sum").contains(labels) ||
        !family.samples.at(name + "_count").contains(labels) ||
        family.samples.at(name + "_count").at(labels) != last) {
      return Wrong(name, "sum and count do not fit the buckets");
    }
  }
  return absl::OkStatus();
}

}  // namespace

size_t ScrapedMetrics::NumSamples() const {
  size_t n = 0;
  for (const auto& [name, family] : families) {
    for (const auto& [sample, values] : family.samples) n += values.size();
  }
  return n;
}

std::optional<double> ScrapedMetrics::Find(const std::string& name,
                                           const Labels& labels) const {
  for (const auto& [family_name, family] : families) {
    const auto sample = family.samples.find(name);
    if (sample == family.samples.end()) continue;
    const auto value = sample->second.find(labels);
    if (value != sample->second.end()) return value->second;
  }
  return std::nullopt;
}

absl::StatusOr<ScrapedMetrics> ParseExposition(absl::string_view text) {
  if (!text.empty() && !absl::ConsumeSuffix(&text, "\n")) {
    return absl::InvalidArgumentError("the last line has no end");
  }
  Parser parser;
  if (!text.empty()) {
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      if (absl::Status status = parser.Take(line); !status.ok()) return status;
    }
  }
  ScrapedMetrics exposition = parser.Finish();
  for (const auto& [name, family] : exposition.families) {
    if (family.type.empty()) return Wrong(name, "no type");
    if (family.type != "histogram") continue;
    if (absl::Status status = CheckHistogram(name, family); !status.ok()) {
      return status;
    }
  }
  return exposition;
}

ScrapedMetrics Scrape(const MetricFamilies& metrics) {
  const HttpReply reply =
      AnswerHttp({.metrics = [&] { return metrics; }}, "GET", "/metrics");
  absl::StatusOr<ScrapedMetrics> exposition = ParseExposition(reply.body);
  if (!exposition.ok()) {
    std::cerr << exposition.status() << "\n";
    std::abort();
  }
  return *std::move(exposition);
}

}  // namespace ladder::server
