#include <span>
#include <stop_token>
#include <string>

#include "gtest/gtest.h"
#include "model_store/format/file_bytes.h"

namespace ladder::model_store {
namespace {

std::string DigestOf(const std::string& text) {
  return Sha256(std::as_bytes(std::span(text)));
}

// The examples of FIPS 180-4.
TEST(Sha256Test, GivesTheStandardsDigests) {
  EXPECT_EQ(DigestOf(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(DigestOf("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(DigestOf(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, StopsWhenAsked) {
  const std::string text = "so many bytes that somebody loses patience";
  std::stop_source source;
  source.request_stop();

  const auto digest =
      Sha256(std::as_bytes(std::span(text)), source.get_token());

  EXPECT_EQ(digest.status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace ladder::model_store
