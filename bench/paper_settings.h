#ifndef LADDER_BENCH_PAPER_SETTINGS_H_
#define LADDER_BENCH_PAPER_SETTINGS_H_

#include <cstddef>
#include <cstdint>

#include "bench/bench_store.h"

namespace ladder::bench {

// One of the paper's data sets as far as cost depends on it. Numbers of samples
// are those of the WILDS releases.
struct PaperSetting {
  const char* name;
  size_t num_sources;
  size_t num_classes;
  size_t k;
  double tau;
  int64_t epochs;
  int64_t head_epochs;
  int64_t steps_per_epoch;
  const char* head_loss;
  // The whole training split: on iWildCam more than its 64 largest locations
  // have.
  int64_t training_samples;
  // The samples of the splits that are predicted, and the groups to route.
  int64_t evaluation_samples;
  int64_t evaluation_groups;
  // Minutes that the paper reports for LADDER's stages.
  double paper_representation;
  double paper_heads;
  double paper_summaries;
  double paper_evaluation;
  double paper_erm;  // All of a baseline's run.

  ResNet50Sizes sizes() const {
    return {.image_size = 224,
            .num_sources = num_sources,
            .num_classes = num_classes};
  }
};

inline constexpr PaperSetting kPaperSettings[] = {
    {.name = "FMoW-WILDS",
     .num_sources = 11,
     .num_classes = 62,
     .k = 5,
     .tau = 0.5,
     .epochs = 25,
     .head_epochs = 8,
     .steps_per_epoch = 800,
     .head_loss = "ce",
     .training_samples = 76'863,
     .evaluation_samples = 11'483 + 19'915 + 22'108,
     .evaluation_groups = 3,  // Validation (both) and test, one summary each.
     .paper_representation = 57.3,
     .paper_heads = 24.2,
     .paper_summaries = 0.6,
     .paper_evaluation = 3.1,
     .paper_erm = 59.0},
    {.name = "iWildCam-WILDS",
     .num_sources = 64,
     .num_classes = 182,
     .k = 6,
     .tau = 1,
     .epochs = 20,
     .head_epochs = 6,
     .steps_per_epoch = 700,
     .head_loss = "class-balanced",
     .training_samples = 129'809,
     .evaluation_samples = 14'961 + 42'791,
     .evaluation_groups = 32 + 48,  // The locations of validation and test.
     .paper_representation = 49.8,
     .paper_heads = 36.7,
     .paper_summaries = 4.6,
     .paper_evaluation = 13.1,
     .paper_erm = 54.7},
};

}  // namespace ladder::bench

#endif  // LADDER_BENCH_PAPER_SETTINGS_H_
