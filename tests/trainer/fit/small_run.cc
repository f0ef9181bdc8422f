#include "tests/trainer/fit/small_run.h"

#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "routing/counter_rng.h"
#include "trainer/network/weights_file.h"

namespace ladder::trainer {
namespace {

// The noise in column `column` of a sample, in [-1, 1).
float Noise(size_t sample, size_t column) {
  const uint64_t draw = routing::CounterRng(11).Below(
      2000, sample * static_cast<size_t>(kNumColumns) + column);
  return static_cast<float>(draw) / 1000 - 1;
}

class SmallReader : public CovariateReader {
 public:
  SmallReader(std::vector<SampleInfo> samples, FakeReader::OnRead on_read)
      : samples_(std::move(samples)), on_read_(std::move(on_read)) {}

  absl::Status Read(size_t sample, std::span<float> x) const override {
    if (on_read_ != nullptr) {
      absl::Status status = on_read_(sample);
      if (!status.ok()) return status;
    }
    for (size_t i = 0; i < x.size(); ++i) x[i] = Noise(sample, i);
    x[0] += 3 * static_cast<float>(samples_[sample].label);
    x[1] += 2 * static_cast<float>(samples_[sample].domain);
    return absl::OkStatus();
  }

 private:
  std::vector<SampleInfo> samples_;
  FakeReader::OnRead on_read_;
};

}  // namespace

FitOptions SmallOptions() {
  FitOptions options;
  options.data = "unused";
  options.layout = "table";
  options.cache_gib = 0.01;
  options.loader_threads = 1;
  options.backbone = "mlp";
  options.content_dimension = 6;
  options.style_dimension = 3;
  options.epochs = 1;
  options.steps_per_epoch = 50;
  options.batch_size = 8;
  options.domains_per_step = 2;
  options.encoder_lr = 1e-3;
  options.head_lr = 1e-2;
  options.head_epochs = 1;
  options.warmup_steps = 5;
  options.max_style_samples = 16;
  options.device = "cpu";
  options.threads = 1;
  options.checkpoint_steps = 0;
  options.out = "unused";
  options.run = "unused";
  return options;
}

Dataset SmallDataset(size_t num_validation, FakeReader::OnRead on_read) {
  Dataset dataset;
  dataset.input = model_store::TensorInput{.shape = {kNumColumns}};
  dataset.classes = {"c0", "c1"};
  for (int64_t source = 0; source < kNumSources; ++source) {
    dataset.domains.push_back(absl::StrCat("s", source));
  }
  const auto add = [&](Split split, size_t count) {
    for (int64_t source = 0; source < kNumSources; ++source) {
      for (size_t i = 0; i < count; ++i) {
        dataset.samples.push_back(
            {.label = static_cast<int64_t>(i) % kNumClasses,
             .domain = source,
             .split = split});
      }
    }
  };
  add(Split::kTrain, kSamplesPerSource);
  add(Split::kIdVal, num_validation);
  dataset.reader =
      std::make_shared<SmallReader>(dataset.samples, std::move(on_read));
  return dataset;
}

std::string AsTable(const Dataset& dataset) {
  std::string csv = "label,domain,split";
  for (size_t i = 0; i < dataset.sample_size(); ++i) {
    absl::StrAppend(&csv, ",x", i);
  }
  absl::StrAppend(&csv, "\n");
  std::vector<float> x(dataset.sample_size());
  for (size_t sample = 0; sample < dataset.samples.size(); ++sample) {
    const SampleInfo& info = dataset.samples[sample];
    dataset.reader->Read(sample, x).IgnoreError();
    absl::StrAppend(&csv, dataset.classes[static_cast<size_t>(info.label)], ",",
                    dataset.domains[static_cast<size_t>(info.domain)], ",",
                    SplitName(info.split));
    for (const float value : x) absl::StrAppend(&csv, ",", value);
    absl::StrAppend(&csv, "\n");
  }
  return csv;
}

torch::Tensor Covariates(const Dataset& dataset,
                         const std::vector<size_t>& samples) {
  const auto width = static_cast<int64_t>(dataset.sample_size());
  torch::Tensor rows =
      torch::zeros({static_cast<int64_t>(samples.size()), width});
  for (size_t i = 0; i < samples.size(); ++i) {
    float* const row = rows[static_cast<int64_t>(i)].data_ptr<float>();
    dataset.reader->Read(samples[i], {row, dataset.sample_size()})
        .IgnoreError();
  }
  return rows;
}

size_t RecordingObserver::CountMessages(absl::string_view part) const {
  size_t count = 0;
  for (const std::string& message : messages) {
    if (absl::StrContains(message, part)) ++count;
  }
  return count;
}

std::function<void(const FitProgress&)> StopAt(std::stop_source& stop,
                                               std::string stage,
                                               uint64_t done) {
  return [&stop, stage = std::move(stage), done](const FitProgress& report) {
    if (report.stage == stage && report.done == done) stop.request_stop();
  };
}

SmallRun::SmallRun(const FitOptions& run_options, Dataset run_dataset)
    : options(run_options),
      dataset(std::move(run_dataset)),
      selection(SelectSources(dataset, {}).value()) {}

FitContext SmallRun::Context() {
  return {.options = options,
          .dataset = dataset,
          .selection = selection,
          .device = torch::kCPU,
          .run = folder(),
          .observer = observer,
          .broken = broken,
          .stop = stop.get_token()};
}

std::shared_ptr<Trainee> SmallRun::NewTrainee() const {
  return Trainee::Create(options, dataset, selection).value();
}

NamedTensors CopyOfWeights(const torch::nn::Module& module) {
  NamedTensors copies;
  for (const auto& [name, tensor] : WeightsOf(module)) {
    copies.emplace(name, tensor.detach().clone());
  }
  return copies;
}

std::vector<std::string> Differences(const NamedTensors& a,
                                     const NamedTensors& b) {
  std::set<std::string> names;
  for (const auto& [name, tensor] : a) {
    const auto other = b.find(name);
    if (other == b.end() || !torch::equal(tensor, other->second)) {
      names.insert(name);
    }
  }
  for (const auto& [name, tensor] : b) {
    if (a.count(name) == 0) names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::string Contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace ladder::trainer
