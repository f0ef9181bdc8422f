#include "model_store/engine/host_arena.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "absl/base/macros.h"
#include "absl/strings/str_cat.h"
#include "base/system/mutex.h"

namespace ladder::model_store {
namespace {

// A cache line, and the widest vector.
constexpr size_t kAlignment = 64;

// ONNX Runtime's quantised kernels for ARM read up to 15 bytes past the end.
constexpr size_t kOverrun = 16;

// Rounds up, by an eighth at most from 2 KiB on, so that requests which differ
// a little share blocks. 0 if there is no such size.
size_t RoundUp(size_t size) {
  constexpr size_t kSmallestStep = 256;
  if (size > SIZE_MAX / 2) return 0;
  size += kOverrun;
  const size_t step = std::max(kSmallestStep, std::bit_floor(size) / 8);
  return (size + step - 1) / step * step;
}

}  // namespace

// Stands before the memory that callers see.
struct alignas(kAlignment) HostArena::Block {
  size_t size = 0;  // The size of the memory behind.
  bool reserved = false;
  Block* next = nullptr;  // The next block that is kept.

  static Block* New(size_t size, bool reserved) {
    void* memory = ::operator new (sizeof(Block) + size,
                                   std::align_val_t{kAlignment}, std::nothrow);
    if (memory == nullptr) return nullptr;
    return new (memory) Block{.size = size, .reserved = reserved};
  }
  static void Delete(Block* block) {
    ::operator delete (block, std::align_val_t{kAlignment});
  }
  static Block* Of(void* data) { return static_cast<Block*>(data) - 1; }

  void* data() { return this + 1; }
};

HostArena::HostArena(uint64_t limit) : limit_(limit) {}

HostArena::~HostArena() {
  ABSL_HARDENING_ASSERT(usage_.in_use == 0 && usage_.reserved == 0);
  Shrink();
}

void* HostArena::Allocate(size_t size) {
  const size_t rounded = RoundUp(size);
  if (rounded == 0) return nullptr;
  Block* surplus = nullptr;
  {
    const base::MutexLock lock(mutex_);
    if (Block* kept = TakeKept(rounded)) return kept->data();
    if (rounded > Allowance()) return nullptr;
    if (rounded > Allowance() - usage_.kept) surplus = TakeAllKept();
    kept_.try_emplace(rounded, nullptr);
    usage_.in_use += rounded;
  }
  DeleteList(surplus);
  if (Block* block = Block::New(rounded, /*reserved=*/false)) {
    return block->data();
  }
  const base::MutexLock lock(mutex_);
  usage_.in_use -= rounded;
  return nullptr;
}

void* HostArena::Reserve(size_t size) {
  const size_t rounded = RoundUp(size);
  if (rounded == 0) return nullptr;
  Block* block = Block::New(rounded, /*reserved=*/true);
  if (block == nullptr) return nullptr;
  const base::MutexLock lock(mutex_);
  usage_.reserved += rounded;
  return block->data();
}

void HostArena::Free(void* data) {
  if (data == nullptr) return;
  Block* block = Block::Of(data);
  {
    const base::MutexLock lock(mutex_);
    if (!block->reserved) {
      usage_.in_use -= block->size;
      usage_.kept += block->size;
      Block*& first = kept_.find(block->size)->second;
      block->next = std::exchange(first, block);
      return;
    }
    usage_.reserved -= block->size;
  }
  Block::Delete(block);
}

void HostArena::Shrink() {
  Block* blocks = nullptr;
  {
    const base::MutexLock lock(mutex_);
    blocks = TakeAllKept();
  }
  DeleteList(blocks);
}

HostArena::Usage HostArena::usage() const {
  const base::MutexLock lock(mutex_);
  return usage_;
}

std::string HostArena::Shortage(size_t size) const {
  const uint64_t in_use = usage().in_use;
  return absl::StrCat(
      kShortage, size, " bytes on the host: ", in_use, " are in use",
      limit_ == 0 ? "" : absl::StrCat(", host_arena_limit is ", limit_));
}

// Blocks that are kept do not count: they make room when they must.
uint64_t HostArena::Allowance() const {
  return (limit_ == 0 ? UINT64_MAX : limit_) - usage_.in_use;
}

// The smallest that is large enough; one of more than twice the size is left
// for a request that needs it.
HostArena::Block* HostArena::TakeKept(size_t size) {
  auto list = kept_.lower_bound(size);
  while (list != kept_.end() && list->second == nullptr) ++list;
  if (list == kept_.end() || list->first > 2 * size) return nullptr;
  Block* block = list->second;
  list->second = std::exchange(block->next, nullptr);
  usage_.kept -= block->size;
  usage_.in_use += block->size;
  return block;
}

HostArena::Block* HostArena::TakeAllKept() {
  Block* all = nullptr;
  for (auto& [size, first] : kept_) {
    while (first != nullptr) {
      Block* block = std::exchange(first, first->next);
      block->next = std::exchange(all, block);
    }
  }
  usage_.kept = 0;
  return all;
}

void HostArena::DeleteList(Block* first) {
  while (first != nullptr) Block::Delete(std::exchange(first, first->next));
}

}  // namespace ladder::model_store
