#ifndef LADDER_ROUTING_SINKHORN_H_
#define LADDER_ROUTING_SINKHORN_H_

#include <cstddef>

#include "routing/aligned_buffer.h"
#include "routing/epsilon_schedule.h"
#include "routing/packed_cloud.h"
#include "routing/simd/cost_matrix.h"
#include "routing/simd/kernel_sums.h"
#include "routing/sinkhorn_options.h"

namespace ladder::routing {

// The terms of the debiased Sinkhorn divergence with Euclidean ground cost
// between two uniform clouds, as docs/sinkhorn.md defines it:
//   S(x, y) = Cross(x, y) - Self(x) - Self(y),
// all three along the same schedule of temperatures.
//
// Holds the scratch space of one computation at a time, so each thread needs
// its own; allocates only when a problem is larger than any before.
class SinkhornSolver {
 public:
  // Expects valid options.
  explicit SinkhornSolver(const SinkhornOptions& options) : options_(options) {}

  // The mean of f plus the mean of g: the cross problem's potentials.
  double Cross(const PackedCloud& x, const PackedCloud& y,
               const EpsilonSchedule& schedule);

  // The mean of p, the self problem's potential, for the cloud that
  // `PrepareSelf` saw last. Preparing computes the costs; one cloud is often
  // solved along several schedules.
  void PrepareSelf(const PackedCloud& x);
  double Self(const EpsilonSchedule& schedule);

 private:
  // One side of a problem: dual potentials and what a pass needs of them.
  struct Side {
    size_t count = 0;
    AlignedBuffer<double> potentials;
    AlignedBuffer<float> exponents;    // Potentials times log2(e) / epsilon.
    AlignedBuffer<float> sums;         // Of the kernel's rows or columns.
    AlignedBuffer<float> means;        // Of the costs' rows or columns.
    AlignedBuffer<double> transforms;  // Used by safe passes only.

    void Resize(size_t new_count, size_t padded);
    void SetExponents(double scale);
    double MeanPotential() const;
  };

  void PrepareCosts(size_t rows, size_t cols, bool upper_only);

  // Brings the cross potentials to where the passes at high temperatures would,
  // by a second-order expansion, and returns how many steps of the schedule
  // that makes unnecessary: 0, with the potentials untouched, where the
  // expansion does not hold.
  size_t HotStart(const EpsilonSchedule& schedule);

  // One symmetric update of all potentials at `epsilon`; the exponents are left
  // ready for a pass at `next_epsilon`.
  struct Pass {
    double epsilon;
    double next_epsilon;
    bool average;
  };
  void RunPass(const Pass& pass);
  void RunFirstPass(double epsilon);  // From zero potentials, unaveraged.
  // The same in double precision with running maxima: slow, and immune to
  // kernels whose entries leave the range of a float.
  void RunSafePass(const Pass& pass);

  // The passes of `schedule` from `first_step` on, and the unaveraged last one.
  void RunSchedule(const EpsilonSchedule& schedule, size_t first_step);

  bool IsSelf() const { return costs_.upper_only; }
  bool IsSmall() const;
  // If every point of the prepared cloud is so far from all others that none
  // exchanges mass at the final temperature.
  bool PointsAreIsolated() const;

  SinkhornOptions options_;
  AlignedBuffer<float> cost_storage_;
  simd::CostMatrix costs_ = {};
  float smallest_self_cost_ = 0;
  simd::Sweep sweep_ = simd::Sweep::kDown;
  Side rows_;
  Side cols_;  // For self problems only its sums are used.
};

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_SINKHORN_H_
