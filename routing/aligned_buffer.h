#ifndef LADDER_ROUTING_ALIGNED_BUFFER_H_
#define LADDER_ROUTING_ALIGNED_BUFFER_H_

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#include "routing/simd/cost_matrix.h"

namespace ladder::routing {

// Storage for vector kernels that is reused from call to call: it grows when it
// must and never shrinks. Growing loses the contents.
template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivial_v<T>);

 public:
  // Makes room for `size` elements, whose values are unspecified.
  T* Reserve(size_t size) {
    if (size > capacity_) {
      data_.reset();  // Frees first, so that the two never coexist.
      data_.reset(static_cast<T*>(::operator new(size * sizeof(T), kAlign)));
      capacity_ = size;
    }
    return data_.get();
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t kAlign{simd::kAlignment};
  struct Free {
    void operator()(T* data) const { ::operator delete(data, kAlign); }
  };

  std::unique_ptr<T, Free> data_;
  size_t capacity_ = 0;
};

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_ALIGNED_BUFFER_H_
