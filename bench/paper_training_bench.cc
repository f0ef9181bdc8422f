// Measures what the stages of training take for either of the paper's settings:
// ResNet-50 on random pictures of 224 x 224, batches of 32 from four sources. A
// step of stage 1 by every method, encoding with frozen encoders, the update of
// a head, and the sources' geometry are measured, in processor time of one
// thread; what a whole run would take follows from how many the setting has of
// each.
//
//   paper_training_bench [ROUNDS]

#include <ATen/Parallel.h>
#include <torch/optim/adamw.h>
#include <torch/utils.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/measure.h"
#include "bench/paper_settings.h"
#include "trainer/fit/source_stage.h"
#include "trainer/fit/stack_builder.h"
#include "trainer/fit/trainee.h"

namespace ladder::bench {
namespace {

using namespace ladder::trainer;  // NOLINT: a program of one file.

constexpr int64_t kPerSource = 8;  // Samples of a source in a step.
constexpr int64_t kDomainsPerStep = 4;
constexpr int64_t kEvaluationBatch = 64;
constexpr int64_t kAfterWarmup = 1000;  // Penalties have their full weight.

// A data set of the setting's shape, without pictures.
struct World {
  explicit World(const PaperSetting& setting) {
    dataset.input = model_store::ImageInput{.height = 224,
                                            .width = 224,
                                            .mean = {0.485F, 0.456F, 0.406F},
                                            .std = {0.229F, 0.224F, 0.225F}};
    for (size_t c = 0; c < setting.num_classes; ++c) {
      dataset.classes.push_back(absl::StrCat("class ", c));
    }
    for (size_t e = 0; e < setting.num_sources; ++e) {
      const auto source = static_cast<int64_t>(e);
      dataset.domains.push_back(absl::StrCat("source ", e));
      selection.domain_of_source.push_back(source);
      selection.source_of_domain.push_back(source);
      auto& samples = selection.samples.emplace_back();
      for (size_t c = 0; c < setting.num_classes; ++c) {
        samples.push_back(dataset.samples.size());
        dataset.samples.push_back(
            {.label = static_cast<int64_t>(c), .domain = source});
      }
    }
  }

  Dataset dataset;
  SourceSelection selection;
};

FitOptions OptionsOf(const PaperSetting& setting, const std::string& method) {
  return {.data = "none",
          .method = method,
          .epochs = setting.epochs,
          .steps_per_epoch = setting.steps_per_epoch,
          .head_epochs = setting.head_epochs,
          .head_loss = setting.head_loss,
          .out = "none/none"};
}

BatchTensors RandomBatch(const PaperSetting& setting) {
  const int64_t size = kDomainsPerStep * kPerSource;
  return {.x = torch::randn({size, 3, 224, 224}),
          .labels = torch::randint(static_cast<int64_t>(setting.num_classes),
                                   {size}, torch::kLong),
          .sources = torch::arange(kDomainsPerStep, torch::kLong)
                         .repeat_interleave(kPerSource)};
}

// One method's network and optimizer.
class TrainedMethod {
 public:
  TrainedMethod(const PaperSetting& setting, const World& world,
                const std::string& name)
      : name_(name),
        trainee_(ValueOrDie(Trainee::Create(OptionsOf(setting, name),
                                            world.dataset, world.selection))),
        optimizer_(trainee_->parameters(), torch::optim::AdamWOptions(1e-4)) {}

  void Step(const BatchTensors& batch) {
    trainee_->train();
    optimizer_.zero_grad();
    trainee_->Loss(batch, kAfterWarmup).total.backward();
    optimizer_.step();
  }

  void Encode(const torch::Tensor& x) {
    const torch::NoGradGuard no_grad;
    trainee_->eval();
    trainee_->network().Encode(x);
  }

  const std::string& name() const { return name_; }
  std::vector<double>& seconds() { return seconds_; }

 private:
  std::string name_;
  std::shared_ptr<Trainee> trainee_;
  torch::optim::AdamW optimizer_;
  std::vector<double> seconds_;
};

// The time of one update of a head, with the batch that stage 2 gives it.
double UpdateSeconds(const PaperSetting& setting) {
  constexpr uint64_t kUpdates = 500;
  constexpr int64_t kSamples = 2048;
  const auto classes = static_cast<int64_t>(setting.num_classes);
  const torch::Tensor content = torch::randn({kSamples, 512});
  const torch::Tensor labels =
      torch::randint(classes, {kSamples}, torch::kLong);
  const Head start = {torch::zeros({classes, 512}), torch::zeros({classes})};
  return ProcessorTime([&] {
           FitHead(content, labels, start,
                   {.num_updates = kUpdates, .batch_size = kPerSource});
         }) /
         kUpdates;
}

// The time of fingerprints, distances between sources and calibration of
// coverage.
double GeometrySeconds(const PaperSetting& setting, const World& world) {
  const auto classes = static_cast<int64_t>(setting.num_classes);
  std::vector<SourceSummary> summaries;
  for (size_t e = 0; e < setting.num_sources; ++e) {
    summaries.push_back({.weight = torch::zeros({classes, 512}),
                         .bias = torch::zeros({classes}),
                         .style = torch::randn({1024, 128}),
                         .held_out = torch::randn({1024, 128})});
  }
  return ProcessorTime([&] {
    ValueOrDie(BuildStack(OptionsOf(setting, "ladder"), world.dataset,
                          world.selection, summaries, {}));
  });
}

void Report(const PaperSetting& setting, int rounds) {
  const World world(setting);
  const BatchTensors batch = RandomBatch(setting);
  const torch::Tensor pictures = torch::randn({kEvaluationBatch, 3, 224, 224});
  std::vector<std::unique_ptr<TrainedMethod>> methods;
  for (const char* const name :
       {"erm", "irm", "eqrm", "dsnr", "rdm", "ladder"}) {
    methods.push_back(std::make_unique<TrainedMethod>(setting, world, name));
    methods.back()->Step(batch);  // Warms up.
  }
  TrainedMethod& ladder = *methods.back();
  ladder.Encode(pictures);
  std::vector<double> encode;
  std::vector<double> update;
  for (int round = 0; round < rounds; ++round) {
    for (const auto& method : methods) {
      method->seconds().push_back(ProcessorTime([&] { method->Step(batch); }));
    }
    encode.push_back(ProcessorTime([&] { ladder.Encode(pictures); }) /
                     kEvaluationBatch);
    update.push_back(UpdateSeconds(setting));
  }

  const double steps =
      static_cast<double>(setting.epochs * setting.steps_per_epoch);
  const double updates = static_cast<double>(
      setting.head_epochs * setting.steps_per_epoch * kDomainsPerStep);
  const double erm = Median(methods.front()->seconds());
  std::printf("%s: %.0f steps of stage 1, medians of %d rounds\n", setting.name,
              steps, rounds);
  for (const auto& method : methods) {
    const double seconds = Median(method->seconds());
    std::printf("  %-8s %7.3f s a step, %.3f of ERM's, %6.2f h\n",
                method->name().c_str(), seconds, seconds / erm,
                seconds * steps / 3600);
  }
  const double stage1 = Median(ladder.seconds()) * steps;
  const double encoding =
      Median(encode) * static_cast<double>(setting.training_samples);
  const double updating = Median(update) * updates;
  const double geometry = GeometrySeconds(setting, world);
  const double evaluation =
      Median(encode) * static_cast<double>(setting.evaluation_samples);
  const auto share = [&](const char* part, double seconds, double paper) {
    std::printf("  %-40s %9.1f s %7.4f of stage 1, paper %.3f\n", part, seconds,
                seconds / stage1, paper / setting.paper_representation);
  };
  share("heads: encoding once", encoding, setting.paper_heads);
  share("heads: updates on the codes", updating, setting.paper_heads);
  share("heads", encoding + updating, setting.paper_heads);
  share("fingerprints, geometry, calibration", geometry,
        setting.paper_summaries);
  share("evaluation: encoding", evaluation, setting.paper_evaluation);
  const double paper_ladder = setting.paper_representation +
                              setting.paper_heads + setting.paper_summaries +
                              setting.paper_evaluation;
  std::printf("  all of LADDER against all of ERM: %.2f, paper %.2f\n\n",
              (stage1 + encoding + updating + geometry + evaluation) /
                  (erm * steps + evaluation),
              paper_ladder / setting.paper_erm);
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  at::set_num_threads(1);
  torch::manual_seed(7);
  for (const auto& setting : ladder::bench::kPaperSettings) {
    ladder::bench::Report(setting, rounds);
    std::fflush(stdout);
  }
}
