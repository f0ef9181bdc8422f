#include "imaging/jpeg_scans.h"

#include <cstring>

namespace ladder::imaging {
namespace {

constexpr uint8_t kPrefix = 0xFF;
constexpr uint8_t kStartOfImage = 0xD8;
constexpr uint8_t kEndOfImage = 0xD9;
constexpr uint8_t kStartOfScan = 0xDA;
constexpr uint8_t kTemporary = 0x01;

bool IsRestart(uint8_t marker) { return marker >= 0xD0 && marker <= 0xD7; }

bool HasContents(uint8_t marker) {
  return !IsRestart(marker) && marker != kTemporary && marker != kStartOfImage;
}

class Walker {
 public:
  explicit Walker(std::span<const std::byte> jpeg) : rest_(jpeg) {}

  // The next marker, and the end of the file as one. Skips what lies in
  // between, coded data above all: in it a zero follows every byte that looks
  // like a prefix.
  uint8_t NextMarker() {
    while (!rest_.empty()) {
      const void* prefix = std::memchr(rest_.data(), kPrefix, rest_.size());
      if (prefix == nullptr) break;
      Skip(static_cast<const std::byte*>(prefix) - rest_.data() + 1);
      // A prefix may be repeated as padding.
      while (!rest_.empty() && First() == kPrefix) Skip(1);
      if (rest_.empty()) break;
      const uint8_t marker = First();
      Skip(1);
      if (marker != 0) return marker;
    }
    return kEndOfImage;
  }

  // The segment's contents, whose length they begin with.
  void SkipContents() {
    if (rest_.size() < 2) return;
    const size_t high = First();
    const size_t length = high << 8 | std::to_integer<size_t>(rest_[1]);
    Skip(length < 2 ? 2 : length);
  }

 private:
  uint8_t First() const { return std::to_integer<uint8_t>(rest_.front()); }
  void Skip(size_t count) {
    rest_ = rest_.subspan(count < rest_.size() ? count : rest_.size());
  }

  std::span<const std::byte> rest_;
};

}  // namespace

int64_t CountJpegScans(std::span<const std::byte> jpeg) {
  Walker walker(jpeg);
  int64_t scans = 0;
  for (uint8_t marker = walker.NextMarker(); marker != kEndOfImage;
       marker = walker.NextMarker()) {
    if (marker == kStartOfScan) ++scans;
    if (HasContents(marker)) walker.SkipContents();
  }
  return scans;
}

}  // namespace ladder::imaging
