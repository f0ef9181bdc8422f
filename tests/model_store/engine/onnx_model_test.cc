#include "model_store/engine/onnx_model.h"

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/engine/environment.h"
#include "tests/model_store/engine/test_models.h"
#include "tests/model_store/onnx_runner.h"
#include "tests/model_store/tiny_bundle.h"

namespace ladder::model_store {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAreArray;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

std::vector<float> Values(const Tensor& tensor) {
  const std::span<const float> values = tensor.view().Values();
  return {values.begin(), values.end()};
}

void ExpectInvalid(const absl::Status& status, const std::string& argument,
                   const std::string& found) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr(argument), HasSubstr("expected"), HasSubstr(found)));
}

class OnnxModelTest : public ::testing::Test {
 protected:
  OnnxModelTest() : folder_(store_.Write(TinyBundle())) { Load(TestOptions()); }

  void Load(EngineOptions options) {
    model_.reset();
    engine_ = Engine::Create(std::move(options)).value();
    model_ = engine_->Load(folder_, {}).value();
  }

  Encoding Encode(size_t num_rows, unsigned seed = 1) {
    return model_
        ->Encode(RandomValues(num_rows * kTinySample, seed), num_rows, {})
        .value();
  }

  const BundleContents contents_ = TinyBundle();
  TestStore store_;
  const std::filesystem::path folder_;
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<const Model> model_;
};

TEST_F(OnnxModelTest, EncodesAsTheGraphDoesForEveryBatchSize) {
  const OnnxRunner reference(contents_.encoder);
  for (size_t n = 1; n <= model_->max_batch(); ++n) {
    const std::vector<float> x = RandomValues(n * kTinySample, 7);

    const auto encoding = model_->Encode(x, n, {});

    ASSERT_TRUE(encoding.ok()) << encoding.status();
    auto expected = reference.Run(
        {{"x",
          {.shape = {static_cast<int64_t>(n), kTinySample}, .values = x}}});
    const std::pair<const char*, const Tensor*> outputs[] = {
        {"z_c", &encoding->z_c},
        {"z_s", &encoding->z_s},
        {"gate", &encoding->gate}};
    for (const auto& [name, tensor] : outputs) {
      EXPECT_EQ(tensor->rows(), n);
      EXPECT_THAT(Values(*tensor),
                  Pointwise(FloatNear(1e-5F), expected.at(name).values))
          << name << " of " << n;
    }
  }
}

TEST_F(OnnxModelTest, KeepsNanOfOneSampleOutOfTheOthers) {
  std::vector<float> x = RandomValues(3 * kTinySample, 7);
  x[2 * kTinySample] = std::numeric_limits<float>::quiet_NaN();

  const Encoding encoding = model_->Encode(x, 3, {}).value();

  EXPECT_TRUE(std::isfinite(encoding.z_c.view().Row(1)[0]));
  EXPECT_TRUE(std::isnan(encoding.z_c.view().Row(2)[0]));
}

TEST_F(OnnxModelTest, RejectsBatchesThatDoNotFit) {
  const std::vector<float> x(9 * kTinySample);

  ExpectInvalid(model_->Encode({}, 0, {}).status(), "num_rows", "got 0");
  ExpectInvalid(model_->Encode(x, 9, {}).status(), "num_rows", "got 9");
  ExpectInvalid(model_->Encode(x, 2, {}).status(), "x", "got 54 values");
}

TEST_F(OnnxModelTest, TensorsOutliveModelAndEngine) {
  const Encoding encoding = Encode(3);
  const std::vector<float> before = Values(encoding.z_c);

  model_.reset();
  engine_.reset();

  EXPECT_EQ(Values(encoding.z_c), before);
}

TEST_F(OnnxModelTest, SelectsRowsOfBothTensors) {
  const Tensor first = Encode(3, 1).z_s;
  const Tensor second = Encode(2, 2).z_s;
  const int64_t rows[] = {4, 0, 2, 3, 0};

  const auto selected = model_->SelectRows(first, second, rows, {});

  ASSERT_TRUE(selected.ok()) << selected.status();
  EXPECT_EQ(selected->rows(), 5);
  const std::pair<Tensor, size_t> expected[] = {
      {second, 1}, {first, 0}, {first, 2}, {second, 0}, {first, 0}};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_THAT(
        selected->view().Row(i),
        ElementsAreArray(expected[i].first.view().Row(expected[i].second)));
  }
}

TEST_F(OnnxModelTest, SelectsRowsOfOneTensorIfTheOtherIsEmpty) {
  const Tensor tensor = Encode(3).z_s;
  const int64_t rows[] = {2, 1};

  const auto of_second = model_->SelectRows({}, tensor, rows, {});
  const auto of_first = model_->SelectRows(tensor, tensor.Rows(1, 1), rows, {});

  ASSERT_TRUE(of_second.ok()) << of_second.status();
  EXPECT_THAT(of_second->view().Row(0), ElementsAreArray(tensor.view().Row(2)));
  EXPECT_THAT(of_second->view().Row(1), ElementsAreArray(tensor.view().Row(1)));
  EXPECT_EQ(Values(*of_first), Values(*of_second));
}

TEST_F(OnnxModelTest, SelectsNothingIfNothingIsAskedFor) {
  const Tensor tensor = Encode(3).z_s;

  const auto selected = model_->SelectRows({}, tensor, {}, {});

  ASSERT_TRUE(selected.ok()) << selected.status();
  EXPECT_EQ(selected->rows(), 0);
  EXPECT_EQ(selected->cols(), kTinyStyle);
}

TEST_F(OnnxModelTest, RejectsRowsThatAreNotThere) {
  const Encoding encoding = Encode(3);
  const int64_t beyond[] = {0, 3};
  const int64_t negative[] = {-1};
  const int64_t zero[] = {0};

  ExpectInvalid(model_->SelectRows({}, encoding.z_s, beyond, {}).status(),
                "rows[1]", "got 3");
  ExpectInvalid(model_->SelectRows({}, encoding.z_s, negative, {}).status(),
                "rows[0]", "got -1");
  ExpectInvalid(
      model_->SelectRows(encoding.z_c, encoding.z_s, zero, {}).status(),
      "second", "got 4");
}

TEST_F(OnnxModelTest, IsOnTheHostAlready) {
  const Tensor tensor = Encode(3).z_s;

  const auto host = model_->ToHost(tensor, {});

  EXPECT_EQ(tensor.place(), Tensor::Place::kHost);
  EXPECT_EQ(host->data(), tensor.data());
}

// On the CPU the device's memory is the host's, so that the copy can be seen.
TEST_F(OnnxModelTest, CopiesToTheHostWhatIsOnTheDevice) {
  const Tensor host = Encode(3).z_s;
  const Tensor on_device(nullptr, host.data(), host.rows(), host.cols(),
                         Tensor::Place::kDevice);

  const auto copy = model_->ToHost(on_device, {});

  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_NE(copy->data(), host.data());
  EXPECT_EQ(copy->place(), Tensor::Place::kHost);
  EXPECT_EQ(Values(*copy), Values(host));
}

TEST_F(OnnxModelTest, MeasuresDistancesAsTheRouterDoes) {
  const Tensor z_s = Encode(7).z_s;

  const auto measured = model_->StyleDistances(z_s, {});

  ASSERT_TRUE(measured.ok()) << measured.status();
  std::vector<float> style(z_s.rows() * z_s.cols());
  ASSERT_TRUE(model_->normalizer().Apply(z_s.view(), style).ok());
  EXPECT_EQ(Values(measured->normalized), style);
  EXPECT_EQ(
      measured->distances,
      model_->router().Distances({style.data(), 7, kTinyStyle}, {}).value());
}

TEST_F(OnnxModelTest, MeasuresTheSameDistancesByGraph) {
  const Tensor z_s = Encode(7).z_s.Rows(2, 7);
  const MeasuredStyle native = model_->StyleDistances(z_s, {}).value();
  EngineOptions options = TestOptions();
  options.router = RouterKind::kGraph;
  Load(options);

  const auto graph = model_->StyleDistances(z_s, {});

  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(Values(graph->normalized), Values(native.normalized));
  ASSERT_EQ(graph->distances.size(), kTinySources);
  for (size_t e = 0; e < kTinySources; ++e) {
    const double expected = native.distances[e];
    EXPECT_NEAR(graph->distances[e], expected, 1e-5 * std::abs(expected)) << e;
  }
}

TEST_F(OnnxModelTest, KeepsNoMemoryForTheNextRoutingByGraph) {
  EngineOptions options = TestOptions();
  options.router = RouterKind::kGraph;
  Load(options);
  const Tensor z_s = Encode(7).z_s;
  const auto environment = Environment::Get(/*host_arena_limit=*/0).value();

  ASSERT_TRUE(model_->StyleDistances(z_s, {}).ok());

  // What is kept is the list of distances, no longer needed.
  EXPECT_LT(environment->arena().usage().kept, 1'000);
}

TEST_F(OnnxModelTest, RejectsStylesThatDoNotFit) {
  std::vector<float> values(kTinyStyle);
  values[1] = std::numeric_limits<float>::quiet_NaN();
  const Tensor nan(nullptr, values.data(), 1, kTinyStyle, Tensor::Place::kHost);
  for (const RouterKind router : {RouterKind::kNative, RouterKind::kGraph}) {
    EngineOptions options = TestOptions();
    options.router = router;
    Load(options);

    ExpectInvalid(model_->StyleDistances(Encode(2).z_c, {}).status(), "z_s",
                  "got 2 of 5");
    ExpectInvalid(model_->StyleDistances({}, {}).status(), "z_s", "got 0");
    EXPECT_EQ(model_->StyleDistances(nan, {}).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(OnnxModelTest, GivesTheLogitsOfOneMixtureAndOfOnePerSample) {
  const OnnxRunner reference(contents_.heads);
  const Tensor z_c = Encode(5).z_c;
  for (const size_t weight_rows : {1, 5}) {
    const std::vector<float> weights =
        RandomValues(weight_rows * kTinySources, 3);

    const auto logits =
        model_->Logits(z_c, {weights.data(), weight_rows, kTinySources}, {});

    ASSERT_TRUE(logits.ok()) << logits.status();
    EXPECT_EQ(logits->rows(), 5);
    EXPECT_EQ(logits->cols(), kTinyClasses);
    EXPECT_EQ(logits->place(), Tensor::Place::kHost);
    auto expected = reference.Run(
        {{"z_c", {.shape = {5, kTinyContent}, .values = Values(z_c)}},
         {"weights",
          {.shape = {static_cast<int64_t>(weight_rows), kTinySources},
           .values = weights}}});
    EXPECT_THAT(Values(*logits),
                Pointwise(FloatNear(1e-5F), expected.at("logits").values));
  }
}

TEST_F(OnnxModelTest, RejectsHeadInputsThatDoNotFit) {
  const Encoding encoding = Encode(3);
  const std::vector<float> weights(3 * kTinySources);

  ExpectInvalid(
      model_->Logits(encoding.z_s, {weights.data(), 1, kTinySources}, {})
          .status(),
      "z_c", "got 3 of 4");
  ExpectInvalid(
      model_->Logits(encoding.z_c, {weights.data(), 2, kTinySources}, {})
          .status(),
      "weights", "got 2 of 3");
  ExpectInvalid(
      model_->Logits(encoding.z_c, {weights.data(), 1, 2}, {}).status(),
      "weights", "got 1 of 2");
  ExpectInvalid(
      model_->Logits({}, {weights.data(), 1, kTinySources}, {}).status(), "z_c",
      "got 0");
}

TEST_F(OnnxModelTest, RejectsTensorsOfADeviceItDoesNotHave) {
  const std::vector<float> values(kTinyStyle);
  const Tensor elsewhere(nullptr, values.data(), 1, kTinyStyle,
                         Tensor::Place::kDevice);

  const int64_t rows[] = {0};

  ExpectInvalid(model_->StyleDistances(elsewhere, {}).status(), "z_s", "cpu");
  ExpectInvalid(model_->SelectRows({}, elsewhere, rows, {}).status(), "second",
                "cpu");
}

}  // namespace
}  // namespace ladder::model_store
