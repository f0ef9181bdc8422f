#include "trainer/fit/fit_options.h"

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::trainer {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

FitOptions ValidOptions() {
  FitOptions options;
  options.data = "data";
  options.out = "store/model";
  return options;
}

// Makes every option another one than it is by default.
struct Changer {
  void Section(const char*) {}
  void operator()(const char*, std::string& value, const char*) {
    value += "-changed";
  }
  template <typename Enum>
  void operator()(const char*, Choice<Enum>& value, const char*) {
    value = value.text() + "x";
  }
  void operator()(const char*, double& value, const char*) {
    value = value / 3 + 0.001;
  }
  template <typename Integer>
  void operator()(const char*, Integer& value, const char*) {
    value += 17;
  }
};

TEST(FitOptionsTest, DefaultsAreThePapers) {
  const FitOptions options;

  EXPECT_EQ(options.lambda_style, 0.15);
  EXPECT_EQ(options.lambda_adversarial, 0.03);
  EXPECT_EQ(options.lambda_orthogonality, 5e-4);
  EXPECT_EQ(options.lambda_regularization, 1e-5);
  EXPECT_EQ(options.encoder_lr, 1e-4);
  EXPECT_EQ(options.head_lr, 1e-3);
  EXPECT_EQ(options.weight_decay, 1e-4);
  EXPECT_EQ(options.batch_size, 32);
  EXPECT_EQ(options.domains_per_step, 4);
  EXPECT_EQ(options.content_dimension, 512);
  EXPECT_EQ(options.style_dimension, 128);
  EXPECT_EQ(options.max_style_samples, 1024);
  EXPECT_EQ(options.blur, 0.05);
  EXPECT_EQ(options.scaling, 0.8);
  EXPECT_EQ(options.class_balance_beta, 0.999);
}

TEST(FitOptionsTest, DefaultsAreValidWithDataAndOut) {
  EXPECT_TRUE(ValidOptions().Validate().ok()) << ValidOptions().Validate();
}

TEST(FitOptionsTest, SurviveARoundTripThroughJson) {
  FitOptions options;
  VisitFitOptions(options, Changer());
  options.seed = std::numeric_limits<uint64_t>::max();
  const Json json = Json::parse(ToJson(options).dump());

  FitOptions read;
  const absl::Status status = FromJson(json, read);

  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(ToJson(read), ToJson(options));
  const Json defaults = ToJson(FitOptions());
  for (const auto& [name, value] : defaults.items()) {
    EXPECT_NE(json.at(name), value) << name;
  }
}

TEST(FitOptionsTest, JsonChangesOnlyWhatItNames) {
  FitOptions options;

  ASSERT_TRUE(FromJson({{"k", 3}, {"tau", 1}}, options).ok());

  EXPECT_EQ(options.k, 3);
  EXPECT_EQ(options.tau, 1.0);  // An integer is a number too.
  options.k = FitOptions().k;
  options.tau = FitOptions().tau;
  EXPECT_EQ(ToJson(options), ToJson(FitOptions()));
}

TEST(FitOptionsTest, RefuseAnUnknownName) {
  FitOptions options;

  const absl::Status status = FromJson({{"k", 3}, {"kk", 4}}, options);

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), StartsWith("kk: expected"));
  EXPECT_EQ(options.k, FitOptions().k) << "set in spite of the error";
}

TEST(FitOptionsTest, RefuseAnotherType) {
  const auto error = [](const Json& json) {
    FitOptions options;
    const absl::Status status = FromJson(json, options);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(ToJson(options), ToJson(FitOptions()));
    return std::string(status.message());
  };

  EXPECT_EQ(error({{"method", 1}}), "method: expected a string, got 1");
  EXPECT_EQ(error({{"tau", "x"}}), "tau: expected a number, got \"x\"");
  EXPECT_EQ(error({{"k", 1.5}}), "k: expected an integer, got 1.5");
  EXPECT_EQ(error({{"seed", -1}}),
            "seed: expected a non-negative integer, got -1");
  EXPECT_THAT(error(Json::array()), HasSubstr("got array"));
}

struct BadValue {
  std::function<void(FitOptions&)> set;
  const char* error;
};

TEST(FitOptionsTest, EveryBadValueIsNamed) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<BadValue> cases = {
      {[](auto& o) { o.data = ""; }, "data: expected, got none"},
      {[](auto& o) { o.out = ""; }, "out: expected, got none"},
      {[](auto& o) { o.on_broken = "x"; },
       "on-broken: expected skip, fail, got \"x\""},
      {[](auto& o) { o.regularizer = "l2"; }, "regularizer: expected kl, none"},
      {[](auto& o) { o.method = "LADDER"; },
       "method: expected ladder, erm, irm, eqrm, rdm, dsnr, got \"LADDER\""},
      {[](auto& o) { o.head_loss = ""; }, "head-loss: expected"},
      {[](auto& o) { o.head_start = "x"; }, "head-start: expected"},
      {[](auto& o) { o.image_size = 0; },
       "image-size: expected at least 1, got 0"},
      {[](auto& o) { o.cache_gib = -1; },
       "cache-gib: expected at least 0, got -1"},
      {[](auto& o) { o.loader_threads = -1; }, "loader-threads: expected"},
      {[](auto& o) { o.epochs = 0; }, "epochs: expected at least 1, got 0"},
      {[](auto& o) { o.steps_per_epoch = -1; }, "steps-per-epoch: expected"},
      {[](auto& o) { o.batch_size = 0; }, "batch-size: expected at least 1"},
      {[](auto& o) { o.domains_per_step = 0; },
       "domains-per-step: expected at least 1, got 0"},
      {[](auto& o) { o.batch_size = 30; },
       "batch-size: expected a multiple of domains-per-step, 4, got 30"},
      {[](auto& o) { o.head_epochs = 0; }, "head-epochs: expected at least 1"},
      {[](auto& o) { o.warmup_steps = -1; }, "warmup-steps: expected"},
      {[](auto& o) { o.k = -1; }, "k: expected at least 0, got -1"},
      {[](auto& o) { o.max_style_samples = 0; },
       "max-style-samples: expected at least 1"},
      {[](auto& o) { o.threads = -1; }, "threads: expected"},
      {[](auto& o) { o.checkpoint_steps = -1; }, "checkpoint-steps: expected"},
      {[](auto& o) { o.weight_decay = -1; }, "weight-decay: expected"},
      {[](auto& o) { o.lambda_style = kNan; },
       "lambda-style: expected at least 0, got nan"},
      {[](auto& o) { o.lambda_adversarial = -1; }, "lambda-adversarial: exp"},
      {[](auto& o) { o.lambda_orthogonality = -1; }, "lambda-orthogonality: "},
      {[](auto& o) { o.lambda_regularization = -1; }, "lambda-regularization"},
      {[](auto& o) { o.irm_weight = -1; }, "irm-weight: expected"},
      {[](auto& o) { o.rdm_weight = -1; }, "rdm-weight: expected"},
      {[](auto& o) { o.encoder_lr = 0; },
       "encoder-lr: expected a positive number, got 0"},
      {[](auto& o) { o.head_lr = kInfinity; },
       "head-lr: expected a positive number, got inf"},
      {[](auto& o) { o.tau = -0.5; },
       "tau: expected a positive number, got -0.5"},
      {[](auto& o) { o.eqrm_quantile = 1.5; },
       "eqrm-quantile: expected a number in [0, 1], got 1.5"},
      {[](auto& o) { o.class_balance_beta = 1; },
       "class-balance-beta: expected a number in [0, 1), got 1"},
      {[](auto& o) { o.blur = 0; }, "blur must be positive and finite, got 0"},
      {[](auto& o) { o.scaling = 1; },
       "scaling must lie between 0 and 1, got 1"}};
  for (const BadValue& bad : cases) {
    FitOptions options = ValidOptions();
    bad.set(options);

    const absl::Status status = options.Validate();

    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad.error;
    EXPECT_THAT(std::string(status.message()), StartsWith(bad.error));
  }
}

}  // namespace
}  // namespace ladder::trainer
