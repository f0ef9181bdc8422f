#ifndef LADDER_TESTS_MODEL_STORE_STORE_FAKE_BUNDLE_H_
#define LADDER_TESTS_MODEL_STORE_STORE_FAKE_BUNDLE_H_

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "model_store/format/bundle.h"

namespace ladder::model_store {

inline void WriteText(const std::filesystem::path& path,
                      absl::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

// What FakeModelLoader understands.
struct FakeBundle {
  std::string manifest = "{}";
  std::string encoder = "fine";
};

// Writes it in place if it is there, otherwise file by file with the manifest
// last.
inline void WriteFakeBundle(const std::filesystem::path& store,
                            const std::string& model, uint64_t version,
                            const FakeBundle& bundle) {
  const auto folder = store / model / absl::StrCat(version);
  std::filesystem::create_directories(folder);
  WriteText(folder / kEncoderFile, bundle.encoder);
  WriteText(folder / kManifestFile, bundle.manifest);
}

// Every look at it is a second later.
class StepClock {
 public:
  absl::Time Now() { return absl::UnixEpoch() + absl::Seconds(++seconds_); }

 private:
  std::atomic<int> seconds_ = 0;
};

}  // namespace ladder::model_store

#endif  // LADDER_TESTS_MODEL_STORE_STORE_FAKE_BUNDLE_H_
