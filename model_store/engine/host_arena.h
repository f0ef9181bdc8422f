#ifndef LADDER_MODEL_STORE_ENGINE_HOST_ARENA_H_
#define LADDER_MODEL_STORE_ENGINE_HOST_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "base/system/mutex.h"

namespace ladder::model_store {

// Where graphs get their memory on the host. Blocks that were freed are kept
// for the next run, which asks for the same sizes, so that the steady state
// neither calls the system nor touches fresh pages.
//
// Stands in for ONNX Runtime's own arena, whose limit counts the weights too
// and, once they alone exceed it, wraps around and limits nothing.
//
// Thread-safe. Everything must have been freed before the arena goes.
class HostArena {
 public:
  // `limit` is the most bytes that Allocate may hold, kept blocks included; 0
  // is no limit.
  explicit HostArena(uint64_t limit);
  ~HostArena();
  HostArena(const HostArena&) = delete;
  HostArena& operator=(const HostArena&) = delete;

  // Gives at least `size` bytes, aligned for every vector unit. Null if they
  // would exceed the limit, or if the system has no more.
  void* Allocate(size_t size);
  // The same for what stays, such as weights: beside the limit, never kept.
  void* Reserve(size_t size);
  // Takes what either of them gave; null is allowed.
  void Free(void* data);

  // Returns all blocks that are kept to the system.
  void Shrink();

  struct Usage {
    uint64_t in_use = 0;    // Allocated and not freed.
    uint64_t kept = 0;      // Freed, waiting to be allocated again.
    uint64_t reserved = 0;  // Given by Reserve.
  };
  Usage usage() const;
  // Why `size` bytes were not to be had, in words that begin with kShortage.
  std::string Shortage(size_t size) const;
  static constexpr absl::string_view kShortage = "no memory for ";
  uint64_t limit() const { return limit_; }  // The one given.

 private:
  struct Block;

  Block* TakeKept(size_t size) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns a list.
  Block* TakeAllKept() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void DeleteList(Block* first);

  // How much more Allocate may hold.
  uint64_t Allowance() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const uint64_t limit_;
  mutable base::Mutex mutex_;
  Usage usage_ ABSL_GUARDED_BY(mutex_);
  // The blocks that are kept, a list for every size that was ever allocated, so
  // that Free adds no entry and cannot fail.
  std::map<size_t, Block*> kept_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_HOST_ARENA_H_
