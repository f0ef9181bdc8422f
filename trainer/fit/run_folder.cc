#include "trainer/fit/run_folder.h"

#include <optional>
#include <set>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"

namespace ladder::trainer {
namespace {

namespace fs = std::filesystem;

// These do not change what is computed, but for rounding.
const std::set<std::string>& FreeOptions() {
  static const auto* const free =
      new std::set<std::string>{"data",   "cache-gib", "loader-threads",
                                "device", "threads",   "checkpoint-steps",
                                "out",    "run"};
  return *free;
}

// `what` says what the file is expected to hold.
absl::StatusOr<nlohmann::ordered_json> ReadJson(const fs::path& path,
                                                absl::string_view what) {
  auto json = nlohmann::ordered_json::parse(base::ReadText(path).value_or(""),
                                            /*cb=*/nullptr,
                                            /*allow_exceptions=*/false);
  if (json.is_object()) return json;
  return absl::DataLossError(absl::StrCat(path.string(), ": expected the ",
                                          what, " of a run, found no JSON"));
}

absl::Status WriteJson(const fs::path& path,
                       const nlohmann::ordered_json& json) {
  return base::ReplaceFile(path, absl::StrCat(json.dump(2), "\n"));
}

absl::Status CheckSameOptions(const fs::path& path, const FitOptions& options) {
  LADDER_ASSIGN_OR_RETURN(const auto before, ReadJson(path, "options"));
  std::vector<std::string> differences;
  const nlohmann::ordered_json now = ToJson(options);
  for (const auto& [name, value] : now.items()) {
    const auto found = before.find(name);
    if (FreeOptions().count(name) > 0 ||
        (found != before.end() && *found == value)) {
      continue;
    }
    differences.push_back(absl::StrCat(
        name, " was ", found == before.end() ? "not there" : found->dump(),
        ", now is ", value.dump()));
  }
  if (differences.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(path.string(), ": expected the same options to go on with, ",
                   "found others: ", absl::StrJoin(differences, "; ")));
}

// What tells a data set from others; all but the digest is for people.
nlohmann::ordered_json DescriptionOf(const Dataset& dataset) {
  return {{"samples", dataset.samples.size()},
          {"classes", dataset.classes.size()},
          {"domains", dataset.domains.size()},
          {"sha256", DigestOf(dataset)}};
}

absl::Status CheckSameData(const fs::path& path, const Dataset& dataset,
                           FitObserver& observer) {
  const nlohmann::ordered_json now = DescriptionOf(dataset);
  std::error_code error;
  if (!fs::exists(path, error)) {
    observer.Message(absl::StrCat(
        path.string(), ": not there, as in runs of older versions; whether ",
        "the data set is still the same cannot be checked this time"));
    return WriteJson(path, now);
  }
  LADDER_ASSIGN_OR_RETURN(const auto before, ReadJson(path, "data set"));
  if (before == now) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      path.string(), ": expected the data set that the run began with, ",
      before.dump(), ", got another one, ", now.dump()));
}

}  // namespace

std::string SourceFile(size_t source) {
  return absl::StrFormat("source-%04d.safetensors", source);
}

absl::Status OpenRunFolder(const FitOptions& options, const Dataset& dataset,
                           bool resume, FitObserver& observer) {
  const fs::path folder = options.run;
  const fs::path path = folder / kOptionsFile;
  std::error_code error;
  const bool exists = fs::exists(path, error);
  if (exists && !resume) {
    return absl::AlreadyExistsError(
        absl::StrCat("run: expected a new folder, found a run in ",
                     folder.string(), "; --resume goes on with it"));
  }
  if (!exists && resume) {
    return absl::NotFoundError(absl::StrCat(
        "run: expected a run to go on with, found none in ", folder.string()));
  }
  if (exists) {
    LADDER_RETURN_IF_ERROR(CheckSameOptions(path, options));
    return CheckSameData(folder / kDataFile, dataset, observer);
  }
  fs::create_directories(folder, error);
  if (error) {
    return base::ErrnoError("making the folder", folder, error.value());
  }
  // The options come last: a folder with them is a run.
  LADDER_RETURN_IF_ERROR(WriteJson(folder / kDataFile, DescriptionOf(dataset)));
  return WriteJson(path, ToJson(options));
}

absl::StatusOr<Curves> Curves::Open(std::filesystem::path path,
                                    uint64_t last_step) {
  const std::optional<std::string> text = base::ReadText(path);
  if (!text.has_value()) return Curves(std::move(path));
  std::string kept;
  for (const absl::string_view line :
       absl::StrSplit(*text, '\n', absl::SkipEmpty())) {
    uint64_t step = 0;
    const absl::string_view first = line.substr(0, line.find(','));
    const bool is_row = absl::SimpleAtoi(first, &step);
    if (!is_row || step <= last_step) absl::StrAppend(&kept, line, "\n");
  }
  LADDER_RETURN_IF_ERROR(base::ReplaceFile(path, kept));
  return Curves(std::move(path));
}

absl::Status Curves::Add(
    uint64_t step, const std::vector<std::pair<std::string, double>>& losses) {
  std::ofstream file(path_, std::ios::app);
  if (file.is_open() && file.tellp() == std::ofstream::pos_type(0)) {
    file << "step";
    for (const auto& [name, value] : losses) file << ',' << name;
    file << '\n';
  }
  file << step;
  for (const auto& [name, value] : losses) file << ',' << value;
  file << '\n' << std::flush;
  if (file.good()) return absl::OkStatus();
  return base::ErrnoError("writing", path_);
}

}  // namespace ladder::trainer
