#include "server/config/model_value_kind.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "model_store/format/manifest.h"
#include "model_store/store/store_options.h"
#include "server/config/server_config.h"

namespace ladder::server {
namespace {

using model_store::CheckLabel;
using model_store::CheckModelName;
using model_store::VersionPolicy;

using Names = std::vector<std::string>;
using Policies = std::map<std::string, VersionPolicy>;
using Labels = std::map<std::string, std::map<std::string, uint64_t>>;

constexpr absl::string_view kLatest = "latest:";
constexpr absl::string_view kAll = "all";
constexpr absl::string_view kSpecific = "specific:";

std::optional<uint64_t> ParsePositive(absl::string_view text) {
  return CountKind(1, UINT64_MAX).parse(text);
}

std::optional<VersionPolicy> ParsePolicy(absl::string_view text) {
  if (text == kAll) return VersionPolicy::All();
  if (absl::ConsumePrefix(&text, kLatest)) {
    const auto count = ParsePositive(text);
    if (!count) return {};
    return VersionPolicy::Latest(*count);
  }
  if (!absl::ConsumePrefix(&text, kSpecific)) return {};
  std::set<uint64_t> versions;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const auto version = ParsePositive(part);
    if (!version) return {};
    versions.insert(*version);
  }
  return VersionPolicy::Specific(std::move(versions));
}

std::string FormatPolicy(const VersionPolicy& policy) {
  switch (policy.kind) {
    case VersionPolicy::Kind::kLatest:
      return absl::StrCat(kLatest, policy.count);
    case VersionPolicy::Kind::kAll:
      return std::string(kAll);
    case VersionPolicy::Kind::kSpecific:
      return absl::StrCat(kSpecific, absl::StrJoin(policy.versions, ","));
  }
  return "unknown";
}

std::optional<Policies> ParsePolicies(absl::string_view text) {
  Policies policies;
  for (const absl::string_view part :
       absl::StrSplit(text, ';', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> entry =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    const auto policy = ParsePolicy(entry.second);
    if (!policy || !CheckModelName(entry.first).ok() ||
        !policies.emplace(entry.first, *policy).second) {
      return {};
    }
  }
  return policies;
}

std::optional<Labels> ParseLabels(absl::string_view text) {
  Labels labels;
  for (const absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> entry =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    const std::pair<std::string, std::string> name =
        absl::StrSplit(entry.first, absl::MaxSplits(':', 1));
    const auto version = ParsePositive(entry.second);
    if (!version || !CheckModelName(name.first).ok() ||
        !CheckLabel(name.second).ok() ||
        !labels[name.first].emplace(name.second, *version).second) {
      return {};
    }
  }
  return labels;
}

std::string FormatLabels(const Labels& labels) {
  std::vector<std::string> parts;
  for (const auto& [model, versions] : labels) {
    for (const auto& [label, version] : versions) {
      parts.push_back(absl::StrCat(model, ":", label, "=", version));
    }
  }
  return absl::StrJoin(parts, ",");
}

}  // namespace

ValueKind<Names> ModelNamesKind(bool wildcard) {
  const auto parse =
      [wildcard](absl::string_view text) -> std::optional<Names> {
    const Names names = absl::StrSplit(text, ',', absl::SkipEmpty());
    const bool all_good =
        std::all_of(names.begin(), names.end(), [&](const std::string& name) {
          return (wildcard && name == ModelsConfig::kEveryModel) ||
                 CheckModelName(name).ok();
        });
    if (!all_good) return {};
    return names;
  };
  return {
      .placeholder = "MODEL,...",
      .expected = absl::StrCat(
          "names of models (letters, digits, '_', '-' and '.', the first "
          "not a '.')",
          wildcard ? " or *" : "", " with commas in between"),
      .parse = parse,
      .format = [](const Names& value) { return absl::StrJoin(value, ","); },
      .append =
          [](Names& value, Names more) {
            value.insert(value.end(), more.begin(), more.end());
          }};
}

ValueKind<VersionPolicy> VersionPolicyKind() {
  return {.placeholder = "POLICY",
          .expected = "latest:N, all or specific:N,N,... with positive numbers",
          .parse = ParsePolicy,
          .format = FormatPolicy};
}

ValueKind<Policies> ModelPoliciesKind() {
  return {.placeholder = "MODEL=POLICY",
          .expected =
              "MODEL=latest:N, MODEL=all or MODEL=specific:N,N,..., several "
              "with semicolons in between, each model once",
          .parse = ParsePolicies,
          .format =
              [](const Policies& value) {
                return absl::StrJoin(
                    value, ";", [](std::string* out, const auto& entry) {
                      absl::StrAppend(out, entry.first, "=",
                                      FormatPolicy(entry.second));
                    });
              },
          .append =
              [](Policies& value, Policies more) {
                more.merge(value);  // What came later wins.
                value = std::move(more);
              }};
}

ValueKind<Labels> ModelLabelsKind() {
  return {.placeholder = "MODEL:LABEL=VERSION",
          .expected =
              "MODEL:LABEL=VERSION, several with commas in between, each label "
              "once; a label begins with a letter",
          .parse = ParseLabels,
          .format = FormatLabels,
          .append = [](Labels& value, Labels more) {
            for (auto& [model, versions] : more) {
              versions.merge(value[model]);  // What came later wins.
              value[model] = std::move(versions);
            }
          }};
}

}  // namespace ladder::server
