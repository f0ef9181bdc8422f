#ifndef LADDER_IMAGING_RESIZE_WEIGHTS_H_
#define LADDER_IMAGING_RESIZE_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ladder::imaging {

// A weight is a share of 2^22, held in two pieces so that kernels can multiply
// 16-bit numbers: weight = high * 2^8 + low.
inline constexpr int kWeightBits = 22;
inline constexpr int kLowBits = 8;

// Says which pixels along one side of a picture make up each pixel of its
// resized self, and by how much: a triangle of half-width max(1, in / out)
// around the place the new pixel comes from. docs/imaging.md has the formula.
//
// Output i is made of inputs starts[i] .. starts[i] + taps - 1, those beyond
// the picture's end having weight zero. Starts never decrease.
class ResizeWeights {
 public:
  // Replaces the weights; for the same sizes as before does nothing. Expects
  // positive sizes.
  void Assign(int in_size, int out_size);

  int in_size() const { return in_size_; }
  int out_size() const { return out_size_; }
  int taps() const { return taps_; }  // Even.
  int start(int i) const { return starts_[static_cast<size_t>(i)]; }
  const int* starts() const { return starts_.data(); }
  // `taps` pieces each, one output's after another's.
  const int16_t* high(int i) const { return &high_[Offset(i)]; }
  const int16_t* low(int i) const { return &low_[Offset(i)]; }

 private:
  size_t Offset(int i) const {
    return static_cast<size_t>(i) * static_cast<size_t>(taps_);
  }
  void AssignOne(int i, int first, int count, double center, double support);

  int in_size_ = 0;
  int out_size_ = 0;
  int taps_ = 0;
  std::vector<int> starts_;
  std::vector<int16_t> high_;
  std::vector<int16_t> low_;
  std::vector<double> triangle_;  // Scratch space for one output.
};

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_RESIZE_WEIGHTS_H_
