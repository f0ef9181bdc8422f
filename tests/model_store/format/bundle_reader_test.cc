#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/format/bundle.h"
#include "model_store/format/file_bytes.h"
#include "routing/fingerprints.h"
#include "routing/self_term.h"
#include "routing/thread_pool.h"
#include "tests/model_store/tiny_bundle.h"
#include "tests/temporary_directory.h"

namespace ladder::model_store {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string DigestOf(const std::string& text) {
  return Sha256(std::as_bytes(std::span(text)));
}

// A valid bundle on disk, to be spoilt.
class BundleReaderTest : public ::testing::Test {
 protected:
  BundleReaderTest()
      : bundle_(WriteBundle(directory_.path(), TinyBundle()).value()) {}

  std::string Read(const std::string& file) const {
    std::ifstream stream(bundle_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void Write(const std::string& file, const std::string& content) const {
    std::ofstream(bundle_ / file, std::ios::binary) << content;
  }
  // Writes `file` and its size and checksum.
  void Replace(const std::string& file, const std::string& content) const {
    Write(file, content);
    json manifest = json::parse(Read(kManifestFile));
    manifest["files"][file] = {{"size", content.size()},
                               {"sha256", DigestOf(content)}};
    Write(kManifestFile, manifest.dump());
  }

  std::string Error(
      absl::StatusCode code = absl::StatusCode::kInvalidArgument) const {
    const auto bundle = ReadBundle(bundle_, {});
    EXPECT_EQ(bundle.status().code(), code) << bundle.status();
    return std::string(bundle.status().message());
  }

  TemporaryDirectory directory_;
  std::filesystem::path bundle_;
};

TEST_F(BundleReaderTest, ReadsAllOfIt) {
  const BundleContents contents = TinyBundle();
  routing::ThreadPool pool(2);

  const auto bundle = ReadBundle(bundle_, {.pool = &pool});

  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(bundle->files.manifest.model, "tiny");
  EXPECT_EQ(bundle->files.manifest.files.size(), 4);
  EXPECT_EQ(bundle->files.sha256, DigestOf(Read(kManifestFile)));
  EXPECT_EQ(bundle->styles.fingerprints.num_sources(), 3);
  EXPECT_EQ(DigestOf(contents.encoder), Sha256(bundle->files.encoder.bytes()));
  EXPECT_EQ(DigestOf(contents.heads), Sha256(bundle->files.heads.bytes()));
  EXPECT_EQ(DigestOf(contents.router), Sha256(bundle->files.router.bytes()));
}

TEST_F(BundleReaderTest, VerifiesTheVeryBytesThatAreUsed) {
  const auto files = ReadBundleFiles(bundle_, {});
  ASSERT_TRUE(files.ok()) << files.status();
  // As a plain `cp` over them does.
  for (const char* file :
       {kEncoderFile, kHeadsFile, kRouterFile, kFingerprintsFile}) {
    std::filesystem::resize_file(bundle_ / file, 0);
  }

  EXPECT_TRUE(CheckDigests(*files, {}).ok());
  EXPECT_TRUE(CheckEncoder(*files).ok());
  EXPECT_TRUE(CheckHeads(*files).ok());
  EXPECT_TRUE(CheckRouter(*files).ok());
  EXPECT_TRUE(ReadStyles(*files).ok());
}

TEST_F(BundleReaderTest, RefusesSelfTermsThatTheFingerprintsDoNotHave) {
  SourceStyles styles = TinyBundle().styles;
  std::vector<routing::MatrixView> clouds;
  std::vector<routing::SelfTerm> terms;
  for (size_t e = 0; e < styles.fingerprints.num_sources(); ++e) {
    clouds.push_back(styles.fingerprints.cloud(e).points());
    std::vector<double> values(
        styles.fingerprints.self_term(e).values().begin(),
        styles.fingerprints.self_term(e).values().end());
    if (e == 1) {
      for (double& value : values) value *= 1.5;
    }
    terms.push_back(routing::SelfTerm::FromValues(values).value());
  }
  const double right = styles.fingerprints.self_term(1).values()[1];
  const double wrong = terms[1].values()[1];
  styles.fingerprints = routing::Fingerprints::CreateWithSelfTerms(
                            clouds, terms, styles.fingerprints.options())
                            .value();
  Replace(kFingerprintsFile, SerializeFingerprints(styles));

  EXPECT_THAT(Error(), AllOf(HasSubstr("fingerprints.safetensors: "
                                       "self_terms[1][1]: expected "),
                             HasSubstr(absl::StrCat(wrong)),
                             HasSubstr(absl::StrCat(right))));
}

TEST_F(BundleReaderTest, OutlivesTheFolder) {
  const auto bundle = ReadBundle(bundle_, {});
  std::filesystem::remove_all(bundle_);

  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(Sha256(bundle->files.encoder.bytes()),
            DigestOf(TinyBundle().encoder));
}

TEST_F(BundleReaderTest, IgnoresFilesThatAreNotListed) {
  Write("notes.txt", "by hand");

  EXPECT_TRUE(ReadBundle(bundle_, {}).ok());
}

TEST_F(BundleReaderTest, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();

  const auto bundle = ReadBundle(bundle_, {.stop = source.get_token()});

  EXPECT_EQ(bundle.status().code(), absl::StatusCode::kCancelled);
}

TEST_F(BundleReaderTest, SaysThatThereIsNoBundle) {
  std::filesystem::remove(bundle_ / kManifestFile);
  EXPECT_THAT(Error(absl::StatusCode::kNotFound),
              HasSubstr((bundle_ / kManifestFile).string()));
  std::filesystem::remove_all(bundle_);
  EXPECT_THAT(Error(absl::StatusCode::kNotFound), HasSubstr(bundle_.string()));
}

TEST_F(BundleReaderTest, NamesAMissingFileBeforeAnyOtherFault) {
  Write(kEncoderFile, "too short");
  std::filesystem::remove(bundle_ / kHeadsFile);

  EXPECT_EQ(Error(), "heads.onnx: expected a file, found none");
}

TEST_F(BundleReaderTest, RefusesLinks) {
  std::filesystem::rename(bundle_ / kEncoderFile,
                          directory_.path() / "elsewhere");
  std::filesystem::create_symlink(directory_.path() / "elsewhere",
                                  bundle_ / kEncoderFile);

  EXPECT_THAT(Error(), AllOf(HasSubstr("encoder.onnx: expected a regular file"),
                             HasSubstr("found a symbolic link")));
}

TEST_F(BundleReaderTest, RejectsFilesThatAreTooShort) {
  const std::string encoder = Read(kEncoderFile);
  Write(kEncoderFile, encoder.substr(1));

  EXPECT_EQ(Error(), absl::StrCat("encoder.onnx: expected ", encoder.size(),
                                  " bytes, as in manifest.json, found ",
                                  encoder.size() - 1));
}

TEST_F(BundleReaderTest, RejectsFilesThatAreTooLong) {
  const std::string heads = Read(kHeadsFile);
  Write(kHeadsFile, heads + "x");

  EXPECT_EQ(Error(), absl::StrCat("heads.onnx: expected ", heads.size(),
                                  " bytes, as in manifest.json, found ",
                                  heads.size() + 1));
}

TEST_F(BundleReaderTest, RejectsEveryFileWithAnotherChecksum) {
  for (const char* file :
       {kEncoderFile, kHeadsFile, kRouterFile, kFingerprintsFile}) {
    const std::string content = Read(file);
    std::string changed = content;
    changed.front() ^= 1;  // Breaks the content too; the checksum comes first.
    Write(file, changed);

    EXPECT_EQ(Error(),
              absl::StrCat(file, ": expected the sha256 ", DigestOf(content),
                           ", as in manifest.json, found ", DigestOf(changed)));
    Write(file, content);
  }
}

TEST_F(BundleReaderTest, RejectsABrokenManifest) {
  Write(kManifestFile, "{}");

  EXPECT_THAT(Error(), HasSubstr("manifest.json: format_version"));
}

TEST_F(BundleReaderTest, RejectsAnEmptyManifest) {
  Write(kManifestFile, "");

  EXPECT_THAT(Error(), HasSubstr("manifest.json: parse error"));
}

TEST_F(BundleReaderTest, RejectsAFileThatTheManifestDoesNotList) {
  json manifest = json::parse(Read(kManifestFile));
  manifest["files"].erase(kRouterFile);
  Write(kManifestFile, manifest.dump());

  EXPECT_EQ(Error(),
            "manifest.json: files.router.onnx: expected a size and a checksum, "
            "found none");
}

TEST_F(BundleReaderTest, RejectsListedPathsThatLeaveTheBundle) {
  json manifest = json::parse(Read(kManifestFile));
  for (const char* name : {"../other", "/etc/passwd", "extra.onnx", ""}) {
    json changed = manifest;
    changed["files"][name] = manifest["files"][kEncoderFile];
    Write(kManifestFile, changed.dump());

    EXPECT_EQ(Error(), absl::StrCat("manifest.json: files: expected only the "
                                    "files of a bundle, found \"",
                                    name, "\""));
  }
}

TEST_F(BundleReaderTest, ChecksEveryModel) {
  for (const char* file : {kEncoderFile, kHeadsFile, kRouterFile}) {
    const std::string content = Read(file);
    Replace(file, "no model");

    EXPECT_THAT(Error(), HasSubstr(absl::StrCat(
                             file, ": expected an ONNX model of less than")));
    Replace(file, content);
  }
}

TEST_F(BundleReaderTest, ChecksModelsAgainstTheManifest) {
  json manifest = json::parse(Read(kManifestFile));
  manifest["classes"].push_back("elk");
  Write(kManifestFile, manifest.dump());

  EXPECT_EQ(Error(),
            "heads.onnx: output \"logits\": expected float32 [dynamic, 5], "
            "found float32 [n, 4]");
}

TEST_F(BundleReaderTest, ChecksTheFingerprints) {
  Replace(kFingerprintsFile, "no tensors");

  EXPECT_THAT(Error(), HasSubstr("fingerprints.safetensors: header length: "));
}

}  // namespace
}  // namespace ladder::model_store
