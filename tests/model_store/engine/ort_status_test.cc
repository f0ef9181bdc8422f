#include "model_store/engine/ort_status.h"

#include <new>
#include <stdexcept>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/engine/environment.h"

namespace ladder::model_store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

absl::StatusCode Code(OrtErrorCode code, const char* message) {
  return OrtErrorToStatus(code, message, "encoder.onnx").code();
}

TEST(OrtStatusTest, MapsCodes) {
  EXPECT_EQ(Code(ORT_INVALID_ARGUMENT, "bad input"),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Code(ORT_INVALID_PROTOBUF, "bad bytes"),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Code(ORT_INVALID_GRAPH, "bad graph"),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Code(ORT_NO_SUCHFILE, "no file"), absl::StatusCode::kNotFound);
  EXPECT_EQ(Code(ORT_NOT_IMPLEMENTED, "no kernel"),
            absl::StatusCode::kUnimplemented);
  EXPECT_EQ(Code(ORT_FAIL, "failed"), absl::StatusCode::kInternal);
  EXPECT_EQ(Code(ORT_RUNTIME_EXCEPTION, "failed"), absl::StatusCode::kInternal);
  EXPECT_EQ(Code(ORT_EP_FAIL, "failed"), absl::StatusCode::kInternal);
}

TEST(OrtStatusTest, KnowsTerminationByItsWords) {
  EXPECT_EQ(Code(ORT_FAIL, "Exiting due to terminate flag being set to true."),
            absl::StatusCode::kCancelled);
}

TEST(OrtStatusTest, KnowsExhaustedMemoryByItsWords) {
  for (const char* message :
       {"Non-zero status code returned while running Add node. std::bad_alloc",
        "no memory for 8 bytes: 7 are in use, host_arena_limit is 10",
        "Failed to allocate memory for requested buffer of size 1024",
        "Available memory of 1024 is smaller than requested bytes of 4096",
        "CUDA failure 2: out of memory ; GPU=0",
        "CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED"}) {
    EXPECT_EQ(Code(ORT_FAIL, message), absl::StatusCode::kResourceExhausted)
        << message;
  }
}

TEST(OrtStatusTest, SaysWhatWasTriedAndWhatOrtSaid) {
  const absl::Status status =
      OrtErrorToStatus(ORT_FAIL, "node Add failed\n", "encoder.onnx");

  EXPECT_EQ(status.message(), "encoder.onnx: node Add failed");
}

TEST(OrtStatusTest, CatchesEveryException) {
  const absl::Status ort = CatchOrt(
      "here", [] { throw Ort::Exception("bad", ORT_INVALID_ARGUMENT); });
  const absl::Status memory = CatchOrt("here", [] { throw std::bad_alloc(); });
  const absl::Status other =
      CatchOrt("here", [] { throw std::runtime_error("odd"); });
  const absl::Status unknown = CatchOrt("here", [] { throw 7; });

  EXPECT_EQ(ort, absl::InvalidArgumentError("here: bad"));
  EXPECT_EQ(memory.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(other, absl::InternalError("here: odd"));
  EXPECT_EQ(unknown.code(), absl::StatusCode::kInternal);
}

TEST(OrtStatusTest, PassesResultsThrough) {
  EXPECT_EQ(CatchOrt("here", [] {}), absl::OkStatus());
  EXPECT_EQ(CatchOrt("here", [] { return 7; }).value(), 7);
  EXPECT_EQ(CatchOrt("here", [] { return absl::NotFoundError("gone"); }),
            absl::NotFoundError("gone"));
  EXPECT_EQ(CatchOrt("here", [] { return absl::StatusOr<int>(7); }).value(), 7);
  const absl::StatusOr<int> failed = CatchOrt(
      "here",
      []() -> absl::StatusOr<int> { throw Ort::Exception("bad", ORT_FAIL); });
  EXPECT_EQ(failed.status(), absl::InternalError("here: bad"));
}

TEST(OrtVersionTest, AcceptsTheOldestAndLater) {
  for (const char* version : {"1.24.0", "1.24", "1.31.1", "2.0.0"}) {
    EXPECT_TRUE(CheckOrtVersion(version).ok()) << version;
  }
}

TEST(OrtVersionTest, RefusesEarlierOnesNamingBoth) {
  for (const char* version : {"1.23.2", "1.9.0", "0.99.0"}) {
    const absl::Status status = CheckOrtVersion(version);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("1.24"), HasSubstr(version)));
  }
}

TEST(OrtVersionTest, RefusesWhatIsNoVersion) {
  for (const char* version : {"", "1", "one.two", "1.x"}) {
    EXPECT_FALSE(CheckOrtVersion(version).ok()) << version;
  }
}

TEST(OrtVersionTest, AcceptsTheLibraryThatIsLinked) {
  EXPECT_TRUE(CheckOrtVersion(OrtGetApiBase()->GetVersionString()).ok());
}

}  // namespace
}  // namespace ladder::model_store
