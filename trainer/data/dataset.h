#ifndef LADDER_TRAINER_DATA_DATASET_H_
#define LADDER_TRAINER_DATA_DATASET_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "model_store/format/manifest.h"

namespace ladder::trainer {

// What a sample is for, as WILDS names it: the source domains' training,
// validation and test data, and the same of domains not trained on.
enum class Split { kTrain, kIdVal, kIdTest, kVal, kTest };

absl::string_view SplitName(Split split);  // "train", "id_val", ...
std::optional<Split> FindSplit(absl::string_view name);

// All that is known of one sample beside its covariates.
struct SampleInfo {
  int64_t label = 0;    // An index into Dataset::classes.
  int64_t domain = 0;   // An index into Dataset::domains.
  int64_t region = -1;  // An index into Dataset::regions, or -1.
  Split split = Split::kTrain;
};

// Reads the covariates of a data set's samples. Thread-safe.
class CovariateReader {
 public:
  virtual ~CovariateReader() = default;

  // Writes the covariates of one sample, of the data set's sample shape, to
  // `x`. A fault (fault.h), naming the sample by file and line, if it is
  // broken; other errors are the machine's. After an error `x` is unspecified.
  virtual absl::Status Read(size_t sample, std::span<float> x) const = 0;
};

// Labelled samples of many domains; covariates are read when they are needed.
// Immutable after loading, and thread-safe.
struct Dataset {
  model_store::InputSpec input = {};
  std::vector<std::string> classes = {};
  std::vector<std::string> domains = {};
  std::vector<std::string> regions = {};  // Groups for evaluation; may be none.
  std::vector<SampleInfo> samples = {};
  // A digest of what the samples' covariates are: the names of their files or
  // their rows in a file; their numbers if these stand in the table itself.
  std::string covariates = {};
  std::shared_ptr<const CovariateReader> reader = nullptr;

  // The number of one sample's covariates.
  size_t sample_size() const;

  // The samples of one split, ascending.
  std::vector<size_t> SamplesOf(Split split) const;
};

// SHA-256 of all that is known of the data set without its reader. Says whether
// two are the same wherever they lie, but for what is in files of covariates,
// which are too much to be read for that.
std::string DigestOf(const Dataset& dataset);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_DATASET_H_
