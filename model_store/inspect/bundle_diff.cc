#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model_store/inspect/bundle_report.h"

namespace ladder::model_store {
namespace {

using nlohmann::json;

// The fields that read best one by one. The others have a function each.
const char* const kPlainFields[] = {
    "model",           "version", "created", "trainer", "content_dimension",
    "style_dimension", "input",   "routing"};

// Leaves of `value` by their path.
void Flatten(const json& value, const std::string& path,
             std::map<std::string, std::string>& leaves) {
  if (!value.is_object() || value.empty()) {
    leaves[path] = value.dump();
    return;
  }
  for (const auto& [key, child] : value.items()) {
    Flatten(child, absl::StrCat(path, ".", key), leaves);
  }
}

std::map<std::string, std::string> PlainFields(const Manifest& manifest) {
  const json whole = json::parse(FormatManifest(manifest));
  std::map<std::string, std::string> leaves;
  for (const char* field : kPlainFields) {
    Flatten(whole.at(field), field, leaves);
  }
  return leaves;
}

void DiffFields(const Manifest& a, const Manifest& b, std::string& text) {
  const auto before = PlainFields(a);
  const auto after = PlainFields(b);
  std::set<std::string> paths;
  for (const auto* fields : {&before, &after}) {
    for (const auto& item : *fields) paths.insert(item.first);
  }
  const auto value_of = [](const auto& fields, const std::string& path) {
    const auto found = fields.find(path);
    return found != fields.end() ? found->second : "(none)";
  };
  for (const std::string& path : paths) {
    const std::string old_value = value_of(before, path);
    const std::string new_value = value_of(after, path);
    if (old_value == new_value) continue;
    absl::StrAppend(&text, Printable(path), ": ", old_value, " -> ", new_value,
                    "\n");
  }
}

// Names that only one side has, and whether the rest is in another order.
void DiffNames(const char* what, const std::vector<std::string>& a,
               const std::vector<std::string>& b, std::string& text) {
  const std::set<std::string> before(a.begin(), a.end());
  const std::set<std::string> after(b.begin(), b.end());
  const auto common = [](const std::vector<std::string>& names,
                         const std::set<std::string>& others) {
    std::vector<std::string> kept;
    for (const std::string& name : names) {
      if (others.contains(name)) kept.push_back(name);
    }
    return kept;
  };
  for (const std::string& name : a) {
    if (after.contains(name)) continue;
    absl::StrAppend(&text, what, ": - \"", Printable(name), "\"\n");
  }
  for (const std::string& name : b) {
    if (before.contains(name)) continue;
    absl::StrAppend(&text, what, ": + \"", Printable(name), "\"\n");
  }
  if (common(a, after) != common(b, before)) {
    absl::StrAppend(&text, what, ": in another order\n");
  }
}

std::vector<std::string> SourceNames(const Manifest& manifest) {
  std::vector<std::string> names;
  for (const Source& source : manifest.sources) names.push_back(source.name);
  return names;
}

void DiffSources(const Manifest& a, const Manifest& b, std::string& text) {
  DiffNames("sources", SourceNames(a), SourceNames(b), text);
  for (const Source& before : a.sources) {
    const auto after = std::find_if(
        b.sources.begin(), b.sources.end(),
        [&](const Source& source) { return source.name == before.name; });
    if (after == b.sources.end()) continue;
    const std::string prefix =
        absl::StrCat("sources.\"", Printable(before.name), "\".");
    if (before.training_samples != after->training_samples) {
      absl::StrAppend(&text, prefix,
                      "training_samples: ", before.training_samples, " -> ",
                      after->training_samples, "\n");
    }
    if (before.fingerprint_samples != after->fingerprint_samples) {
      absl::StrAppend(&text, prefix,
                      "fingerprint_samples: ", before.fingerprint_samples,
                      " -> ", after->fingerprint_samples, "\n");
    }
  }
}

void DiffCoverage(const Manifest& a, const Manifest& b, std::string& text) {
  const auto levels = [](const Manifest& manifest) {
    std::map<size_t, std::pair<size_t, std::vector<double>>> by_size;
    for (const auto& level : manifest.coverage.levels) {
      by_size[level.sample_size] = {level.num_sources, level.quantiles};
    }
    return by_size;
  };
  const auto before = levels(a);
  const auto after = levels(b);
  std::set<size_t> sizes;
  for (const auto* side : {&before, &after}) {
    for (const auto& item : *side) sizes.insert(item.first);
  }
  for (const size_t size : sizes) {
    const std::string name = absl::StrCat("level of ", size, " samples");
    const auto old_level = before.find(size);
    const auto new_level = after.find(size);
    if (old_level == before.end()) {
      absl::StrAppend(&text, "coverage: + ", name, "\n");
    } else if (new_level == after.end()) {
      absl::StrAppend(&text, "coverage: - ", name, "\n");
    } else if (old_level->second != new_level->second) {
      absl::StrAppend(&text, "coverage: ", name, " differs\n");
    }
  }
}

void DiffSourceDistances(const Manifest& a, const Manifest& b,
                         std::string& text) {
  const std::vector<double>& before = a.source_distances;
  const std::vector<double>& after = b.source_distances;
  if (before == after) return;
  absl::StrAppend(&text, "source_distances: ");
  if (before.size() != after.size()) {
    absl::StrAppend(&text, before.size(), " -> ", after.size(), " values\n");
    return;
  }
  double largest = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    largest = std::max(largest, std::abs(before[i] - after[i]));
  }
  absl::StrAppend(&text, "differ by up to ", largest, "\n");
}

void DiffFiles(const Manifest& a, const Manifest& b, std::string& text) {
  for (const auto& [name, before] : a.files) {
    const auto after = b.files.find(name);
    if (after == b.files.end()) {
      absl::StrAppend(&text, "files: - ", Printable(name), "\n");
    } else if (before.sha256 != after->second.sha256) {
      absl::StrAppend(&text, "files: ", Printable(name), ": ", before.size,
                      " bytes, sha256 ", before.sha256, " -> ",
                      after->second.size, " bytes, sha256 ",
                      after->second.sha256, "\n");
    }
  }
  for (const auto& [name, record] : b.files) {
    if (a.files.contains(name)) continue;
    absl::StrAppend(&text, "files: + ", Printable(name), "\n");
  }
}

}  // namespace

std::string DiffManifests(const Manifest& a, const Manifest& b) {
  std::string text;
  DiffFields(a, b, text);
  DiffNames("classes", a.classes, b.classes, text);
  DiffSources(a, b, text);
  DiffCoverage(a, b, text);
  DiffSourceDistances(a, b, text);
  DiffFiles(a, b, text);
  return text;
}

}  // namespace ladder::model_store
