#include "trainer/fit/fit_options.h"

#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "routing/sinkhorn_options.h"

namespace ladder::trainer {
namespace {

using Json = nlohmann::ordered_json;

class Writer {
 public:
  explicit Writer(Json& json) : json_(json) {}

  void Section(absl::string_view) {}
  template <typename T>
  void operator()(const char* name, const T& value, absl::string_view) {
    json_[name] = value;
  }
  template <typename Enum>
  void operator()(const char* name, const Choice<Enum>& value,
                  absl::string_view) {
    json_[name] = value.text();
  }

 private:
  Json& json_;
};

bool Fits(const Json& json, const std::string&) { return json.is_string(); }
bool Fits(const Json& json, double) { return json.is_number(); }
bool Fits(const Json& json, int64_t) { return json.is_number_integer(); }
bool Fits(const Json& json, uint64_t) {
  return json.is_number_unsigned() ||
         (json.is_number_integer() && json.get<int64_t>() >= 0);
}

absl::string_view TypeName(const std::string&) { return "a string"; }
absl::string_view TypeName(double) { return "a number"; }
absl::string_view TypeName(int64_t) { return "an integer"; }
absl::string_view TypeName(uint64_t) { return "a non-negative integer"; }

class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  void Section(absl::string_view) {}
  template <typename T>
  void operator()(const char* name, T& value, absl::string_view) {
    known_.insert(name);
    const auto found = json_.find(name);
    if (found == json_.end()) return;
    if (Fits(*found, value)) {
      value = found->template get<T>();
    } else {
      status_.Update(absl::InvalidArgumentError(absl::StrCat(
          name, ": expected ", TypeName(value), ", got ", found->dump())));
    }
  }
  template <typename Enum>
  void operator()(const char* name, Choice<Enum>& value,
                  absl::string_view meaning) {
    std::string text = value.text();
    (*this)(name, text, meaning);
    value = text;
  }

  absl::Status Finish() {
    for (const auto& [name, value] : json_.items()) {
      if (known_.count(name) > 0) continue;
      status_.Update(absl::InvalidArgumentError(
          absl::StrCat(name,
                       ": expected an option of fit (ladder-train fit "
                       "--help lists them), got an unknown one")));
    }
    return status_;
  }

 private:
  const Json& json_;
  std::set<std::string> known_;
  absl::Status status_;
};

template <typename Enum>
absl::Status OneOf(absl::string_view name, const Choice<Enum>& choice) {
  if (choice.has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected ", absl::StrJoin(NamesOf(Enum{}), ", "),
                   ", got \"", choice.text(), "\""));
}

template <typename T>
absl::Status AtLeast(absl::string_view name, T value, T lowest) {
  if (value >= lowest) return absl::OkStatus();  // False for NaN.
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected at least ", lowest, ", got ", value));
}

absl::Status Positive(absl::string_view name, double value) {
  if (value > 0 && std::isfinite(value)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected a positive number, got ", value));
}

absl::Status Given(absl::string_view name, absl::string_view value) {
  if (!value.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ": expected, got none"));
}

constexpr absl::string_view kFitMethodNames[] = {"ladder", "erm", "irm",
                                                 "eqrm",   "rdm", "dsnr"};
constexpr absl::string_view kRegularizerNames[] = {"kl", "none"};
constexpr absl::string_view kHeadLossNames[] = {"ce", "class-balanced"};
constexpr absl::string_view kHeadStartNames[] = {"pooled", "zero"};
constexpr absl::string_view kOnBrokenNames[] = {"skip", "fail"};

}  // namespace

using ChoiceNames = std::span<const absl::string_view>;
ChoiceNames NamesOf(FitMethod) { return kFitMethodNames; }
ChoiceNames NamesOf(Regularizer) { return kRegularizerNames; }
ChoiceNames NamesOf(HeadLoss) { return kHeadLossNames; }
ChoiceNames NamesOf(HeadStart) { return kHeadStartNames; }
ChoiceNames NamesOf(OnBroken) { return kOnBrokenNames; }

absl::Status FitOptions::Validate() const {
  const absl::Status checks[] = {
      Given("data", data),
      Given("out", out),
      OneOf("on-broken", on_broken),
      OneOf("regularizer", regularizer),
      OneOf("method", method),
      OneOf("head-loss", head_loss),
      OneOf("head-start", head_start),
      AtLeast<int64_t>("image-size", image_size, 1),
      AtLeast<double>("cache-gib", cache_gib, 0),
      AtLeast<int64_t>("loader-threads", loader_threads, 0),
      AtLeast<int64_t>("epochs", epochs, 1),
      AtLeast<int64_t>("batch-size", batch_size, 1),
      AtLeast<int64_t>("domains-per-step", domains_per_step, 1),
      AtLeast<int64_t>("steps-per-epoch", steps_per_epoch, 0),
      AtLeast<int64_t>("head-epochs", head_epochs, 1),
      AtLeast<int64_t>("warmup-steps", warmup_steps, 0),
      AtLeast<int64_t>("k", k, 0),
      AtLeast<int64_t>("max-style-samples", max_style_samples, 1),
      AtLeast<int64_t>("threads", threads, 0),
      AtLeast<int64_t>("checkpoint-steps", checkpoint_steps, 0),
      AtLeast<double>("weight-decay", weight_decay, 0),
      AtLeast<double>("lambda-style", lambda_style, 0),
      AtLeast<double>("lambda-adversarial", lambda_adversarial, 0),
      AtLeast<double>("lambda-orthogonality", lambda_orthogonality, 0),
      AtLeast<double>("lambda-regularization", lambda_regularization, 0),
      AtLeast<double>("irm-weight", irm_weight, 0),
      AtLeast<double>("rdm-weight", rdm_weight, 0),
      Positive("encoder-lr", encoder_lr),
      Positive("head-lr", head_lr),
      Positive("tau", tau),
      routing::SinkhornOptions{.blur = blur, .scaling = scaling}.Validate()};
  for (const absl::Status& check : checks) {
    if (!check.ok()) return check;
  }
  if (!(eqrm_quantile >= 0 && eqrm_quantile <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "eqrm-quantile: expected a number in [0, 1], got ", eqrm_quantile));
  }
  if (!(class_balance_beta >= 0 && class_balance_beta < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("class-balance-beta: expected a number in [0, 1), got ",
                     class_balance_beta));
  }
  if (batch_size % domains_per_step != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("batch-size: expected a multiple of domains-per-step, ",
                     domains_per_step, ", got ", batch_size));
  }
  return absl::OkStatus();
}

Json ToJson(const FitOptions& options) {
  Json json = Json::object();
  VisitFitOptions(options, Writer(json));
  return json;
}

absl::Status FromJson(const Json& json, FitOptions& options) {
  if (!json.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an object of options, got ", json.type_name()));
  }
  FitOptions changed = options;
  Reader reader(json);
  VisitFitOptions(changed, reader);
  absl::Status status = reader.Finish();
  if (status.ok()) options = changed;
  return status;
}

}  // namespace ladder::trainer
