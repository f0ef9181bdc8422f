#ifndef LADDER_TRAINER_FIT_FIT_OPTIONS_H_
#define LADDER_TRAINER_FIT_FIT_OPTIONS_H_

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "trainer/data/dataset_report.h"

namespace ladder::trainer {

// Stage 1 learns as LADDER does or as one of the baselines.
enum class FitMethod { kLadder, kErm, kIrm, kEqrm, kRdm, kDsnr };
enum class Regularizer { kKl, kNone };
enum class HeadLoss { kCrossEntropy, kClassBalanced };
enum class HeadStart { kPooled, kZero };

// The words that people write for the values of an enum, in its order.
std::span<const absl::string_view> NamesOf(FitMethod);
std::span<const absl::string_view> NamesOf(Regularizer);
std::span<const absl::string_view> NamesOf(HeadLoss);
std::span<const absl::string_view> NamesOf(HeadStart);
std::span<const absl::string_view> NamesOf(OnBroken);

// An option that takes one of the values of an enum. A text that names none of
// them is kept as it came, so that FitOptions::Validate can show it.
template <typename Enum>
class Choice {
 public:
  // Not explicit, so that options are set by a value or as people write it.
  Choice(Enum value)
      : text_(NamesOf(value)[static_cast<size_t>(value)]), value_(value) {}
  Choice(const std::convertible_to<absl::string_view> auto& text)
      : text_(absl::string_view(text)) {
    const auto names = NamesOf(Enum{});
    const auto found = std::find(names.begin(), names.end(), text_);
    if (found != names.end()) value_ = static_cast<Enum>(found - names.begin());
  }

  const std::string& text() const { return text_; }
  bool has_value() const { return value_.has_value(); }
  // Expects that there is one, as there is in options that are valid.
  Enum value() const { return *value_; }

  friend bool operator==(const Choice& choice, Enum value) {
    return choice.value_ == value;
  }

 private:
  std::string text_;
  std::optional<Enum> value_;
};

// All that a training run can be told. The defaults are the paper's, its
// iWildCam run where it has two. VisitFitOptions below has each option's name
// and meaning.
struct FitOptions {
  std::string data = {};
  std::string layout = "auto";
  int64_t image_size = 224;
  Choice<OnBroken> on_broken = OnBroken::kSkip;
  int64_t min_source_samples = 1;
  int64_t max_sources = 0;
  double cache_gib = 1;
  int64_t loader_threads = 0;

  std::string backbone = "resnet50";
  std::string init = {};
  int64_t content_dimension = 512;
  int64_t style_dimension = 128;
  Choice<Regularizer> regularizer = Regularizer::kKl;

  Choice<FitMethod> method = FitMethod::kLadder;
  uint64_t seed = 0;
  int64_t epochs = 20;
  int64_t steps_per_epoch = 0;
  int64_t batch_size = 32;
  int64_t domains_per_step = 4;
  double encoder_lr = 1e-4;
  double head_lr = 1e-3;
  double weight_decay = 1e-4;
  double lambda_style = 0.15;
  double lambda_adversarial = 0.03;
  double lambda_orthogonality = 5e-4;
  double lambda_regularization = 1e-5;

  int64_t head_epochs = 6;
  Choice<HeadLoss> head_loss = HeadLoss::kCrossEntropy;
  double class_balance_beta = 0.999;
  Choice<HeadStart> head_start = HeadStart::kPooled;

  double irm_weight = 100;
  double eqrm_quantile = 0.75;
  double rdm_weight = 5;
  int64_t warmup_steps = 500;

  int64_t k = 5;
  double tau = 0.5;
  double blur = 0.05;
  double scaling = 0.8;
  int64_t max_style_samples = 1024;

  std::string device = "auto";
  int64_t threads = 0;
  int64_t checkpoint_steps = 500;
  std::string out = {};
  std::string run = {};

  // InvalidArgument, naming the option, what was expected and what came.
  absl::Status Validate() const;
};

// Calls visit.Section(title) and visit(name, field, meaning) for every option,
// in the order in which people read them: the one list that flags,
// configuration files, run folders and manifests are made from.
template <typename Options, typename Visitor>
void VisitFitOptions(Options& o, Visitor&& visit) {
  visit.Section("Data");
  visit("data", o.data, "data set: a folder or a CSV file (docs/data.md)");
  visit("layout", o.layout, "auto, iwildcam, fmow, csv or table");
  visit("image-size", o.image_size, "pictures become squares of this side");
  visit("on-broken", o.on_broken, "broken rows and pictures: skip or fail");
  visit("min-source-samples", o.min_source_samples,
        "leave out domains with fewer training samples");
  visit("max-sources", o.max_sources,
        "train on the largest N domains only; 0 for all");
  visit("cache-gib", o.cache_gib, "memory for decoded samples, in GiB");
  visit("loader-threads", o.loader_threads,
        "threads that read and decode; 0 for one per processor");

  visit.Section("Network");
  visit("backbone", o.backbone, "resnet50, resnet18, small-cnn or mlp");
  visit("init", o.init,
        "safetensors file with weights for the backbone, by torchvision's "
        "names");
  visit("content-dimension", o.content_dimension, "d_c");
  visit("style-dimension", o.style_dimension, "d_s");
  visit("regularizer", o.regularizer, "kl (variational bottleneck) or none");

  visit.Section("Stage 1: representation");
  visit("method", o.method, "ladder, erm, irm, eqrm, rdm or dsnr");
  visit("seed", o.seed, "everything random follows from it");
  visit("epochs", o.epochs, "epochs of stage 1");
  visit("steps-per-epoch", o.steps_per_epoch,
        "steps that make an epoch; 0 for one pass over the sources");
  visit("batch-size", o.batch_size, "samples per step");
  visit("domains-per-step", o.domains_per_step, "sources per step");
  visit("encoder-lr", o.encoder_lr, "learning rate of the encoders");
  visit("head-lr", o.head_lr, "learning rate of all classifiers");
  visit("weight-decay", o.weight_decay, "of AdamW");
  visit("lambda-style", o.lambda_style, "weight of L_sd");
  visit("lambda-adversarial", o.lambda_adversarial,
        "weight of L_cd, and of its gradient reversal");
  visit("lambda-orthogonality", o.lambda_orthogonality, "weight of L_orth");
  visit("lambda-regularization", o.lambda_regularization, "weight of L_reg");

  visit.Section("Stage 2: one head per source");
  visit("head-epochs", o.head_epochs, "epochs of stage 2");
  visit("head-loss", o.head_loss,
        "ce (cross-entropy) or class-balanced; of the baselines too");
  visit("class-balance-beta", o.class_balance_beta,
        "beta of the effective number of samples");
  visit("head-start", o.head_start,
        "where heads start: pooled (stage 1's classifier) or zero");

  visit.Section("Baselines");
  visit("irm-weight", o.irm_weight, "weight of IRM's penalty");
  visit("eqrm-quantile", o.eqrm_quantile, "quantile of EQRM");
  visit("rdm-weight", o.rdm_weight, "weight of RDM's discrepancy");
  visit("warmup-steps", o.warmup_steps,
        "steps before the weights of IRM and RDM apply");

  visit.Section("Routing defaults of the bundle");
  visit("k", o.k, "sources that get weight; 0 for all");
  visit("tau", o.tau, "temperature of the weights");
  visit("blur", o.blur, "of the Sinkhorn divergence");
  visit("scaling", o.scaling, "of its schedule");
  visit("max-style-samples", o.max_style_samples,
        "style vectors kept per source and per group (m)");

  visit.Section("Run");
  visit("device", o.device, "auto, cpu or cuda[:N]");
  visit("threads", o.threads,
        "LibTorch's threads; 0 for all that the machine grants");
  visit("checkpoint-steps", o.checkpoint_steps,
        "steps between checkpoints; 0 for none but at the end and on Ctrl-C");
  visit("out", o.out, "where the bundle goes: STORE/NAME");
  visit("run", o.run,
        "folder for checkpoints and curves; default runs/NAME-METHOD-sSEED");
}

// All options by name.
nlohmann::ordered_json ToJson(const FitOptions& options);

// Sets the options that `json`, an object, names. InvalidArgument, naming the
// option, if it does not exist or has another type; `options` is then as
// before.
absl::Status FromJson(const nlohmann::ordered_json& json, FitOptions& options);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_FIT_FIT_OPTIONS_H_
