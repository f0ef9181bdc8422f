#include "server/observe/metric_series.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace ladder::server {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

unsigned ByteAt(absl::string_view text, size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
}

// How many bytes the character has that `text` begins with; 0 if it is none:
// cut off, overlong, a surrogate or beyond U+10FFFF (RFC 3629, section 4).
size_t CharacterLength(absl::string_view text) {
  const unsigned first = ByteAt(text, 0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  for (size_t i = 1; i < length; ++i) {
    if (ByteAt(text, i) < 0x80 || ByteAt(text, i) > 0xBF) return 0;
  }
  const unsigned second = ByteAt(text, 1);
  const bool is_valid =
      (first != 0xE0 || second >= 0xA0) && (first != 0xED || second <= 0x9F) &&
      (first != 0xF0 || second >= 0x90) && (first != 0xF4 || second <= 0x8F);
  return is_valid ? length : 0;
}

// Whether it is a control character of ASCII, or one of U+0080 to U+009F, which
// terminals obey as well.
bool IsControl(absl::string_view character) {
  return absl::ascii_iscntrl(static_cast<unsigned char>(character[0])) ||
         (ByteAt(character, 0) == 0xC2 && ByteAt(character, 1) < 0xA0);
}

}  // namespace

std::string LabelText(absl::string_view text) {
  std::string label;
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    const absl::string_view character =
        length == 0 || IsControl(text) ? kReplacement : text.substr(0, length);
    if (label.size() + character.size() > kMaxLabelBytes) break;
    absl::StrAppend(&label, character);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return label;
}

prometheus::Family<prometheus::Counter>& AddCounters(
    prometheus::Registry& registry, const std::string& name,
    const std::string& help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::Family<prometheus::Histogram>& AddHistograms(
    prometheus::Registry& registry, const std::string& name,
    const std::string& help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

prometheus::Histogram::BucketBoundaries SecondsBuckets() {
  return {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
          0.25,   0.5,     1,      2.5,   5,      10,    30,   60,    300};
}

void Append(MetricFamilies more, MetricFamilies& families) {
  families.insert(families.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

prometheus::MetricFamily MakeFamily(std::string name, std::string help,
                                    prometheus::MetricType type,
                                    const std::vector<LabelledValue>& values) {
  prometheus::MetricFamily family;
  family.name = std::move(name);
  family.help = std::move(help);
  family.type = type;
  for (const LabelledValue& value : values) {
    prometheus::ClientMetric& metric = family.metric.emplace_back();
    metric.label = value.labels;
    metric.gauge.value = value.value;
    metric.counter.value = value.value;
  }
  return family;
}

prometheus::MetricFamily MakeFamily(std::string name, std::string help,
                                    prometheus::MetricType type, double value) {
  return MakeFamily(std::move(name), std::move(help), type,
                    {LabelledValue{.labels = {}, .value = value}});
}

}  // namespace ladder::server
