#include "imaging/rejection.h"

#include "gtest/gtest.h"

namespace ladder::imaging {
namespace {

TEST(RejectionTest, AnErrorCarriesItsReason) {
  for (const Rejection rejection :
       {Rejection::kUnsupported, Rejection::kTooLarge, Rejection::kCorrupt}) {
    const absl::Status status = RejectImage(rejection, "because");
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), "because");
    EXPECT_EQ(GetRejection(status), rejection);
  }
}

TEST(RejectionTest, OtherStatusesHaveNone) {
  EXPECT_EQ(GetRejection(absl::OkStatus()), std::nullopt);
  EXPECT_EQ(GetRejection(absl::InvalidArgumentError("x")), std::nullopt);
}

TEST(RejectionTest, NamesSuitAMetricsLabel) {
  EXPECT_EQ(RejectionName(Rejection::kUnsupported), "unsupported");
  EXPECT_EQ(RejectionName(Rejection::kTooLarge), "too_large");
  EXPECT_EQ(RejectionName(Rejection::kCorrupt), "corrupt");
}

}  // namespace
}  // namespace ladder::imaging
