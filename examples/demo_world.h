#ifndef LADDER_EXAMPLES_DEMO_WORLD_H_
#define LADDER_EXAMPLES_DEMO_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "routing/linear_heads.h"
#include "routing/matrix_view.h"

namespace ladder::examples {

// Crashes with the message unless `status` is ok, as StatusOr::value() does:
// the demo makes its own input, so an error is a bug.
void CheckOk(const absl::Status& status);

// Images of one place, as a trained encoder would describe them.
struct Images {
  size_t count = 0;
  std::vector<float> style;    // What the place looks like: count x kStyleDim.
  std::vector<float> causal;   // What tells the animals: count x kCausalDim.
  std::vector<size_t> labels;  // The animals: count, each below kNumClasses.

  routing::MatrixView Style() const;
  routing::MatrixView Causal() const;
};

// A made-up world of camera traps. Every place has a habitat, a number that no
// image shows: 0 in the valley, 1 at the summit, and more beyond.
//
// Two things change with it. The style drifts: of its few latent factors, seen
// through a random embedding with noise, one moves, one spreads and the others
// are nuisance. And the rule that ties labels to causal features turns, around
// a part that all places share. Given the habitat, style and labels have
// nothing to do with each other.
//
// Immutable and thread-safe; everything follows from the seed.
class DemoWorld {
 public:
  static constexpr size_t kStyleDim = 128;
  static constexpr size_t kCausalDim = 12;
  static constexpr size_t kNumClasses = 5;

  explicit DemoWorld(uint64_t seed);

  // Each `stream` gives other images.
  Images TakeImages(double habitat, size_t count, uint64_t stream) const;

  // The rule of a place: its labels are drawn from the softmax of these logits.
  routing::MixedHead TrueHead(double habitat) const;

 private:
  uint64_t seed_;
  std::vector<float> embedding_;  // Style dimension x latent factor.
  // The parts of the rule, class x causal dimension: one that stays and two
  // that come and go as the cosine and the sine of the turn.
  std::vector<float> shared_;
  std::vector<float> cosine_;
  std::vector<float> sine_;
};

// Fits a head to labelled images: softmax regression by gradient descent.
routing::MixedHead FitHead(const Images& labelled);

// The share of the images whose label `head` gets right.
double Accuracy(const routing::MixedHead& head, const Images& images);

}  // namespace ladder::examples

#endif  // LADDER_EXAMPLES_DEMO_WORLD_H_
