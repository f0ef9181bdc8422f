#include "model_store/store/store_directory.h"

#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/fake_model_loader.h"
#include "tests/model_store/store/fake_bundle.h"
#include "tests/temporary_directory.h"

namespace ladder::model_store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StoreDirectoryTest : public testing::Test {
 protected:
  fs::path Folder(const std::string& name) const { return root_.path() / name; }

  VersionOnDisk Found(uint64_t version) {
    return directory_.ScanModel("m")->at(version);
  }

  std::vector<uint64_t> Versions() {
    std::vector<uint64_t> versions;
    const auto found = directory_.ScanModel("m");
    EXPECT_TRUE(found.ok()) << found.status();
    if (!found.ok()) return {};
    for (const auto& item : *found) versions.push_back(item.first);
    return versions;
  }

  TemporaryDirectory root_;
  StoreDirectory directory_ = StoreDirectory::Open(root_.path()).value();
};

TEST_F(StoreDirectoryTest, FindsModelsAndVersions) {
  WriteFakeBundle(root_.path(), "a", 1, {});
  WriteFakeBundle(root_.path(), "b", 2, {});
  WriteFakeBundle(root_.path(), "b", 10, {});

  const auto found = directory_.Scan();

  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ(found->at("a")->size(), 1u);
  EXPECT_TRUE(found->at("b")->contains(2));
  EXPECT_TRUE(found->at("b")->contains(10));
}

TEST_F(StoreDirectoryTest, IgnoresFoldersThatAreNoVersions) {
  WriteFakeBundle(root_.path(), "m", 3, {});
  for (const char* name : {"0", "007", "-1", "+1", " 1", "1.5", "1e3", "latest",
                           ".4.tmp", "99999999999999999999999"}) {
    fs::create_directories(Folder("m") / name);
    WriteText(Folder("m") / name / kManifestFile, "{}");
  }
  WriteText(Folder("m") / "5", "a file");

  EXPECT_THAT(Versions(), ElementsAre(3));
}

TEST_F(StoreDirectoryTest, IgnoresFoldersThatAreNoModels) {
  WriteFakeBundle(root_.path(), ".hidden", 1, {});
  WriteFakeBundle(root_.path(), "two words", 1, {});
  WriteText(Folder("readme"), "a file");

  EXPECT_THAT(*directory_.Scan(), IsEmpty());
}

TEST_F(StoreDirectoryTest, IgnoresAVersionWithoutManifest) {
  WriteFakeBundle(root_.path(), "m", 1, {});
  fs::remove(Folder("m/1") / kManifestFile);

  EXPECT_THAT(Versions(), IsEmpty());
}

TEST_F(StoreDirectoryTest, DoesNotFollowSymbolicLinks) {
  const TemporaryDirectory elsewhere;
  WriteFakeBundle(elsewhere.path(), "m", 1, {});
  fs::create_directory_symlink(elsewhere.path() / "m", Folder("linked"));
  fs::create_directory(Folder("m"));
  fs::create_directory_symlink(elsewhere.path() / "m/1", Folder("m/1"));

  const auto found = directory_.Scan();

  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_FALSE(found->contains("linked"));
  EXPECT_THAT(*found->at("m"), IsEmpty());
  EXPECT_TRUE(absl::IsNotFound(directory_.ScanModel("linked").status()));
}

TEST_F(StoreDirectoryTest, MayItselfBeASymbolicLink) {
  const TemporaryDirectory elsewhere;
  WriteFakeBundle(elsewhere.path(), "m", 1, {});
  fs::create_directory_symlink(elsewhere.path(), Folder("link"));

  auto directory = StoreDirectory::Open(Folder("link"));

  ASSERT_TRUE(directory.ok()) << directory.status();
  EXPECT_TRUE(directory->Scan()->contains("m"));
}

TEST_F(StoreDirectoryTest, DigestsTheManifest) {
  WriteFakeBundle(root_.path(), "m", 1, {.manifest = "one"});

  EXPECT_EQ(Found(1).manifest_sha256, FakeModelLoader::Digest("one"));
}

TEST_F(StoreDirectoryTest, SignatureStaysWhileNothingChanges) {
  WriteFakeBundle(root_.path(), "m", 1, {});

  EXPECT_EQ(Found(1).signature, Found(1).signature);
}

TEST_F(StoreDirectoryTest, SignatureChangesWithAnyFile) {
  WriteFakeBundle(root_.path(), "m", 1, {});
  std::string last = Found(1).signature;
  const auto expect_change = [&](const char* what) {
    const std::string signature = Found(1).signature;
    EXPECT_NE(signature, last) << what;
    last = signature;
  };

  WriteText(Folder("m/1") / kEncoderFile, "longer than before");
  expect_change("size");
  fs::last_write_time(Folder("m/1") / kEncoderFile,
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  expect_change("time");
  fs::permissions(Folder("m/1") / kEncoderFile, fs::perms::owner_read);
  expect_change("permissions");
  WriteText(Folder("m/1/other"), "");
  expect_change("a new file");
  fs::rename(Folder("m/1/other"), Folder("m/1/another"));
  expect_change("a name");
  fs::remove(Folder("m/1/another"));
  expect_change("a removal");
}

TEST_F(StoreDirectoryTest, DigestFollowsTheManifest) {
  WriteFakeBundle(root_.path(), "m", 1, {.manifest = "one"});
  const VersionOnDisk before = Found(1);

  WriteFakeBundle(root_.path(), "m", 1, {.manifest = "another"});

  EXPECT_NE(Found(1).signature, before.signature);
  EXPECT_EQ(Found(1).manifest_sha256, FakeModelLoader::Digest("another"));
}

TEST_F(StoreDirectoryTest, SaysWhenAModelHasNoFolder) {
  const auto found = directory_.ScanModel("absent");

  EXPECT_EQ(found.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(found.status().message()), HasSubstr("absent"));
}

TEST_F(StoreDirectoryTest, OpenNamesAMissingDirectory) {
  const auto directory = StoreDirectory::Open(Folder("absent"));

  EXPECT_EQ(directory.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(directory.status().message()),
              HasSubstr(Folder("absent").string()));
}

TEST_F(StoreDirectoryTest, OpenRefusesAFile) {
  WriteText(Folder("file"), "");

  const auto directory = StoreDirectory::Open(Folder("file"));

  EXPECT_EQ(directory.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(directory.status().message()),
              HasSubstr("expected a directory"));
}

TEST_F(StoreDirectoryTest, ScanFailsIfTheDirectoryHasGone) {
  fs::remove_all(root_.path());

  EXPECT_EQ(directory_.Scan().status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace ladder::model_store
