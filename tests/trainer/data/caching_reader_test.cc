#include <thread>
#include <vector>

#include "base/files/fault.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/trainer/data/fake_reader.h"
#include "trainer/data/covariate_readers.h"

namespace ladder::trainer {
namespace {

using ::testing::Each;

constexpr size_t kNumbers = 10;
constexpr size_t kSampleBytes = kNumbers * sizeof(float);

std::vector<float> Read(const CovariateReader& reader, size_t sample) {
  std::vector<float> x(kNumbers);
  EXPECT_TRUE(reader.Read(sample, x).ok());
  return x;
}

TEST(CachingReaderTest, ReadsASampleOnce) {
  const auto fake = std::make_shared<FakeReader>();
  const CachingReader reader(fake, 100, kNumbers, 100 * kSampleBytes);

  for (int pass = 0; pass < 3; ++pass) {
    for (size_t i = 0; i < 100; ++i) {
      EXPECT_THAT(Read(reader, i), Each(static_cast<float>(i)));
    }
  }

  EXPECT_EQ(fake->num_reads(), 100);
  EXPECT_EQ(reader.size(), 100u);
}

TEST(CachingReaderTest, KeepsNoMoreThanItMay) {
  const auto fake = std::make_shared<FakeReader>();
  const CachingReader reader(fake, 100, kNumbers, 31 * kSampleBytes - 1);

  for (int pass = 0; pass < 3; ++pass) {
    for (size_t i = 0; i < 100; ++i) {
      EXPECT_THAT(Read(reader, i), Each(static_cast<float>(i)));
    }
  }

  EXPECT_EQ(reader.size(), 30u);
  EXPECT_EQ(fake->num_reads(), 100 + 70 + 70);
}

TEST(CachingReaderTest, DoesNotKeepBrokenSamples) {
  bool is_broken = true;
  const auto fake = std::make_shared<FakeReader>([&](size_t) {
    return is_broken ? base::Fault("corrupt", "broken") : absl::OkStatus();
  });
  const CachingReader reader(fake, 1, kNumbers, kSampleBytes);
  std::vector<float> x(kNumbers);

  EXPECT_EQ(base::FaultReason(reader.Read(0, x)), "corrupt");
  is_broken = false;

  EXPECT_THAT(Read(reader, 0), Each(0.0f));
  EXPECT_EQ(reader.size(), 1u);
}

TEST(CachingReaderTest, ServesManyThreads) {
  const auto fake = std::make_shared<FakeReader>();
  const CachingReader reader(fake, 50, kNumbers, 40 * kSampleBytes);

  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&reader] {
      for (int pass = 0; pass < 20; ++pass) {
        for (size_t i = 0; i < 50; ++i) {
          EXPECT_THAT(Read(reader, i), Each(static_cast<float>(i)));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_LE(reader.size(), 40u);
}

TEST(CachingReaderTest, IsPutBeforeADataSetsReader) {
  const Dataset dataset = FakeDataset(10, kNumbers);

  const Dataset cached = WithCache(dataset, 10 * kSampleBytes);
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_THAT(Read(*cached.reader, 7), Each(7.0f));
  }

  EXPECT_EQ(cached.samples.size(), 10u);
  EXPECT_EQ(static_cast<const FakeReader&>(*dataset.reader).num_reads(), 1);
  EXPECT_EQ(WithCache(dataset, 0).reader, dataset.reader);
}

}  // namespace
}  // namespace ladder::trainer
