#ifndef LADDER_TRAINER_DATA_OPEN_DATASET_H_
#define LADDER_TRAINER_DATA_OPEN_DATASET_H_

#include <filesystem>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "imaging/decode_limits.h"
#include "model_store/format/manifest.h"
#include "trainer/data/dataset.h"
#include "trainer/data/dataset_report.h"

namespace ladder::trainer {

// The layouts of data sets on disk; docs/data.md describes each.
enum class Layout { kAuto, kIWildCam, kFmow, kCsv, kTable };

// The layout called "auto", "iwildcam", "fmow", "csv" or "table".
// InvalidArgument, listing the names, for another one.
absl::StatusOr<Layout> ParseLayout(absl::string_view name);

struct DatasetOptions {
  Layout layout = Layout::kAuto;  // kAuto: found out by the files there are.
  // What pictures become. The default is what networks trained on ImageNet
  // expect.
  model_store::ImageInput image = {.height = 224,
                                   .width = 224,
                                   .mean = {0.485f, 0.456f, 0.406f},
                                   .std = {0.229f, 0.224f, 0.225f}};
  imaging::DecodeLimits limits = {};
  // What to do about broken rows. Samples that cannot be read show only when
  // they are read.
  OnBroken on_broken = OnBroken::kSkip;
};

struct LoadedDataset {
  Dataset dataset = {};
  DatasetReport report = {};
};

// Reads what describes the data set at `path`, a folder or a CSV file; no
// covariates. InvalidArgument, naming file and line, if it is in no known
// layout, lacks a column, has a broken row (with kFail) or no sample at all.
absl::StatusOr<LoadedDataset> OpenDataset(const std::filesystem::path& path,
                                          const DatasetOptions& options);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_OPEN_DATASET_H_
