#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "base/files/csv.h"
#include "base/files/fault.h"
#include "base/status_macros.h"
#include "trainer/data/covariate_readers.h"
#include "trainer/data/dataset_builder.h"
#include "trainer/data/layouts.h"

namespace ladder::trainer {
namespace {

// The official split is by time: three years of validation before the test.
constexpr int64_t kFirstValYear = 2013;
constexpr int64_t kFirstTestYear = 2016;

constexpr char kOtherRegion[] = "Other";

constexpr char kFmowCategories[] =
    "airport airport_hangar airport_terminal amusement_park aquaculture "
    "archaeological_site barn border_checkpoint burial_site car_dealership "
    "construction_site crop_field dam debris_or_rubble "
    "educational_institution electric_substation factory_or_powerplant "
    "fire_station flooded_road fountain gas_station golf_course "
    "ground_transportation_station helipad hospital impoverished_settlement "
    "interchange lake_or_pond lighthouse military_facility "
    "multi-unit_residential nuclear_powerplant office_building "
    "oil_or_gas_facility park parking_lot_or_garage place_of_worship "
    "police_station port prison race_track railway_bridge "
    "recreational_facility road_bridge runway shipyard shopping_mall "
    "single-unit_residential smokestack solar_farm space_facility stadium "
    "storage_tank surface_mine swimming_pool toll_booth tower "
    "tunnel_opening waste_disposal water_treatment_facility wind_farm zoo";

using Regions = absl::flat_hash_map<std::string, std::string>;

absl::StatusOr<Regions> ReadRegions(const std::filesystem::path& csv) {
  LADDER_ASSIGN_OR_RETURN(base::CsvTable table, base::CsvTable::Open(csv));
  LADDER_ASSIGN_OR_RETURN(const auto columns,
                          table.RequireColumns({"alpha-3", "region"}));
  Regions regions;
  DatasetReport unused;
  LADDER_RETURN_IF_ERROR(ForEachRow(table, OnBroken::kFail, unused, [&] {
    const absl::string_view country = table.field(columns[0]);
    const absl::string_view region = table.field(columns[1]);
    // Antarctica, for one, has no region.
    if (!region.empty()) regions[country] = std::string(region);
    return absl::OkStatus();
  }));
  return regions;
}

absl::StatusOr<int64_t> ParseYear(absl::string_view timestamp) {
  // fMoW itself writes "2015-07-29T08:46:48Z"; the others are what pandas makes
  // of it.
  for (const absl::string_view format :
       {absl::string_view(absl::RFC3339_full),
        absl::string_view("%Y-%m-%d %H:%M:%E*S%Ez"),
        absl::string_view("%Y-%m-%d %H:%M:%E*S")}) {
    absl::Time time;
    if (!absl::ParseTime(format, timestamp, &time, /*err=*/nullptr)) continue;
    const int64_t year = absl::ToCivilYear(time, absl::UTCTimeZone()).year();
    if (year >= 1 && year <= 9999) return year;
  }
  return base::Fault("bad timestamp",
                     absl::StrCat("timestamp: expected one such as "
                                  "2015-07-29T08:46:48Z, found \"",
                                  timestamp, "\""));
}

// The split that a row belongs to, by the split of the original competition and
// the year; none if there is no such split.
std::optional<Split> OfficialSplit(absl::string_view original, int64_t year) {
  if (year < kFirstValYear) {
    if (original == "train") return Split::kTrain;
    return original == "val" ? Split::kIdVal : Split::kIdTest;
  }
  if (year < kFirstTestYear && original == "val") return Split::kVal;
  if (year >= kFirstTestYear && original == "test") return Split::kTest;
  return std::nullopt;
}

// Rows number the pictures, and a malformed one could hide others, after which
// every label would be that of another picture.
absl::Status RefuseMalformedRows(const std::filesystem::path& csv,
                                 const DatasetReport& report) {
  if (!report.broken.contains("malformed")) return absl::OkStatus();
  LADDER_ASSIGN_OR_RETURN(base::CsvTable table, base::CsvTable::Open(csv));
  DatasetReport unused;
  return ForEachRow(table, OnBroken::kFail, unused,
                    [] { return absl::OkStatus(); });
}

// Turns the rows of rgb_metadata.csv into samples.
class FmowRows {
 public:
  FmowRows(std::vector<size_t> columns, Regions regions, ImageFiles files)
      : columns_(std::move(columns)),
        regions_(std::move(regions)),
        files_(std::move(files)) {
    for (const std::string& category : FmowCategories()) {
      labels_.emplace(category, static_cast<int64_t>(labels_.size()));
    }
  }

  absl::Status Add(const base::CsvTable& table, DatasetReport& report) {
    const absl::string_view original = table.field(columns_[0]);
    if (original == "seq") {
      ++report.left_out["sequestered"];
      return absl::OkStatus();
    }
    if (original != "train" && original != "val" && original != "test") {
      return base::Fault(
          "unknown split",
          absl::StrCat("split: expected train, val, test or seq, "
                       "found \"",
                       original, "\""));
    }
    const auto label = labels_.find(table.field(columns_[1]));
    if (label == labels_.end()) {
      return base::Fault("bad label",
                         absl::StrCat("category: expected one of the ",
                                      labels_.size(), " of FMoW, found ", "\"",
                                      table.field(columns_[1]), "\""));
    }
    LADDER_ASSIGN_OR_RETURN(const int64_t year,
                            ParseYear(table.field(columns_[2])));
    const std::optional<Split> split = OfficialSplit(original, year);
    if (!split.has_value()) {
      ++report.left_out["outside the official splits"];
      return absl::OkStatus();
    }
    const auto region = regions_.find(table.field(columns_[3]));
    const std::string file = absl::StrCat("rgb_img_", table.row(), ".png");
    LADDER_RETURN_IF_ERROR(builder_.Add(
        {.label = label->second,
         .domain = absl::StrCat(year),
         .region = region == regions_.end() ? kOtherRegion : region->second,
         .split = *split,
         .covariates = file}));
    files_.entries.push_back({file, table.line()});
    return absl::OkStatus();
  }

  absl::StatusOr<Dataset> Build(const DatasetOptions& options) {
    Dataset dataset = builder_.Build();
    dataset.classes = FmowCategories();
    LADDER_RETURN_IF_ERROR(AttachImages(std::move(files_), options.image,
                                        options.limits, dataset));
    return dataset;
  }

 private:
  std::vector<size_t> columns_;
  Regions regions_;
  ImageFiles files_;
  absl::flat_hash_map<absl::string_view, int64_t> labels_;
  DatasetBuilder builder_;
};

}  // namespace

const std::vector<std::string>& FmowCategories() {
  static const auto* const categories =
      new std::vector<std::string>(absl::StrSplit(kFmowCategories, ' '));
  return *categories;
}

absl::StatusOr<LoadedDataset> LoadFmow(const std::filesystem::path& folder,
                                       const DatasetOptions& options) {
  LADDER_ASSIGN_OR_RETURN(Regions regions,
                          ReadRegions(folder / "country_code_mapping.csv"));
  const std::filesystem::path csv = folder / "rgb_metadata.csv";
  LADDER_ASSIGN_OR_RETURN(base::CsvTable table, base::CsvTable::Open(csv));
  LADDER_ASSIGN_OR_RETURN(
      auto columns,
      table.RequireColumns({"split", "category", "timestamp", "country_code"}));

  FmowRows rows(std::move(columns), std::move(regions),
                {.folder = folder / "images", .list = table.path()});
  LoadedDataset loaded;
  LADDER_RETURN_IF_ERROR(
      ForEachRow(table, options.on_broken, loaded.report,
                 [&] { return rows.Add(table, loaded.report); }));
  LADDER_RETURN_IF_ERROR(RefuseMalformedRows(csv, loaded.report));
  LADDER_ASSIGN_OR_RETURN(loaded.dataset, rows.Build(options));
  return loaded;
}

}  // namespace ladder::trainer
