#include "base/files/npy.h"

#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/data_folder.h"
#include "tests/write_npy.h"

namespace ladder::base {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kDictionary[] =
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";

std::string Prefix(int major, size_t length) {
  std::string prefix = "\x93NUMPY";
  prefix += static_cast<char>(major);
  prefix += '\0';
  for (size_t i = 0; i < (major == 1 ? 2u : 4u); ++i) {
    prefix += static_cast<char>(length >> (8 * i) & 0xFF);
  }
  return prefix;
}

std::string Header(const std::string& dictionary, int major = 1) {
  return Prefix(major, dictionary.size()) + dictionary;
}

absl::StatusOr<NpyHeader> Parse(const std::string& text) {
  return ParseNpyHeader(std::as_bytes(std::span(text)));
}

template <typename Number>
std::string Bytes(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()),
          numbers.size() * sizeof(Number)};
}

TEST(NpyHeaderTest, ReadsEveryVersion) {
  for (const int major : {1, 2, 3}) {
    const auto header = Parse(Header(kDictionary, major));

    ASSERT_TRUE(header.ok()) << header.status();
    EXPECT_EQ(header->type, NpyType::kFloat32);
    EXPECT_THAT(header->shape, ElementsAre(2, 3));
    EXPECT_EQ(header->length, Header(kDictionary, major).size());
    EXPECT_EQ(header->num_elements(), 6);
    EXPECT_EQ(header->num_bytes(), 24);
  }
}

TEST(NpyHeaderTest, ReadsAnyOrderAndSpacing) {
  const auto header = Parse(Header(
      "  {\"shape\":( 4 ,),'fortran_order' :False,'descr':\"<f8\"}   \n"));

  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->type, NpyType::kFloat64);
  EXPECT_THAT(header->shape, ElementsAre(4));
}

TEST(NpyHeaderTest, TellsWhatItExpectedAndFound) {
  const std::pair<std::string, std::string> cases[] = {
      {"PK\x03\x04 a zip file", "a .npy file"},
      {"", "a .npy file"},
      {Prefix(4, 0), "version 1.0, 2.0 or 3.0"},
      {Prefix(0, 0), "version 1.0, 2.0 or 3.0"},
      {Prefix(1, 100) + kDictionary, "110 bytes"},
      {Prefix(2, 0x7FFFFFFF) + kDictionary, "at most"},
      {Header(""), "expected {"},
      {Header("{'descr': '<f4', 'fortran_order': False, }"), "'shape'"},
      {Header("{'shape': (1,), 'shape': (1,)}"), "a key once"},
      {Header("{'color': 'red'}"), "a known key"},
      {Header("{'descr': '>f4'}"), "found \">f4\""},
      {Header("{'descr': '<i8'}"), "found \"<i8\""},
      {Header("{'descr': [('a', '<f4')]}"), "a plain type"},
      {Header("{'fortran_order': True}"), "C order"},
      {Header("{'shape': (-1,)}"), "a dimension"},
      {Header("{'shape': (1 2)}"), ", or )"},
      {Header("{'shape': 1}"), "expected ("},
      {Header("{'shape': (99999999999999999999,)}"), "a dimension"},
      {Header("{'shape': (4294967296, 4294967296)}"), "63 bits"},
      {Header("{'shape': (0, 4294967296, 4294967296)}"), "63 bits"},
      {Header("{'descr': '<f4"), "a string"},
      {Header(std::string(kDictionary) + "x"), "its end"},
      {Header("{'descr': '<f4' 'shape'"), ", or }"}};
  for (const auto& [text, expected] : cases) {
    const auto header = Parse(text);

    EXPECT_EQ(header.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(header.status().message()),
                AllOf(HasSubstr(expected), HasSubstr("found")));
  }
}

TEST(NpyHeaderTest, SurvivesEveryTruncation) {
  const std::string whole = Header(kDictionary, 3);
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(Parse(whole.substr(0, length)).ok()) << length;
  }
}

TEST(NpyFileTest, ReadsRowsOfFloats) {
  const DataFolder folder;
  const auto path = folder.Write(
      "x.npy", Header(kDictionary) + Bytes<float>({1, 2, 3, 4, 5, 6}));

  const auto file = NpyFile::Open(path);

  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->shape(), ElementsAre(2, 3));
  EXPECT_EQ(file->row_size(), 3u);
  std::vector<float> row(3);
  ASSERT_TRUE(file->ReadRow(1, row).ok());
  EXPECT_THAT(row, ElementsAre(4, 5, 6));
}

TEST(NpyFileTest, RoundsDoublesToFloat) {
  const DataFolder folder;
  const auto path = folder.Write(
      "x.npy",
      Header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1, 2), }") +
          Bytes<double>({0.1, 2, 0.3, -4e30}));

  const auto file = NpyFile::Open(path);

  ASSERT_TRUE(file.ok()) << file.status();
  std::vector<float> row(2);
  ASSERT_TRUE(file->ReadRow(1, row).ok());
  EXPECT_THAT(row, ElementsAre(0.3f, -4e30f));
}

TEST(NpyFileTest, RejectsAnotherLengthThanTheShapeSays) {
  for (const size_t num_floats : {5u, 7u}) {
    const DataFolder folder;
    const auto path = folder.Write(
        "x.npy", Header(kDictionary) + Bytes(std::vector<float>(num_floats)));

    const auto file = NpyFile::Open(path);

    EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(file.status().message()),
                AllOf(HasSubstr("x.npy"), HasSubstr("expected 24 bytes"),
                      HasSubstr("found " + std::to_string(4 * num_floats))));
  }
}

TEST(NpyFileTest, NamesTheFileOfABadHeader) {
  const DataFolder folder;

  const auto file = NpyFile::Open(folder.Write("x.npy", "text"));

  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(file.status().message()),
              AllOf(HasSubstr("x.npy: header"), HasSubstr(".npy file")));
}

TEST(NpyFileTest, RejectsASingleNumber) {
  const DataFolder folder;
  const auto path = folder.Write(
      "x.npy",
      Header("{'descr': '<f4', 'fortran_order': False, 'shape': (), }") +
          Bytes<float>({1}));

  const auto file = NpyFile::Open(path);

  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(WriteNpyTest, WritesTheBytesThatNumPyWrites) {
  const DataFolder folder;

  ASSERT_TRUE(WriteNpy(folder / "x.npy", std::vector<int64_t>{2},
                       std::vector<float>{1, 2})
                  .ok());

  std::ifstream in(folder / "x.npy", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  std::string dictionary =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  dictionary.resize(117, ' ');
  EXPECT_EQ(bytes, Header(dictionary + "\n") + Bytes<float>({1, 2}));
}

TEST(WriteNpyTest, IsReadBack) {
  const DataFolder folder;
  ASSERT_TRUE(WriteNpy(folder / "x.npy", std::vector<int64_t>{2, 2},
                       std::vector<float>{1, 2, 3, 4})
                  .ok());

  const auto file = NpyFile::Open(folder / "x.npy");

  ASSERT_TRUE(file.ok()) << file.status();
  std::vector<float> row(2);
  ASSERT_TRUE(file->ReadRow(1, row).ok());
  EXPECT_THAT(row, ElementsAre(3, 4));
}

TEST(WriteNpyTest, ReportsWhereItCannotWrite) {
  const DataFolder folder;

  const absl::Status status = WriteNpy(
      folder / "none/x.npy", std::vector<int64_t>{1}, std::vector<float>{1});

  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("none/x.npy"));
}

}  // namespace
}  // namespace ladder::base
