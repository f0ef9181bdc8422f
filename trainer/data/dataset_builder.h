#ifndef LADDER_TRAINER_DATA_DATASET_BUILDER_H_
#define LADDER_TRAINER_DATA_DATASET_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/files/csv.h"
#include "trainer/data/dataset.h"

namespace ladder::trainer {

// Numbers the names of classes, domains or regions as they come, and in the end
// puts them in an order that does not depend on the order of the rows.
class Names {
 public:
  // The number of this name, a new one if it has not come before: 0, 1, ...
  int64_t Number(absl::string_view name);

  size_t size() const { return names_.size(); }

  // Sorts by value if all are decimal integers, else by bytes.
  struct Sorted {
    std::vector<std::string> names = {};
    std::vector<int64_t> rank = {};  // Where the name of each number is now.
  };
  Sorted Sort() const;

 private:
  absl::flat_hash_map<std::string, int64_t> numbers_;
  std::vector<std::string> names_;
};

// Names travel into the bundle and must be what its manifest accepts: 1 to 256
// bytes of UTF-8 without control characters. A fault (fault.h) that begins with
// `what` otherwise: "missing value" or "bad name".
absl::Status CheckName(absl::string_view what, absl::string_view name);

// A row of a data set's description. Domain and region are names; a region that
// is empty is none.
struct SampleRow {
  int64_t label = 0;
  absl::string_view domain = {};
  absl::string_view region = {};
  Split split = Split::kTrain;
  absl::string_view covariates = {};  // What Dataset::covariates is made of.
};

// Collects rows and gives domains and regions their final numbers.
class DatasetBuilder {
 public:
  // A fault (fault.h) if a name cannot be used; then nothing has changed.
  absl::Status Add(const SampleRow& row);

  size_t num_samples() const { return samples_.size(); }

  // The samples with domains, regions and the digest of their covariates;
  // classes, input and reader are the caller's to fill. The builder is empty
  // afterwards.
  Dataset Build();

 private:
  std::vector<SampleInfo> samples_;
  std::string covariates_;  // Those of all rows so far.
  Names domains_;
  Names regions_;
};

// The columns "label", "domain", "split" and, optionally, "region" of the
// layouts that are our own, and the samples that their rows become.
class SampleColumns {
 public:
  // InvalidArgument, as CsvTable::RequireColumn, if one is missing.
  static absl::StatusOr<SampleColumns> Find(const base::CsvTable& table);

  // True if the column is one of these.
  bool Include(size_t column) const;

  // Takes the row at hand as a sample with these covariates, see SampleRow. A
  // fault (fault.h) if it is broken; then nothing has changed.
  absl::Status AddRow(const base::CsvTable& table,
                      absl::string_view covariates);

  // All samples with their classes, domains and regions; input and reader are
  // the caller's to fill. Nothing is left afterwards.
  Dataset Build();

 private:
  size_t label_ = 0;
  size_t domain_ = 0;
  size_t split_ = 0;
  std::optional<size_t> region_;
  Names classes_;
  std::vector<int64_t> labels_;  // Numbers of classes_, one for each sample.
  DatasetBuilder builder_;
};

// The split of this name. A fault (fault.h) if there is none.
absl::StatusOr<Split> ParseSplit(absl::string_view name);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_DATASET_BUILDER_H_
