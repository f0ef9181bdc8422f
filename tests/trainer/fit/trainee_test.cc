#include "trainer/fit/trainee.h"

#include <torch/utils.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/trainer/fit/small_run.h"
#include "trainer/network/weights_file.h"

namespace ladder::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

FitOptions OptionsOf(const std::string& method) {
  FitOptions options = SmallOptions();
  options.method = method;
  return options;
}

// Five samples of source 0 and three of source 2, so that the mean over the
// sources is not the mean over the samples.
BatchTensors SmallBatch(const SmallRun& run) {
  const std::vector<size_t> samples = {0, 1, 2, 3, 4, 80, 81, 83};
  std::vector<int64_t> labels;
  std::vector<int64_t> sources;
  for (const size_t sample : samples) {
    labels.push_back(run.dataset.samples[sample].label);
    sources.push_back(run.dataset.samples[sample].domain);
  }
  return {.x = Covariates(run.dataset, samples),
          .labels = torch::tensor(labels, torch::kLong),
          .sources = torch::tensor(sources, torch::kLong)};
}

double TotalOf(const FitOptions& options, int64_t step) {
  const SmallRun run(options);
  const auto trainee = run.NewTrainee();
  trainee->train();
  return trainee->Loss(SmallBatch(run), step).total.item<double>();
}

// The mean over the two sources of their mean cross-entropy, each sample's
// multiplied by its label's weight.
double PooledCrossEntropy(const SmallRun& run,
                          const std::vector<double>& class_weights) {
  const auto trainee = run.NewTrainee();
  trainee->train();
  const BatchTensors batch = SmallBatch(run);
  const auto codes = trainee->network().Encode(batch.x);
  const torch::Tensor log_probabilities =
      trainee->network().LabelLogits(codes.content.z).log_softmax(1);
  std::map<int64_t, std::vector<double>> losses;
  for (int64_t i = 0; i < batch.labels.size(0); ++i) {
    const auto label = batch.labels[i].item<int64_t>();
    losses[batch.sources[i].item<int64_t>()].push_back(
        -log_probabilities[i][label].item<double>() *
        class_weights[static_cast<size_t>(label)]);
  }
  double total = 0;
  for (const auto& [source, values] : losses) {
    double sum = 0;
    for (const double value : values) sum += value;
    total += sum / static_cast<double>(values.size());
  }
  return total / static_cast<double>(losses.size());
}

TEST(TraineeTest, WeightsFollowFromTheSeed) {
  FitOptions other = SmallOptions();
  other.seed = 1;
  const auto weights = [](const FitOptions& options) {
    return CopyOfWeights(*SmallRun(options).NewTrainee());
  };

  EXPECT_THAT(Differences(weights(SmallOptions()), weights(SmallOptions())),
              IsEmpty());
  EXPECT_THAT(Differences(weights(SmallOptions()), weights(other)),
              Not(IsEmpty()));
}

TEST(TraineeTest, TheBaselinesTrainTheSameNetwork) {
  const NamedTensors erm =
      CopyOfWeights(*SmallRun(OptionsOf("erm")).NewTrainee());
  for (const char* const method : {"irm", "eqrm", "rdm"}) {
    EXPECT_THAT(
        Differences(erm,
                    CopyOfWeights(*SmallRun(OptionsOf(method)).NewTrainee())),
        IsEmpty())
        << method;
  }
  EXPECT_THAT(Differences(erm, CopyOfWeights(
                                   *SmallRun(OptionsOf("dsnr")).NewTrainee())),
              ElementsAre("index.direction", "index.index"));
}

TEST(TraineeTest, TheBaselinesDifferInTheirLoss) {
  const SmallRun run(OptionsOf("erm"));
  const double erm = PooledCrossEntropy(run, {1, 1});
  constexpr int64_t kAfterWarmup = 5;

  EXPECT_NEAR(TotalOf(OptionsOf("erm"), kAfterWarmup), erm, 1e-5);
  std::set<double> totals;
  for (const char* const method : {"erm", "irm", "eqrm", "rdm", "dsnr"}) {
    totals.insert(TotalOf(OptionsOf(method), kAfterWarmup));
  }
  EXPECT_EQ(totals.size(), 5);
}

TEST(TraineeTest, TheLossKnowsTheStep) {
  const SmallRun run(OptionsOf("erm"));

  // RDM warms up as ERM.
  EXPECT_NEAR(TotalOf(OptionsOf("rdm"), 4), PooledCrossEntropy(run, {1, 1}),
              1e-5);
  EXPECT_GT(TotalOf(OptionsOf("rdm"), 5), TotalOf(OptionsOf("rdm"), 4));
}

TEST(TraineeTest, LaddersLossIsTheWeightedSumOfItsParts) {
  const SmallRun run;
  const auto trainee = run.NewTrainee();
  trainee->train();

  const BatchLoss loss = trainee->Loss(SmallBatch(run), 0);

  std::map<std::string, double> parts;
  for (const auto& [name, part] : loss.parts) {
    parts[name] = part.item<double>();
  }
  EXPECT_EQ(parts.size(), 6);
  EXPECT_GT(parts.at("reg"), 0);
  EXPECT_NEAR(parts.at("cls") + 0.15 * parts.at("sd") + 0.03 * parts.at("cd") +
                  5e-4 * parts.at("orth") + 1e-5 * parts.at("reg"),
              loss.total.item<double>(), 1e-5);
  EXPECT_EQ(parts.at("total"), loss.total.item<double>());
}

TEST(TraineeTest, OnlyLadderFitsHeadsAndDrawsItsCodes) {
  for (const char* const method : {"erm", "irm", "eqrm", "rdm", "dsnr"}) {
    const auto baseline = SmallRun(OptionsOf(method)).NewTrainee();
    EXPECT_FALSE(baseline->fits_heads()) << method;
    for (const auto& [name, tensor] : WeightsOf(*baseline)) {
      EXPECT_THAT(name, Not(HasSubstr("log_variance")));
    }
  }
  EXPECT_TRUE(SmallRun().NewTrainee()->fits_heads());
}

TEST(TraineeTest, ThePooledBiasOfDsnrDiffersBySource) {
  const auto trainee = SmallRun(OptionsOf("dsnr")).NewTrainee();
  const torch::Tensor direction = torch::tensor({0.5f, -2.f});
  const torch::Tensor index = torch::tensor({-1.f, 0.f, 0.25f, 3.f});
  {
    const torch::NoGradGuard no_grad;
    trainee->named_parameters()["index.direction"].copy_(direction);
    trainee->named_parameters()["index.index"].copy_(index);
  }

  const torch::Tensor bias = trainee->PooledBias();

  const torch::Tensor common =
      trainee->network().label_classifier().bias.detach();
  for (int64_t source = 0; source < kNumSources; ++source) {
    EXPECT_TRUE(
        torch::allclose(bias[source], common + index[source] * direction))
        << source;
  }
  EXPECT_FALSE(bias.requires_grad());
}

TEST(TraineeTest, ThePooledBiasOfTheOthersIsOne) {
  for (const char* const method : {"ladder", "erm", "irm", "eqrm", "rdm"}) {
    const auto trainee = SmallRun(OptionsOf(method)).NewTrainee();

    const torch::Tensor bias = trainee->PooledBias();

    EXPECT_EQ(bias.sizes().vec(),
              (std::vector<int64_t>{kNumSources, kNumClasses}));
    for (int64_t source = 0; source < kNumSources; ++source) {
      EXPECT_TRUE(torch::equal(bias[source],
                               trainee->network().label_classifier().bias))
          << method;
    }
    EXPECT_TRUE(torch::equal(trainee->PooledWeight(),
                             trainee->network().label_classifier().weight));
  }
}

TEST(TraineeTest, EveryParameterLearnsAtOneOfTheRates) {
  for (const char* const method : {"ladder", "erm", "dsnr"}) {
    const auto trainee = SmallRun(OptionsOf(method)).NewTrainee();
    std::multiset<void*> parts;
    for (const auto& tensor : trainee->EncoderParameters()) {
      parts.insert(tensor.data_ptr());
    }
    for (const auto& tensor : trainee->OtherParameters()) {
      parts.insert(tensor.data_ptr());
    }
    std::multiset<void*> all;
    for (const auto& tensor : trainee->parameters()) {
      all.insert(tensor.data_ptr());
    }

    EXPECT_EQ(parts, all) << method;
    EXPECT_THAT(trainee->EncoderParameters(), Not(IsEmpty()));
  }
}

TEST(TraineeTest, ClassBalancedBaselinesWeighByHowManyThereAre) {
  FitOptions options = OptionsOf("erm");
  options.head_loss = "class-balanced";
  options.class_balance_beta = 0.9;
  Dataset dataset = SmallDataset();
  // Of the 160 training samples 80 have each label; now 85 and 75.
  for (const size_t sample : {1, 3, 5, 7, 9}) dataset.samples[sample].label = 0;
  const SmallRun run(options, dataset);

  const NamedTensors weights = CopyOfWeights(*run.NewTrainee());

  const std::vector<double> expected = {0.1 / (1 - std::pow(0.9, 85)),
                                        0.1 / (1 - std::pow(0.9, 75))};
  ASSERT_EQ(weights.count("class_weights"), 1);
  EXPECT_TRUE(torch::allclose(weights.at("class_weights"),
                              torch::tensor(expected, torch::kFloat)));
  const auto trainee = run.NewTrainee();
  trainee->train();
  EXPECT_NEAR(trainee->Loss(SmallBatch(run), 5).total.item<double>(),
              PooledCrossEntropy(run, expected), 1e-6);
}

TEST(TraineeTest, StageOneOfLadderIsNeverClassBalanced) {
  FitOptions options = SmallOptions();
  options.head_loss = "class-balanced";

  EXPECT_EQ(
      CopyOfWeights(*SmallRun(options).NewTrainee()).count("class_weights"), 0);
}

TEST(TraineeTest, TheBackboneCanStartFromAFile) {
  const TemporaryDirectory directory;
  FitOptions options = SmallOptions();
  options.seed = 7;
  const auto other = SmallRun(options).NewTrainee();
  options.seed = 0;
  options.init = directory.path() / "backbone.safetensors";
  ASSERT_TRUE(
      WriteTensors(WeightsOf(other->network().backbone()), options.init).ok());

  const auto trainee = SmallRun(options).NewTrainee();

  EXPECT_THAT(Differences(CopyOfWeights(other->network().backbone()),
                          CopyOfWeights(trainee->network().backbone())),
              IsEmpty());
  EXPECT_TRUE(torch::equal(trainee->PooledWeight(),
                           SmallRun().NewTrainee()->PooledWeight()));
}

TEST(TraineeTest, NamesTheFileThatTheBackboneCannotStartFrom) {
  SmallRun run;
  run.options.init = "missing.safetensors";

  const auto trainee = Trainee::Create(run.options, run.dataset, run.selection);

  EXPECT_EQ(trainee.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(trainee.status().message()),
              HasSubstr("missing.safetensors"));
}

TEST(CountLabelsTest, CountsTheGivenSamples) {
  const Dataset dataset = SmallDataset();

  EXPECT_THAT(CountLabels(dataset, {0, 1, 2, 4}), ElementsAre(3, 1));
  EXPECT_THAT(CountLabels(dataset, {}), ElementsAre(0, 0));
}

}  // namespace
}  // namespace ladder::trainer
