#ifndef LADDER_TESTS_TRAINER_FIT_SMALL_RUN_H_
#define LADDER_TESTS_TRAINER_FIT_SMALL_RUN_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "tests/temporary_directory.h"
#include "tests/trainer/data/fake_reader.h"
#include "trainer/fit/fit_observer.h"
#include "trainer/fit/fit_options.h"
#include "trainer/fit/representation_stage.h"
#include "trainer/fit/trainee.h"
#include "trainer/network/weights_file.h"

namespace ladder::trainer {

inline constexpr int64_t kNumSources = 4;
inline constexpr int64_t kNumClasses = 2;
inline constexpr int64_t kNumColumns = 4;
inline constexpr size_t kSamplesPerSource = 40;

// A network of few numbers and 50 steps of stage 1, on one thread. `data`,
// `out` and `run` are "unused".
FitOptions SmallOptions();

// Samples of the sources "s0" to "s3", source by source: kSamplesPerSource each
// to train with, then `num_validation` each of the split id_val. The first
// column tells the label, the second the source; all have some noise.
// `on_read` is as FakeReader's.
Dataset SmallDataset(size_t num_validation = 0,
                     FakeReader::OnRead on_read = nullptr);

// The same as a CSV file of layout `table`.
std::string AsTable(const Dataset& dataset);

// The covariates of some samples, one row each.
torch::Tensor Covariates(const Dataset& dataset,
                         const std::vector<size_t>& samples);

// Keeps what it is told.
class RecordingObserver : public FitObserver {
 public:
  void Message(absl::string_view text) override { messages.emplace_back(text); }
  void Progress(const FitProgress& report) override {
    progress.push_back(report);
    if (on_progress != nullptr) on_progress(report);
  }

  // How many messages contain `part`.
  size_t CountMessages(absl::string_view part) const;

  std::vector<std::string> messages;
  std::vector<FitProgress> progress;
  std::function<void(const FitProgress&)> on_progress;
};

// Requests a stop as soon as `stage` reports that `done` are done.
std::function<void(const FitProgress&)> StopAt(std::stop_source& stop,
                                               std::string stage,
                                               uint64_t done);

// All that a stage works with, in an empty run folder of its own.
class SmallRun {
 public:
  explicit SmallRun(const FitOptions& options = SmallOptions(),
                    Dataset dataset = SmallDataset());
  SmallRun(const SmallRun&) = delete;
  SmallRun& operator=(const SmallRun&) = delete;

  FitContext Context();
  std::filesystem::path folder() const { return folder_.path(); }
  // Weights from the seed.
  std::shared_ptr<Trainee> NewTrainee() const;

  FitOptions options;
  Dataset dataset;
  SourceSelection selection;
  RecordingObserver observer;
  BrokenSamples broken;
  std::stop_source stop;

 private:
  TemporaryDirectory folder_;
};

// Copies of all parameters and buffers.
NamedTensors CopyOfWeights(const torch::nn::Module& module);

// The names that only one of them has or whose tensors differ in any bit.
std::vector<std::string> Differences(const NamedTensors& a,
                                     const NamedTensors& b);

std::string Contents(const std::filesystem::path& file);

}  // namespace ladder::trainer

#endif  // LADDER_TESTS_TRAINER_FIT_SMALL_RUN_H_
