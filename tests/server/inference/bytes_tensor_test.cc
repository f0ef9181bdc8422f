#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/inference/input_tensor.h"
#include "server/inference/output_tensor.h"
#include "tests/server/inference/request_builder.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ErrorOf(absl::string_view raw, size_t count) {
  const auto elements = SplitBytesTensor(raw, count);
  EXPECT_EQ(elements.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(elements.status().message());
}

TEST(BytesTensorTest, SplitsElementsWithoutCopyingThem) {
  const std::string raw = RawBytes({"ab", "", std::string(300, 'c')});

  const auto elements = SplitBytesTensor(raw, 3);

  ASSERT_TRUE(elements.ok()) << elements.status();
  EXPECT_THAT(*elements, ElementsAre("ab", "", std::string(300, 'c')));
  EXPECT_EQ((*elements)[0].data(), raw.data() + 4);
}

TEST(BytesTensorTest, WritesWhatItReads) {
  std::string raw;
  AppendBytesElement("ab", raw);
  AppendBytesElement("", raw);
  AppendBytesElement(std::string(70000, 'c'), raw);

  EXPECT_EQ(raw, RawBytes({"ab", "", std::string(70000, 'c')}));
}

TEST(BytesTensorTest, NamesTheElementThatIsCut) {
  const std::string raw = RawBytes({"ab", "cdefgh"});

  EXPECT_THAT(ErrorOf(raw.substr(0, raw.size() - 2), 2),
              HasSubstr("element 1: expected 6 bytes of content, 4 are left"));
  EXPECT_THAT(ErrorOf(raw.substr(0, 8), 2),
              HasSubstr("element 1: expected 4 bytes of length, 2 are left"));
}

TEST(BytesTensorTest, NoPrefixOfATensorIsATensor) {
  const std::string raw = RawBytes({"ab", "", "cdefgh"});

  for (size_t size = 0; size < raw.size(); ++size) {
    EXPECT_FALSE(SplitBytesTensor(raw.substr(0, size), 3).ok()) << size;
  }
}

TEST(BytesTensorTest, RejectsBytesBehindTheEnd) {
  EXPECT_THAT(ErrorOf(RawBytes({"ab", "cde"}), 1),
              HasSubstr("the end behind 1 elements, 7 bytes are left"));
}

TEST(BytesTensorTest, RejectsTheLargestLength) {
  EXPECT_THAT(ErrorOf("\xFF\xFF\xFF\xFF", 1),
              HasSubstr("expected 4294967295 bytes of content, 0 are left"));
}

TEST(BytesTensorTest, TakesNoMemoryForElementsThatCannotBeThere) {
  EXPECT_THAT(ErrorOf(RawBytes({"ab"}), SIZE_MAX / 2),
              HasSubstr("elements with their lengths, got 6 bytes"));
}

}  // namespace
}  // namespace ladder::server
