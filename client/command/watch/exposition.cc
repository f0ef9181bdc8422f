#include "client/command/watch/exposition.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"

namespace ladder::client {
namespace {

constexpr absl::string_view kBound = "le";

bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         c == ':';
}

// Reads a line from left to right.
class LineReader {
 public:
  explicit LineReader(absl::string_view line) : rest_(line) {}

  absl::string_view rest() const { return rest_; }

  void SkipSpace() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

  bool Skip(char c) {
    SkipSpace();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  absl::string_view Name() {
    SkipSpace();
    size_t end = 0;
    while (end < rest_.size() && IsNameCharacter(rest_[end])) ++end;
    const absl::string_view name = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return name;
  }

  absl::string_view Word() {
    SkipSpace();
    const size_t end = std::min(rest_.find_first_of(" \t"), rest_.size());
    const absl::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }

  // A text in quotes, in which a backslash comes before '\', '"' and 'n'.
  std::optional<std::string> Quoted() {
    if (!Skip('"')) return std::nullopt;
    std::string text;
    for (size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '"') {
        rest_.remove_prefix(i + 1);
        return text;
      }
      if (rest_[i] != '\\') {
        text.push_back(rest_[i]);
      } else if (++i < rest_.size() &&
                 absl::StrContains("\\\"n", rest_.substr(i, 1))) {
        text.push_back(rest_[i] == 'n' ? '\n' : rest_[i]);
      } else {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  absl::string_view rest_;
};

absl::Status Expected(absl::string_view what, absl::string_view got) {
  constexpr size_t kShown = 60;
  return absl::InvalidArgumentError(
      absl::StrCat("expected ", what, ", got \"", got.substr(0, kShown), "\""));
}

absl::Status ReadLabels(LineReader& reader, MetricLabels& labels) {
  if (!reader.Skip('{')) return absl::OkStatus();
  while (!reader.Skip('}')) {
    const absl::string_view name = reader.Name();
    if (name.empty() || !reader.Skip('=')) {
      return Expected("a label such as name=\"value\"", reader.rest());
    }
    std::optional<std::string> value = reader.Quoted();
    if (!value.has_value()) {
      return Expected("a label's value in quotes", reader.rest());
    }
    if (!labels.emplace(name, *std::move(value)).second) {
      return Expected("every label once", name);
    }
    if (!reader.Skip(',') && !absl::StartsWith(reader.rest(), "}")) {
      return Expected("',' or '}' after a label", reader.rest());
    }
  }
  return absl::OkStatus();
}

absl::Status ReadSample(absl::string_view line, std::string& name,
                        MetricSample& sample) {
  LineReader reader(line);
  name = std::string(reader.Name());
  if (name.empty()) return Expected("a metric's name", line);
  LADDER_RETURN_IF_ERROR(ReadLabels(reader, sample.labels));
  const absl::string_view value = reader.Word();
  if (!absl::SimpleAtod(value, &sample.value)) {
    return Expected("a number", value);
  }
  int64_t timestamp = 0;
  const absl::string_view last = reader.Word();
  if (!last.empty() && !absl::SimpleAtoi(last, &timestamp)) {
    return Expected("a time stamp", last);
  }
  return absl::OkStatus();
}

// What tells the histograms of one name apart.
std::string KeyOf(const MetricLabels& labels) {
  std::string key;
  for (const auto& [name, value] : labels) {
    if (name != kBound) absl::StrAppend(&key, name, "=", value, "\n");
  }
  return key;
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

absl::string_view MetricSample::label(absl::string_view name) const {
  const auto it = labels.find(name);
  return it == labels.end() ? "" : absl::string_view(it->second);
}

absl::StatusOr<Exposition> Exposition::Parse(absl::string_view text) {
  Exposition exposition;
  size_t line_number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++line_number;
    const absl::string_view stripped = absl::StripAsciiWhitespace(line);
    if (stripped.empty() || stripped[0] == '#') continue;
    std::string name;
    MetricSample sample;
    if (absl::Status s = ReadSample(stripped, name, sample); !s.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", line_number, ": ", s.message()));
    }
    exposition.samples_[name].push_back(std::move(sample));
  }
  return exposition;
}

const std::vector<MetricSample>& Exposition::Samples(
    absl::string_view name) const {
  static const auto& kNone = *new std::vector<MetricSample>();
  const auto it = samples_.find(name);
  return it == samples_.end() ? kNone : it->second;
}

std::vector<MetricHistogram> Exposition::Histograms(
    absl::string_view name) const {
  std::vector<MetricHistogram> histograms;
  absl::flat_hash_map<std::string, size_t> places;
  const auto find = [&](const MetricSample& sample) -> MetricHistogram& {
    const auto [place, is_new] =
        places.try_emplace(KeyOf(sample.labels), histograms.size());
    if (is_new) {
      histograms.emplace_back().labels = sample.labels;
      histograms.back().labels.erase(std::string(kBound));
    }
    return histograms[place->second];
  };
  for (const MetricSample& sample : Samples(absl::StrCat(name, "_bucket"))) {
    MetricHistogram::Bucket bucket = {.count = sample.value};
    if (!absl::SimpleAtod(sample.label(kBound), &bucket.upper_bound)) continue;
    find(sample).buckets.push_back(bucket);
  }
  for (const MetricSample& sample : Samples(absl::StrCat(name, "_sum"))) {
    find(sample).sum = sample.value;
  }
  for (const MetricSample& sample : Samples(absl::StrCat(name, "_count"))) {
    find(sample).count = sample.value;
  }
  for (MetricHistogram& histogram : histograms) {
    std::stable_sort(histogram.buckets.begin(), histogram.buckets.end(),
                     [](const auto& a, const auto& b) {
                       return a.upper_bound < b.upper_bound;
                     });
  }
  return histograms;
}

double Exposition::Value(absl::string_view name,
                         const MetricLabels& labels) const {
  for (const MetricSample& sample : Samples(name)) {
    if (sample.labels == labels) return sample.value;
  }
  return 0;
}

double HistogramQuantile(double q, const MetricHistogram& histogram) {
  const auto& buckets = histogram.buckets;
  if (buckets.size() < 2 || !std::isinf(buckets.back().upper_bound)) {
    return kNaN;
  }
  const double total = buckets.back().count;
  if (!(total > 0)) return kNaN;
  const double rank = q * total;
  const auto bucket =
      std::find_if(buckets.begin(), buckets.end() - 1,
                   [&](const auto& b) { return b.count >= rank; });
  if (bucket == buckets.end() - 1) return (bucket - 1)->upper_bound;
  const bool is_first = bucket == buckets.begin();
  // There is no lower bound to begin a line at.
  if (is_first && bucket->upper_bound <= 0) return bucket->upper_bound;
  const double start = is_first ? 0 : (bucket - 1)->upper_bound;
  const double below = is_first ? 0 : (bucket - 1)->count;
  const double inside = bucket->count - below;
  if (inside <= 0)
    return start;  // Only if q = 0 and the first bucket is empty.
  return start + (bucket->upper_bound - start) * (rank - below) / inside;
}

double HistogramMean(const MetricHistogram& histogram) {
  return histogram.count > 0 ? histogram.sum / histogram.count : kNaN;
}

MetricHistogram HistogramIncrease(const MetricHistogram& newer,
                                  const MetricHistogram& older) {
  if (newer.buckets.size() != older.buckets.size() ||
      newer.count < older.count) {
    return newer;
  }
  MetricHistogram increase = newer;
  increase.count -= older.count;
  increase.sum -= older.sum;
  for (size_t i = 0; i < newer.buckets.size(); ++i) {
    const auto& old_bucket = older.buckets[i];
    if (newer.buckets[i].upper_bound != old_bucket.upper_bound ||
        newer.buckets[i].count < old_bucket.count) {
      return newer;
    }
    increase.buckets[i].count -= old_bucket.count;
  }
  return increase;
}

}  // namespace ladder::client
