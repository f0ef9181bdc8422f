#include "trainer/data/open_dataset.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files/csv.h"
#include "base/status_macros.h"
#include "trainer/data/layouts.h"

namespace ladder::trainer {
namespace {

// The names follow the order of the enum.
constexpr absl::string_view kLayoutNames[] = {"auto", "iwildcam", "fmow", "csv",
                                              "table"};

constexpr char kSamplesFile[] = "samples.csv";
constexpr char kArrayFile[] = "x.npy";

// A file whose presence in a folder tells the layout. A samples.csv alone says
// it by its columns.
struct Sign {
  absl::string_view file;
  Layout layout;
};
constexpr Sign kSigns[] = {{"rgb_metadata.csv", Layout::kFmow},
                           {"metadata.csv", Layout::kIWildCam},
                           {kArrayFile, Layout::kTable}};

bool HasFile(const std::filesystem::path& folder, absl::string_view name) {
  std::error_code ignored;
  return std::filesystem::exists(folder / std::string(name), ignored);
}

absl::StatusOr<Layout> DetectCsv(const std::filesystem::path& csv) {
  for (const Sign& sign : kSigns) {
    if (csv.filename() == std::string(sign.file)) return sign.layout;
  }
  LADDER_ASSIGN_OR_RETURN(const base::CsvTable table,
                          base::CsvTable::Open(csv));
  return table.FindColumn("path").has_value() ? Layout::kCsv : Layout::kTable;
}

absl::StatusOr<Layout> DetectFolder(const std::filesystem::path& folder) {
  std::vector<Sign> found;
  for (const Sign& sign : kSigns) {
    if (HasFile(folder, sign.file)) found.push_back(sign);
  }
  if (found.size() == 1) return found[0].layout;
  if (found.empty() && HasFile(folder, kSamplesFile)) {
    return DetectCsv(folder / kSamplesFile);
  }
  const auto format = [](std::string* out, const Sign& sign) {
    absl::StrAppend(out, sign.file);
  };
  return absl::InvalidArgumentError(absl::StrCat(
      folder.string(), ": expected one of ",
      absl::StrJoin(kSigns, ", ", format), " or ", kSamplesFile, ", found ",
      found.empty() ? "none"
                    : absl::StrCat(absl::StrJoin(found, " and ", format),
                                   "; say which layout is meant")));
}

absl::StatusOr<LoadedDataset> Load(const std::filesystem::path& path,
                                   bool is_folder, Layout layout,
                                   const DatasetOptions& options) {
  const std::filesystem::path folder = is_folder ? path : path.parent_path();
  const std::filesystem::path csv = is_folder ? path / kSamplesFile : path;
  switch (layout) {
    case Layout::kIWildCam:
      return LoadIWildCam(folder, options);
    case Layout::kFmow:
      return LoadFmow(folder, options);
    case Layout::kCsv:
      return LoadLabelledCsv(csv, options);
    case Layout::kTable:
      return path.extension() == ".csv" || !HasFile(folder, kArrayFile)
                 ? LoadCsvTable(csv, options)
                 : LoadNpyTable(folder, options);
    case Layout::kAuto:
      break;
  }
  return absl::InternalError("the layout was not found out");
}

}  // namespace

absl::StatusOr<Layout> ParseLayout(absl::string_view name) {
  const auto found = std::ranges::find(kLayoutNames, name);
  if (found != std::end(kLayoutNames)) {
    return static_cast<Layout>(found - std::begin(kLayoutNames));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("layout: expected ", absl::StrJoin(kLayoutNames, ", "),
                   ", got \"", name, "\""));
}

absl::StatusOr<LoadedDataset> OpenDataset(const std::filesystem::path& path,
                                          const DatasetOptions& options) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  Layout layout = options.layout;
  if (layout == Layout::kAuto) {
    LADDER_ASSIGN_OR_RETURN(layout,
                            is_folder ? DetectFolder(path) : DetectCsv(path));
  }
  LADDER_ASSIGN_OR_RETURN(LoadedDataset loaded,
                          Load(path, is_folder, layout, options));
  DatasetReport& report = loaded.report;
  report.num_samples = static_cast<int64_t>(loaded.dataset.samples.size());
  if (report.num_samples > 0) return loaded;
  return absl::InvalidArgumentError(
      absl::StrCat(path.string(), ": expected samples, found ",
                   report.Summary(), report.messages.empty() ? "" : "; first: ",
                   report.messages.empty() ? "" : report.messages.front()));
}

}  // namespace ladder::trainer
