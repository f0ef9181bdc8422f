#include <filesystem>
#include <string>

#include "experiments/example/garments.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/experiments/example/idx_files.h"
#include "tests/temporary_directory.h"

namespace ladder::experiments {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class IdxFileTest : public ::testing::Test {
 protected:
  // Expects an InvalidArgument error that names the file and says this.
  void ExpectInvalid(size_t num_dimensions, const std::string& message) const {
    const absl::Status status = ReadIdx(path_, num_dimensions).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr(path_.string()), HasSubstr(message)));
  }

  TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_.path() / "array.gz";
};

TEST_F(IdxFileTest, ReadsShapeAndValues) {
  WriteGzip(path_, Idx({2, 1, 3}, "abcxyz"));

  const auto array = ReadIdx(path_, 3);

  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_THAT(array->shape, ElementsAre(2, 1, 3));
  EXPECT_THAT(array->values, ElementsAre('a', 'b', 'c', 'x', 'y', 'z'));
}

TEST_F(IdxFileTest, ReadsDimensionsOfMoreThanAByte) {
  WriteGzip(path_, Idx({0x010203}, std::string(0x010203, '\xff')));

  const auto array = ReadIdx(path_, 1);

  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_THAT(array->shape, ElementsAre(66051));
  EXPECT_EQ(array->values.size(), 66051u);
  EXPECT_EQ(array->values.back(), 255);
}

TEST_F(IdxFileTest, ReadsFilesThatAreNotPacked) {
  WriteFile(path_, Idx({2}, "ab"));

  const auto array = ReadIdx(path_, 1);

  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_THAT(array->values, ElementsAre('a', 'b'));
}

TEST_F(IdxFileTest, ReadsAnArrayOfNothing) {
  WriteGzip(path_, Idx({0}, ""));

  const auto array = ReadIdx(path_, 1);

  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_THAT(array->values, IsEmpty());
}

TEST_F(IdxFileTest, SaysThatAFileIsMissing) {
  const absl::Status status = ReadIdx(path_, 1).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr(path_.string()));
}

TEST_F(IdxFileTest, RejectsAFolder) {
  EXPECT_FALSE(ReadIdx(directory_.path(), 1).ok());
}

TEST_F(IdxFileTest, RejectsAnotherMagic) {
  WriteGzip(path_, "PNG, not IDX");
  ExpectInvalid(1, "begins with 00000801, found 504e472c");
}

TEST_F(IdxFileTest, RejectsAnotherNumberOfDimensions) {
  WriteGzip(path_, Idx({2}, "ab"));
  ExpectInvalid(3, "begins with 00000803, found 00000801");
}

TEST_F(IdxFileTest, RejectsAFileThatEndsInItsHeader) {
  WriteGzip(path_, Idx({2}, "").substr(0, 6));
  ExpectInvalid(1, "expected 2 bytes more, found its end after 6");
}

TEST_F(IdxFileTest, RejectsAnEmptyFile) {
  WriteFile(path_, "");
  ExpectInvalid(1, "expected 4 bytes more, found its end after 0");
}

TEST_F(IdxFileTest, RejectsFewerValuesThanTheHeaderSays) {
  WriteGzip(path_, Idx({2, 3}, "abcde"));
  ExpectInvalid(2, "expected 1 bytes more, found its end after 17");
}

TEST_F(IdxFileTest, RejectsMoreValuesThanTheHeaderSays) {
  WriteGzip(path_, Idx({2, 3}, "abcdefg"));
  ExpectInvalid(2, "expected its end after 18 bytes, found more");
}

TEST_F(IdxFileTest, RejectsSizesBeyondMemoryWithoutTryingThem) {
  WriteGzip(path_, Idx({0xffffffff, 0xffffffff, 0xffffffff}, "a"));
  ExpectInvalid(3, "4294967295 x 4294967295 x 4294967295");
}

TEST_F(IdxFileTest, RejectsAGzipFileCutShortAnywhere) {
  WriteGzip(path_, Idx({3}, "abc"));
  const std::string whole = ReadFile(path_);
  // Before that it is no gzip file at all.
  for (size_t length = 10; length < whole.size(); ++length) {
    WriteFile(path_, whole.substr(0, length));
    EXPECT_EQ(ReadIdx(path_, 1).status().code(),
              absl::StatusCode::kInvalidArgument)
        << length << " of " << whole.size() << " bytes";
  }
}

TEST_F(IdxFileTest, RejectsAWrongChecksum) {
  WriteGzip(path_, Idx({3}, "abc"));
  std::string content = ReadFile(path_);
  content[content.size() - 8] ^= 1;
  WriteFile(path_, content);
  ExpectInvalid(1, "broken gzip");
}

}  // namespace
}  // namespace ladder::experiments
