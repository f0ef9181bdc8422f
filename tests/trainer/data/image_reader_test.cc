#include <string>
#include <vector>

#include "base/files/fault.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/data_folder.h"
#include "trainer/data/covariate_readers.h"

namespace ladder::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr size_t kSize = 3 * 8 * 10;

model_store::ImageInput Input() {
  return {.height = 8,
          .width = 10,
          .mean = {0.1f, 0.2f, 0.3f},
          .std = {0.5f, 0.6f, 0.7f}};
}

std::shared_ptr<const ImageReader> ReaderOf(const DataFolder& folder,
                                            const std::string& file) {
  return ImageReader::Create({.folder = folder.path(),
                              .list = "list.csv",
                              .entries = {{.path = file, .line = 17}}},
                             Input(), {})
      .value();
}

TEST(ImageReaderTest, SeesThePixelsThatTheServerSees) {
  const DataFolder folder;
  const imaging::Bytes jpeg = folder.WriteJpeg("a.jpg", /*seed=*/3);
  const auto preprocessor = imaging::Preprocessor::Create(
      {.height = 8,
       .width = 10,
       .normalize = {.mean = Input().mean, .std = Input().std}});
  std::vector<float> expected(kSize);
  ASSERT_TRUE(preprocessor->Run(jpeg, expected).ok());
  std::vector<float> x(kSize);

  const absl::Status status = ReaderOf(folder, "a.jpg")->Read(0, x);

  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(x, expected);
}

TEST(ImageReaderTest, FollowsSymbolicLinks) {
  const DataFolder folder;
  folder.WritePng("a.png", /*seed=*/3);
  std::filesystem::create_symlink("a.png", folder / "link.png");
  std::vector<float> x(kSize);

  const absl::Status status = ReaderOf(folder, "link.png")->Read(0, x);

  EXPECT_TRUE(status.ok()) << status;
}

TEST(ImageReaderTest, TellsWhyAndWhereAPictureIsBroken) {
  const DataFolder folder;
  const imaging::Bytes jpeg = folder.WriteJpeg("a.jpg", /*seed=*/3);
  folder.Write("cut.jpg",
               {reinterpret_cast<const char*>(jpeg.data()), jpeg.size() / 2});
  folder.Write("text.jpg", "not a picture");
  folder.Write("empty.jpg", "");
  std::filesystem::create_directory(folder / "folder.jpg");
  const std::pair<std::string, std::string> reasons[] = {
      {"cut.jpg", "corrupt"},       {"text.jpg", "unsupported"},
      {"empty.jpg", "unsupported"}, {"folder.jpg", "unreadable file"},
      {"none.jpg", "missing file"}, {"a.jpg/none.jpg", "missing file"}};
  for (const auto& [file, reason] : reasons) {
    std::vector<float> x(kSize);

    const absl::Status status = ReaderOf(folder, file)->Read(0, x);

    EXPECT_EQ(base::FaultReason(status), reason) << status;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("list.csv:17: "), HasSubstr(file)));
  }
}

TEST(ImageReaderTest, ObeysTheLimitsOfDecoding) {
  const DataFolder folder;
  folder.WriteJpeg("a.jpg", /*seed=*/3);
  const auto reader = ImageReader::Create(
      {.folder = folder.path(), .list = "l", .entries = {{"a.jpg", 1}}},
      Input(), {.max_pixels = 100});
  ASSERT_TRUE(reader.ok()) << reader.status();
  std::vector<float> x(kSize);

  EXPECT_EQ(base::FaultReason((*reader)->Read(0, x)), "too_large");
}

TEST(ImageReaderTest, RejectsAnImpossibleInput) {
  model_store::ImageInput input = Input();
  input.width = 0;

  const auto reader = ImageReader::Create({}, input, {});

  EXPECT_EQ(reader.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(reader.status().message()), HasSubstr("width"));
}

}  // namespace
}  // namespace ladder::trainer
