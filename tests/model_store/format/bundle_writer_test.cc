#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/format/bundle.h"
#include "tests/model_store/tiny_bundle.h"
#include "tests/temporary_directory.h"

namespace ladder::model_store {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

namespace fs = std::filesystem;

class BundleWriterTest : public ::testing::Test {
 protected:
  // The names in the model's folder, hidden ones too.
  std::set<std::string> Names(const std::string& model = "tiny") const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(store() / model)) {
      names.insert(entry.path().filename());
    }
    return names;
  }

  const fs::path& store() const { return directory_.path(); }

  TemporaryDirectory directory_;
};

TEST_F(BundleWriterTest, WritesABundleThatReadsBack) {
  const auto directory = WriteBundle(store(), TinyBundle());

  ASSERT_TRUE(directory.ok()) << directory.status();
  EXPECT_EQ(*directory, store() / "tiny" / "1");
  const auto bundle = ReadBundle(*directory, {});
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(bundle->files.manifest.version, 1);
  EXPECT_THAT(Names(), UnorderedElementsAre("1"));
}

TEST_F(BundleWriterTest, WritesNothingButTheFilesOfABundle) {
  const auto directory = WriteBundle(store(), TinyBundle()).value();

  EXPECT_THAT(
      Names("tiny/1"),
      UnorderedElementsAre("manifest.json", "encoder.onnx", "heads.onnx",
                           "router.onnx", "fingerprints.safetensors"));
}

TEST_F(BundleWriterTest, WritesBundlesOfPictures) {
  const auto directory = WriteBundle(
      store(), TinyBundle({.input = TinyBundleOptions::Input::kImage}));

  EXPECT_TRUE(directory.ok()) << directory.status();
}

TEST_F(BundleWriterTest, MakesTheStoreIfItIsNotThere) {
  const auto directory = WriteBundle(store() / "a" / "b", TinyBundle());

  ASSERT_TRUE(directory.ok()) << directory.status();
  EXPECT_TRUE(fs::exists(store() / "a" / "b" / "tiny" / "1" / kManifestFile));
}

TEST_F(BundleWriterTest, LetsOthersReadWhatItWrites) {
  const auto directory = WriteBundle(store(), TinyBundle()).value();

  const fs::path beside = store() / "beside";
  fs::create_directory(beside);
  EXPECT_EQ(fs::status(directory).permissions(),
            fs::status(beside).permissions());
}

TEST_F(BundleWriterTest, KeepsAVersionThatIsThere) {
  const auto directory = WriteBundle(store(), TinyBundle()).value();
  const std::string sha256 = ReadBundle(directory, {}).value().files.sha256;

  const auto again = WriteBundle(store(), TinyBundle({.seed = 2}));

  EXPECT_EQ(again.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(again.status().message(), HasSubstr(directory.string()));
  EXPECT_EQ(ReadBundle(directory, {}).value().files.sha256, sha256);
  EXPECT_THAT(Names(), UnorderedElementsAre("1"));
}

TEST_F(BundleWriterTest, TakesTheNextVersionForZero) {
  const auto first = WriteBundle(store(), TinyBundle({.version = 0}));
  fs::create_directory(store() / "tiny" / "9");
  fs::create_directory(store() / "tiny" / "012");  // No version's name.
  fs::create_directory(store() / "tiny" / ".77.partial-0");
  std::ofstream(store() / "tiny" / "notes");
  const auto second = WriteBundle(store(), TinyBundle({.version = 0}));

  EXPECT_EQ(first.value(), store() / "tiny" / "1");
  EXPECT_EQ(second.value(), store() / "tiny" / "10");
  EXPECT_EQ(ReadBundle(*second, {}).value().files.manifest.version, 10);
}

TEST_F(BundleWriterTest, GivesConcurrentWritersDifferentVersions) {
  constexpr size_t kWriters = 4;
  constexpr size_t kBundles = 3;
  std::atomic<size_t> num_written = 0;
  std::vector<std::jthread> writers;
  for (size_t i = 0; i < kWriters; ++i) {
    writers.emplace_back([&] {
      for (size_t b = 0; b < kBundles; ++b) {
        if (WriteBundle(store(), TinyBundle({.version = 0})).ok()) {
          ++num_written;
        }
      }
    });
  }
  writers.clear();

  EXPECT_EQ(num_written, kWriters * kBundles);
  const std::set<std::string> names = Names();
  EXPECT_EQ(names.size(), kWriters * kBundles);
  for (const std::string& name : names) {
    const auto bundle = ReadBundle(store() / "tiny" / name, {});
    ASSERT_TRUE(bundle.ok()) << bundle.status();
    EXPECT_EQ(std::to_string(bundle->files.manifest.version), name);
  }
}

TEST_F(BundleWriterTest, RejectsAnInvalidManifestBeforeItTouchesTheStore) {
  BundleContents contents = TinyBundle();
  contents.manifest.classes.clear();

  const auto directory = WriteBundle(store(), std::move(contents));

  EXPECT_EQ(directory.status(),
            absl::InvalidArgumentError("manifest.json: classes: expected 1 to "
                                       "1048576 elements, found 0"));
  EXPECT_TRUE(fs::is_empty(store()));
}

TEST_F(BundleWriterTest, RejectsSelfTermsOfOtherOptions) {
  BundleContents contents = TinyBundle();
  contents.manifest.routing.sinkhorn.blur = 0.1;

  const auto directory = WriteBundle(store(), std::move(contents));

  EXPECT_EQ(directory.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(directory.status().message(),
              HasSubstr("routing: expected blur 0.05 and scaling 0.8, with "
                        "which the self terms were computed, found 0.1"));
}

TEST_F(BundleWriterTest, LeavesNothingBehindWhenTheBundleDoesNotReadBack) {
  BundleContents contents = TinyBundle();
  contents.encoder = "no model";

  const auto directory = WriteBundle(store(), std::move(contents));

  EXPECT_EQ(directory.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(directory.status().message(), HasSubstr("encoder.onnx: "));
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(BundleWriterTest, NamesTheFolderThatItCannotMake) {
  std::ofstream(store() / "tiny") << "a file in the way";

  const auto directory = WriteBundle(store(), TinyBundle());

  EXPECT_FALSE(directory.ok());
  EXPECT_THAT(directory.status().message(),
              HasSubstr((store() / "tiny").string()));
}

}  // namespace
}  // namespace ladder::model_store
