#include "trainer/encode/encode_samples.h"

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/files/fault.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/fake_model.h"
#include "tests/trainer/data/fake_reader.h"
#include "tests/trainer/encode/served_bundle.h"

namespace ladder::trainer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::Pointwise;

constexpr size_t kSampleSize = 6;  // As the tiny bundle takes them.

// Whose encodings are its samples, 32 at a time.
model_store::FakeModel Echo() {
  return model_store::FakeModel(
      {.model = "echo",
       .classes = {"cat", "dog"},
       .sources = {{.name = "north"}, {.name = "south"}},
       .content_dimension = kSampleSize,
       .style_dimension = kSampleSize,
       .input = model_store::TensorInput{.shape = {kSampleSize}}},
      /*sha256=*/"");
}

// Samples as FakeDataset has them, in regions by the index modulo 2.
Dataset DatasetOf(size_t num_samples, FakeReader::OnRead on_read = nullptr) {
  Dataset dataset = FakeDataset(num_samples, kSampleSize, std::move(on_read));
  for (size_t i = 0; i < num_samples; ++i) {
    dataset.samples[i].region = static_cast<int64_t>(i % 2);
  }
  return dataset;
}

std::vector<size_t> FromLastToFirst(size_t num_samples) {
  std::vector<size_t> samples;
  for (size_t i = num_samples; i > 0; --i) samples.push_back(i - 1);
  return samples;
}

// Every number of a sample of DatasetOf is its index.
std::vector<float> Covariates(const std::vector<size_t>& samples) {
  std::vector<float> x;
  for (const size_t sample : samples) {
    x.insert(x.end(), kSampleSize, static_cast<float>(sample));
  }
  return x;
}

TEST(EncodeSamplesTest, GivesWhatTheModelGivesForEachSample) {
  const ServedBundle bundle;
  const auto model = bundle.Load();
  const Dataset dataset = DatasetOf(20);
  const std::vector<size_t> samples = {3, 1, 4, 15, 9, 2, 6, 5, 8, 7, 19};
  BrokenSamples broken;

  const auto encoded = EncodeSamples(*model, dataset, samples, {}, broken);

  ASSERT_TRUE(encoded.ok()) << encoded.status();
  ASSERT_EQ(encoded->size(), samples.size());
  EXPECT_EQ(encoded->num_sources, 3u);
  const auto row_of = [](const routing::MatrixView& matrix, size_t row) {
    return matrix.Values().subspan(row * matrix.cols, matrix.cols);
  };
  for (size_t i = 0; i < samples.size(); ++i) {
    const auto alone = model->Encode(Covariates({samples[i]}), 1, {});
    ASSERT_TRUE(alone.ok()) << alone.status();
    const auto equals = [](const model_store::Tensor& tensor) {
      return Pointwise(FloatNear(1e-4f), tensor.view().Values());
    };
    EXPECT_THAT(row_of(encoded->content_view(), i), equals(alone->z_c));
    EXPECT_THAT(row_of(encoded->style_view(), i), equals(alone->z_s));
    EXPECT_THAT(row_of(encoded->gate_view(), i), equals(alone->gate));
  }
}

TEST(EncodeSamplesTest, KeepsTheOrderAndWhatIsKnownOfTheSamples) {
  const model_store::FakeModel model = Echo();
  const Dataset dataset = DatasetOf(70);
  const std::vector<size_t> samples = FromLastToFirst(70);
  BrokenSamples broken;

  const auto encoded = EncodeSamples(model, dataset, samples, {}, broken);

  ASSERT_TRUE(encoded.ok()) << encoded.status();
  EXPECT_EQ(encoded->content, Covariates(samples));
  EXPECT_EQ(encoded->style, Covariates(samples));
  EXPECT_EQ(encoded->gate, std::vector<float>(70 * 2));
  ASSERT_EQ(encoded->labels.size(), 70u);
  ASSERT_EQ(encoded->domains.size(), 70u);
  ASSERT_EQ(encoded->regions.size(), 70u);
  for (size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(encoded->labels[i], static_cast<int64_t>(samples[i] % 3));
    EXPECT_EQ(encoded->domains[i], static_cast<int64_t>(samples[i] % 5));
    EXPECT_EQ(encoded->regions[i], static_cast<int64_t>(samples[i] % 2));
  }
}

TEST(EncodeSamplesTest, LeavesBrokenSamplesOutAndTellsThem) {
  const model_store::FakeModel model = Echo();
  // All of the second batch, and some of the others.
  const Dataset dataset = DatasetOf(70, [](size_t sample) {
    if (sample == 5) return base::Fault("missing file", "no such picture");
    if (sample >= 32 && sample < 64)
      return base::Fault("cut short", "half of it");
    return absl::OkStatus();
  });
  std::vector<size_t> samples;
  std::vector<size_t> whole;
  for (size_t i = 0; i < 70; ++i) {
    samples.push_back(i);
    if (i != 5 && (i < 32 || i >= 64)) whole.push_back(i);
  }
  BrokenSamples broken;

  const auto encoded = EncodeSamples(model, dataset, samples, {}, broken);

  ASSERT_TRUE(encoded.ok()) << encoded.status();
  EXPECT_EQ(encoded->content, Covariates(whole));
  ASSERT_EQ(encoded->size(), whole.size());
  EXPECT_EQ(encoded->labels[5], 6 % 3);
  EXPECT_EQ(encoded->regions[5], 6 % 2);
  EXPECT_THAT(broken.counts(),
              ElementsAre(Pair("cut short", 32), Pair("missing file", 1)));
}

TEST(EncodeSamplesTest, TellsHowManySamplesAreDoneAfterEveryBatch) {
  const model_store::FakeModel model = Echo();
  const Dataset dataset = DatasetOf(70);
  std::vector<size_t> told;
  BrokenSamples broken;

  const auto encoded = EncodeSamples(
      model, dataset, FromLastToFirst(70),
      {.on_progress = [&](size_t done) { told.push_back(done); }}, broken);

  ASSERT_TRUE(encoded.ok()) << encoded.status();
  EXPECT_THAT(told, ElementsAre(32, 64, 70));
}

TEST(EncodeSamplesTest, GivesNothingForNoSamples) {
  const model_store::FakeModel model = Echo();
  const Dataset dataset = DatasetOf(3);
  BrokenSamples broken;

  const auto encoded = EncodeSamples(model, dataset, {}, {}, broken);

  ASSERT_TRUE(encoded.ok()) << encoded.status();
  EXPECT_EQ(encoded->size(), 0u);
  EXPECT_THAT(encoded->content, IsEmpty());
}

TEST(EncodeSamplesTest, RefusesAnotherSampleShapeNamingBoth) {
  const model_store::FakeModel model = Echo();
  Dataset dataset = DatasetOf(3);
  dataset.input = model_store::TensorInput{.shape = {2, 3}};
  BrokenSamples broken;

  const auto encoded = EncodeSamples(model, dataset, {0}, {}, broken);

  EXPECT_EQ(encoded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(encoded.status().message()),
              AllOf(HasSubstr("shape [6]"), HasSubstr("model echo"),
                    HasSubstr("found [2, 3]")));
}

TEST(EncodeSamplesTest, EndsWithTheFirstErrorThatIsNoFaultOfTheSample) {
  const model_store::FakeModel model = Echo();
  const Dataset dataset = DatasetOf(40, [](size_t sample) {
    return sample == 35 ? absl::ResourceExhaustedError("too many open files")
                        : absl::OkStatus();
  });
  BrokenSamples broken;

  const auto encoded =
      EncodeSamples(model, dataset, FromLastToFirst(40), {}, broken);

  EXPECT_EQ(encoded.status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(EncodeSamplesTest, StopsWhenAskedTo) {
  const model_store::FakeModel model = Echo();
  const Dataset dataset = DatasetOf(3);
  std::stop_source source;
  source.request_stop();
  BrokenSamples broken;

  const auto encoded = EncodeSamples(model, dataset, {0, 1},
                                     {.stop = source.get_token()}, broken);

  EXPECT_EQ(encoded.status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace ladder::trainer
