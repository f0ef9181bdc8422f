#ifndef LADDER_ROUTING_PACKED_CLOUD_H_
#define LADDER_ROUTING_PACKED_CLOUD_H_

#include <span>

#include "routing/aligned_buffer.h"
#include "routing/matrix_view.h"
#include "routing/simd/costs.h"

namespace ladder::routing {

// A cloud of style vectors laid out for cost computations: the points
// themselves, which the caller keeps alive, and, owned, a transposed copy, the
// squared norms and the bounding box.
class PackedCloud {
 public:
  // Packs `points` (at least one, finite). Reuses its storage, so a cloud that
  // is assigned again and again stops allocating.
  void Assign(const MatrixView& points);

  const MatrixView& points() const { return points_; }
  simd::PointsView View() const;
  // The ends of the bounding box, per dimension.
  std::span<const float> lower() const { return {lower_.data(), points_.cols}; }
  std::span<const float> upper() const { return {upper_.data(), points_.cols}; }

  // The length of the diagonal of the box around both clouds.
  static double JointDiameter(const PackedCloud& a, const PackedCloud& b);

 private:
  MatrixView points_;
  AlignedBuffer<float> panels_;
  AlignedBuffer<float> squared_norms_;
  AlignedBuffer<float> lower_;
  AlignedBuffer<float> upper_;
};

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_PACKED_CLOUD_H_
