#ifndef LADDER_ROUTING_SIMD_PROCESSOR_H_
#define LADDER_ROUTING_SIMD_PROCESSOR_H_

namespace ladder::routing::simd {

// The name of the instruction set in use, such as "AVX3" or "AVX2".
const char* TargetName();

// Flushes denormal floats to zero while it lives: kernel entries fade through
// that range, and x86 takes a slow trap for each of them.
class ScopedFlushDenormals {
 public:
  ScopedFlushDenormals();
  ~ScopedFlushDenormals();
  ScopedFlushDenormals(const ScopedFlushDenormals&) = delete;
  ScopedFlushDenormals& operator=(const ScopedFlushDenormals&) = delete;

 private:
  unsigned int saved_;
};

}  // namespace ladder::routing::simd

#endif  // LADDER_ROUTING_SIMD_PROCESSOR_H_
