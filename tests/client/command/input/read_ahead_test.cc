#include "client/command/input/read_ahead.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/input/read_group.h"

namespace ladder::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// What a CountingReader has done; outlives it.
struct Counts {
  std::atomic<int> read = 0;
  std::atomic<int> rewound = 0;
  std::atomic<int> taken = 0;  // Counted by the test.
  std::atomic<int> most_waiting = 0;
};

// Gives `num_chunks` pictures of 100 bytes, then ends or fails.
class CountingReader : public SampleReader {
 public:
  CountingReader(int num_chunks, absl::Status end, Counts& counts)
      : num_chunks_(num_chunks), end_(std::move(end)), counts_(counts) {}

  absl::StatusOr<std::optional<v1::Samples>> Next() override {
    if (next_ == num_chunks_) {
      if (!end_.ok()) return end_;
      return std::nullopt;
    }
    const int waiting = ++counts_.read - counts_.taken;
    counts_.most_waiting = std::max<int>(counts_.most_waiting, waiting);
    v1::Samples samples;
    samples.mutable_images()->add_images(std::string(100, 'x'));
    samples.add_ids(absl::StrCat(next_++));
    return samples;
  }

  absl::Status Rewind() override {
    ++counts_.rewound;
    next_ = 0;
    return absl::OkStatus();
  }

 private:
  const int num_chunks_;
  const absl::Status end_;
  Counts& counts_;
  int next_ = 0;
};

std::unique_ptr<SampleReader> Ahead(int num_chunks, size_t max_bytes,
                                    Counts& counts, absl::Status end = {}) {
  return ReadAhead(
      std::make_unique<CountingReader>(num_chunks, std::move(end), counts),
      max_bytes);
}

TEST(ReadAheadTest, GivesTheSameChunksInOrder) {
  Counts counts;
  const auto reader = Ahead(/*num_chunks=*/4, /*max_bytes=*/150, counts);

  const ReadSamples samples = ReadAll(*reader);

  EXPECT_TRUE(samples.status.ok());
  EXPECT_THAT(samples.ids, ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(samples.chunk_sizes, ElementsAre(1, 1, 1, 1));
  const auto behind = reader->Next();
  ASSERT_TRUE(behind.ok());
  EXPECT_FALSE(behind->has_value());
}

TEST(ReadAheadTest, KeepsNoMoreThanTheLimitAndOneChunk) {
  Counts counts;
  const auto reader = Ahead(/*num_chunks=*/500, /*max_bytes=*/250, counts);

  for (int i = 0; i < 500; ++i) {
    const auto chunk = reader->Next();
    ASSERT_TRUE(chunk.ok() && chunk->has_value());
    ++counts.taken;
  }

  // Three reach 250 bytes; the one that was taken last may not be counted yet.
  EXPECT_LE(counts.most_waiting, 4);
  EXPECT_EQ(counts.read, 500);
}

TEST(ReadAheadTest, ReadsEvenIfTheLimitIsSmallerThanAChunk) {
  Counts counts;

  EXPECT_THAT(ReadAll(*Ahead(/*num_chunks=*/3, /*max_bytes=*/1, counts)).ids,
              SizeIs(3));
}

TEST(ReadAheadTest, GivesAnErrorBehindTheChunksBeforeIt) {
  Counts counts;
  const auto reader = Ahead(/*num_chunks=*/2, /*max_bytes=*/1000, counts,
                            absl::DataLossError("broken"));

  const ReadSamples samples = ReadAll(*reader);

  EXPECT_THAT(samples.ids, ElementsAre("0", "1"));
  EXPECT_EQ(samples.status, absl::DataLossError("broken"));
  EXPECT_EQ(reader->Next().status(), absl::DataLossError("broken"));
}

TEST(ReadAheadTest, BeginsAnewAtAnyTime) {
  Counts counts;
  const auto reader = Ahead(/*num_chunks=*/20, /*max_bytes=*/250, counts);

  for (int taken = 0; taken <= 20; ++taken) {
    for (int i = 0; i < taken; ++i) ASSERT_TRUE(reader->Next().ok());
    ASSERT_TRUE(reader->Rewind().ok());
  }

  const ReadSamples samples = ReadAll(*reader);
  EXPECT_EQ(counts.rewound, 21);
  ASSERT_THAT(samples.ids, SizeIs(20));
  EXPECT_EQ(samples.ids.front(), "0");
  EXPECT_EQ(samples.ids.back(), "19");
}

TEST(ReadAheadTest, BeginsAnewAfterAnError) {
  Counts counts;
  const auto reader = Ahead(/*num_chunks=*/1, /*max_bytes=*/250, counts,
                            absl::DataLossError("broken"));
  EXPECT_FALSE(ReadAll(*reader).status.ok());

  ASSERT_TRUE(reader->Rewind().ok());

  EXPECT_THAT(ReadAll(*reader).ids, ElementsAre("0"));
}

TEST(ReadAheadTest, MayBeDestroyedAtAnyTime) {
  for (int taken = 0; taken < 20; ++taken) {
    Counts counts;
    const auto reader = Ahead(/*num_chunks=*/20, /*max_bytes=*/250, counts);
    for (int i = 0; i < taken; ++i) {
      const auto chunk = reader->Next();
      ASSERT_TRUE(chunk.ok());
      ASSERT_TRUE(chunk->has_value());
    }
  }
}

TEST(ReadAheadTest, TakesAnEmptyGroup) {
  Counts counts;

  const ReadSamples samples =
      ReadAll(*Ahead(/*num_chunks=*/0, /*max_bytes=*/250, counts));

  EXPECT_TRUE(samples.status.ok());
  EXPECT_THAT(samples.ids, IsEmpty());
}

}  // namespace
}  // namespace ladder::client
