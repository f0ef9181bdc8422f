#include <nlohmann/json.hpp>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/format/manifest.h"

namespace ladder::model_store {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A manifest as somebody else may write it.
json ValidJson() {
  return json::parse(R"({
    "format_version": 1, "model": "m", "version": 1,
    "created": "2026-11-16T06:30:00+02:00",
    "trainer": {"version": "0.1.0", "config": {"b": 1, "a": [1, 2.50]}},
    "classes": ["a", "b"],
    "sources": [
      {"name": "s", "training_samples": 9, "fingerprint_samples": 4},
      {"name": "t", "training_samples": 9, "fingerprint_samples": 5}],
    "content_dimension": 5, "style_dimension": 4,
    "input": {"kind": "tensor", "shape": [6]},
    "routing": {"method": "ladder", "k": 2, "tau": 1, "p": 1, "blur": 0.05,
                "scaling": 0.8, "diameter": "pair", "max_style_samples": 1024,
                "seed": 0},
    "coverage": {"levels": []},
    "files": {"encoder.onnx": {"size": 1, "sha256":
      "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}}
  })");
}

json ImageJson() {
  json manifest = ValidJson();
  manifest["input"] = json::parse(R"({"kind": "image", "height": 2, "width": 3,
      "mean": [0, 0.5, 1], "std": [1, 1, 1]})");
  return manifest;
}

std::string ErrorOf(const std::string& text) {
  const auto manifest = ParseManifest(text);
  EXPECT_EQ(manifest.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(manifest.status().message());
}

// The error when the value at `pointer` is another one.
std::string ErrorWith(const char* pointer, const json& value,
                      json manifest = ValidJson()) {
  manifest[json::json_pointer(pointer)] = value;
  return ErrorOf(manifest.dump());
}

std::string ErrorWithout(const char* parent, const char* key) {
  json manifest = ValidJson();
  manifest[json::json_pointer(parent)].erase(key);
  return ErrorOf(manifest.dump());
}

TEST(ParseManifestTest, ReadsWhatOthersWrite) {
  const auto manifest = ParseManifest(ValidJson().dump());

  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->created, absl::FromUnixSeconds(1'794'803'400));
  EXPECT_EQ(manifest->trainer_config, R"({"a":[1,2.5],"b":1})");
  EXPECT_EQ(manifest->routing.tau, 1);
}

TEST(ParseManifestTest, ReadsImages) {
  EXPECT_TRUE(ParseManifest(ImageJson().dump()).ok());
}

TEST(ParseManifestTest, NeedsNoOptionalFields) {
  json manifest = ValidJson();
  manifest.erase("coverage");
  manifest["trainer"].erase("config");

  const auto parsed = ParseManifest(manifest.dump());

  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->trainer_config, "{}");
  EXPECT_TRUE(parsed->coverage.levels.empty());
}

TEST(ParseManifestTest, IgnoresFieldsThatItDoesNotKnow) {
  json manifest = ValidJson();
  manifest["later"] = 1;
  manifest["routing"]["later"] = {{"a", 1}};

  EXPECT_TRUE(ParseManifest(manifest.dump()).ok());
}

TEST(ParseManifestTest, LooksAtTheFormatVersionFirst) {
  EXPECT_EQ(ErrorOf(R"({"format_version": 2, "model": [], "files": 7})"),
            "manifest.json: format_version: expected 1, the format version "
            "that this program reads, found 2");
  EXPECT_THAT(ErrorOf("{}"),
              StartsWith("manifest.json: format_version: expected a value"));
  EXPECT_THAT(ErrorWith("/format_version", "1"), HasSubstr("found \"1\""));
  EXPECT_THAT(ErrorWith("/format_version", 0), HasSubstr("found 0"));
}

TEST(ParseManifestTest, SaysWhereTheTextIsNoJson) {
  EXPECT_THAT(ErrorOf("{\n  \"format_version\": 1,\n  nonsense"),
              HasSubstr("line 3, column 4"));
}

TEST(ParseManifestTest, RejectsATextThatIsTooLong) {
  std::string text = ValidJson().dump();
  text.append((size_t{64} << 20) + 1 - text.size(), ' ');

  EXPECT_EQ(ErrorOf(text),
            "manifest.json: expected at most 67108864 bytes, found 67108865");
}

TEST(ParseManifestTest, RejectsDuplicateKeys) {
  std::string text = ValidJson().dump();
  text.insert(1, "\"model\": \"other\", ");

  EXPECT_EQ(ErrorOf(text),
            "manifest.json: expected every key once, found another model");
}

TEST(ParseManifestTest, NamesMissingFields) {
  EXPECT_EQ(ErrorWithout("", "model"),
            "manifest.json: model: expected a value, found none");
  EXPECT_EQ(ErrorWithout("/sources/1", "fingerprint_samples"),
            "manifest.json: sources[1].fingerprint_samples: expected a value, "
            "found none");
  EXPECT_EQ(ErrorWithout("/routing", "diameter"),
            "manifest.json: routing.diameter: expected a value, found none");
  for (const char* key :
       {"version", "created", "trainer", "classes", "sources", "input",
        "content_dimension", "style_dimension", "routing", "files"}) {
    EXPECT_THAT(ErrorWithout("", key), HasSubstr(key));
  }
}

TEST(ParseManifestTest, NamesFieldsOfAnotherType) {
  EXPECT_EQ(ErrorWith("/model", 7),
            "manifest.json: model: expected a string, found 7");
  EXPECT_EQ(ErrorWith("/classes", "a"),
            "manifest.json: classes: expected an array, found \"a\"");
  EXPECT_EQ(ErrorWith("/classes/1", nullptr),
            "manifest.json: classes[1]: expected a string, found null");
  EXPECT_EQ(ErrorWith("/trainer", json::array()),
            "manifest.json: trainer: expected an object, found an array of 0");
  EXPECT_EQ(ErrorWith("/trainer/config", "x"),
            "manifest.json: trainer.config: expected an object, found \"x\"");
  EXPECT_EQ(ErrorWith("/routing/tau", "0.5"),
            "manifest.json: routing.tau: expected a number, found \"0.5\"");
}

TEST(ParseManifestTest, RejectsNumbersThatAreNoIntegersInRange) {
  EXPECT_THAT(ErrorWith("/version", -1),
              StartsWith("manifest.json: version: expected an integer"));
  EXPECT_THAT(ErrorWith("/style_dimension", 4.5), HasSubstr("found 4.5"));
  EXPECT_THAT(ErrorWith("/sources/0/training_samples", 1e30),
              HasSubstr("found 1e+30"));
  EXPECT_THAT(ErrorWith("/input/shape/0", UINT64_MAX),
              StartsWith("manifest.json: input.shape[0]: "));
}

TEST(ParseManifestTest, ValidatesWhatItHasRead) {
  EXPECT_EQ(ErrorWith("/sources/1/name", "s"),
            "manifest.json: sources[1].name: expected a name that has not come "
            "before, found \"s\" again");
  EXPECT_THAT(ErrorWith("/routing/k", 3),
              StartsWith("manifest.json: routing.k: "));
}

TEST(ParseManifestTest, RejectsTimesThatAreNone) {
  for (const char* time : {"", "yesterday", "2026-13-01T00:00:00Z",
                           "2026-11-16", "infinite-future"}) {
    EXPECT_THAT(ErrorWith("/created", time),
                StartsWith("manifest.json: created: expected a time like "));
  }
}

TEST(ParseManifestTest, RejectsAnUnknownInput) {
  EXPECT_EQ(ErrorWith("/input/kind", "sound"),
            "manifest.json: input.kind: expected \"image\" or \"tensor\", "
            "found \"sound\"");
}

TEST(ParseManifestTest, RejectsChannelsThatAreNotThree) {
  EXPECT_EQ(ErrorWith("/input/mean", {0.5}, ImageJson()),
            "manifest.json: input.mean: expected one number for each of red, "
            "green and blue, found an array of 1");
  EXPECT_THAT(ErrorWith("/input/std/1", 1e300, ImageJson()),
              StartsWith("manifest.json: input.std[1]: expected a number in"));
}

TEST(ParseManifestTest, RejectsUnknownRoutingMethods) {
  EXPECT_EQ(ErrorWith("/routing/method", "best"),
            "manifest.json: routing.method: expected the name of a routing "
            "method, found \"best\"");
}

TEST(ParseManifestTest, RejectsNeighboursThatAreNeitherNumberNorAll) {
  EXPECT_EQ(ErrorWith("/routing/k", "some"),
            "manifest.json: routing.k: expected an integer or \"all\", found "
            "\"some\"");
  // kAllSources must not be reachable as a number.
  EXPECT_THAT(ErrorWith("/routing/k", UINT64_MAX), HasSubstr("routing.k"));
}

TEST(ParseManifestTest, RejectsAnotherDistance) {
  EXPECT_EQ(ErrorWith("/routing/p", 2),
            "manifest.json: routing.p: expected 1, found 2");
  EXPECT_EQ(ErrorWith("/routing/diameter", "global"),
            "manifest.json: routing.diameter: expected \"pair\", found "
            "\"global\"");
}

TEST(ParseManifestTest, RejectsSourceDistancesThatAreNoSquare) {
  EXPECT_EQ(ErrorWith("/source_distances", json::array()),
            "manifest.json: source_distances: expected an array of 2, found an "
            "array of 0");
  EXPECT_EQ(ErrorWith("/source_distances", {{0, 1}, {1}}),
            "manifest.json: source_distances[1]: expected an array of 2, found "
            "an array of 1");
}

TEST(ParseManifestTest, RejectsChecksumsThatAreNone) {
  const char* pointer = "/files/encoder.onnx/sha256";
  EXPECT_THAT(ErrorWith(pointer, std::string(63, 'a')),
              StartsWith("manifest.json: files.encoder.onnx.sha256: expected "
                         "64 lower-case hexadecimal digits, found "));
  EXPECT_THAT(ErrorWith(pointer, std::string(64, 'A')), HasSubstr("64 lower"));
  EXPECT_THAT(ErrorWith(pointer, std::string(64, 'g')), HasSubstr("64 lower"));
}

}  // namespace
}  // namespace ladder::model_store
