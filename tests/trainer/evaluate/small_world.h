#ifndef LADDER_TESTS_TRAINER_EVALUATE_SMALL_WORLD_H_
#define LADDER_TESTS_TRAINER_EVALUATE_SMALL_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainer/encode/encoded_samples.h"
#include "trainer/encode/trained_stack.h"

namespace ladder::trainer {

inline constexpr size_t kNumSources = 4;
inline constexpr size_t kNumClasses = 3;
inline constexpr size_t kContentDimension = 2;
inline constexpr size_t kStyleDimension = 2;

// A stack of four sources whose styles lie around (0, 0), (3, 0), (6, 0) and
// (9, 0) and whose heads are random. K is 2, tau 0.5, at most 1024 style
// vectors are used.
TrainedStack SmallStack();

// Random content, gates and labels. The style of a sample of domain g, which is
// below 4, lies around (4 g + 1, 0), and its gate leans towards source g.
EncodedSamples SmallSamples(std::vector<int64_t> domains);

// 90 samples, of the domains 2, 0 and 1 in turn.
EncodedSamples ThreeDomains();

// The class that `weights` over the sources' heads give to one sample.
int64_t ClassOf(const TrainedStack& stack, const EncodedSamples& samples,
                size_t sample, std::span<const double> weights);

}  // namespace ladder::trainer

#endif  // LADDER_TESTS_TRAINER_EVALUATE_SMALL_WORLD_H_
