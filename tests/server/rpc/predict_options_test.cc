// What the options of a PredictDomain group do.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/imaging/test_images.h"
#include "tests/model_store/engine/test_models.h"
#include "tests/server/groups/tiny_models.h"
#include "tests/server/rpc/predict_stream.h"
#include "tests/server/rpc/test_server.h"

namespace ladder::server {
namespace {

using model_store::kTinyClasses;
using model_store::kTinySample;
using model_store::kTinySources;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

// A small picture as the file that it would be.
std::string Picture(uint32_t seed) {
  const imaging::Image image = imaging::Photograph(20, 12, seed);
  const imaging::Bytes bytes = imaging::WriteJpeg({}, image.View());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

model_store::BundleContents ImageBundle() {
  return model_store::TinyBundle(
      {.model = "images",
       .input = model_store::TinyBundleOptions::Input::kImage});
}

GroupResult PredictWith(TestServer& server, const v1::GroupOptions& options,
                        const std::vector<float>& x) {
  StreamResult result = Predict(server, MessagesOf("g", x, 5, options));
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  return result.groups["g"];
}

TEST(PredictOptionsTest, OutputsAreThoseThatWereAskedFor) {
  TestServer server;
  const std::vector<float> x = RandomSamples(10);
  v1::GroupOptions options;
  v1::OutputOptions& outputs = *options.mutable_outputs();
  outputs.set_top_n(2);
  outputs.set_probabilities(true);
  outputs.set_logits(true);
  outputs.set_expert_probabilities(true);

  const GroupResult all = PredictWith(server, options, x);
  const GroupResult labels = PredictWith(server, {}, x);

  const DirectAnswer direct =
      AskDirectly(*TensorModel(), x, 10, DefaultQuestion(*TensorModel()));
  EXPECT_THAT(all.logits, Pointwise(FloatNear(1e-4F), direct.logits));
  EXPECT_THAT(all.probabilities,
              Pointwise(FloatNear(1e-5F), direct.probabilities));
  EXPECT_EQ(all.expert_probabilities.size(), 10 * kTinySources * kTinyClasses);
  ASSERT_EQ(all.top_classes.size(), 20);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(all.top_classes[2 * i], all.labels[i]);
    EXPECT_EQ(all.top_probabilities[2 * i],
              all.probabilities[i * kTinyClasses + all.labels[i]]);
    EXPECT_GE(all.top_probabilities[2 * i], all.top_probabilities[2 * i + 1]);
  }
  EXPECT_EQ(labels.labels, all.labels);
  EXPECT_TRUE(labels.probabilities.empty());
  EXPECT_TRUE(labels.logits.empty());
  EXPECT_TRUE(labels.top_classes.empty());
  EXPECT_TRUE(labels.expert_probabilities.empty());
}

TEST(PredictOptionsTest, ClassNamesComeWithTheRoutingIfTheyAreAskedFor) {
  TestServer server;
  const std::vector<float> x = RandomSamples(10);
  v1::GroupOptions options;
  const GroupResult without = PredictWith(server, options, x);
  options.mutable_outputs()->set_class_names(true);

  const GroupResult with = PredictWith(server, options, x);

  EXPECT_THAT(with.routing.classes(), ElementsAre("ant", "bee", "cat", "dog"));
  EXPECT_EQ(without.routing.classes_size(), 0);
}

TEST(PredictOptionsTest, ASampleGateTellsEachSamplesOwnWeights) {
  constexpr size_t kSamples = 10;
  TestServer server;
  const std::vector<float> x = RandomSamples(kSamples);
  v1::GroupOptions options;
  const GroupResult of_group = PredictWith(server, options, x);
  options.mutable_routing()->set_method(v1::METHOD_SAMPLE_GATE);

  const GroupResult of_samples = PredictWith(server, options, x);

  EXPECT_TRUE(of_group.sample_weights.empty());
  const DirectAnswer direct =
      AskDirectly(*TensorModel(), x, kSamples,
                  {.routing = {.method = routing::Method::kSampleGate}});
  std::vector<float> expected(kSamples * kTinySources);
  ASSERT_TRUE(TensorModel()
                  ->router()
                  .SampleWeights({direct.gates.data(), kSamples, kTinySources},
                                 {.method = routing::Method::kSampleGate},
                                 expected)
                  .ok());
  EXPECT_THAT(of_samples.sample_weights, Pointwise(FloatNear(1e-5F), expected));
}

TEST(PredictOptionsTest, ExplanationsCanBeLeftOut) {
  TestServer server;
  const std::vector<float> x = RandomSamples(20);
  v1::GroupOptions options;
  const GroupResult with = PredictWith(server, options, x);
  options.mutable_routing()->set_skip_diagnostics(true);
  const GroupResult without = PredictWith(server, options, x);

  EXPECT_TRUE(with.routing.has_stability());
  EXPECT_TRUE(with.routing.has_expert_disagreement());
  EXPECT_FALSE(without.routing.has_stability());
  EXPECT_FALSE(without.routing.has_expert_disagreement());
  EXPECT_EQ(with.weights(), without.weights());
}

TEST(PredictOptionsTest, RouteAfterLetsPredictionsFlowBeforeTheEnd) {
  TestServer server;
  const std::vector<float> x = RandomSamples(40);
  v1::GroupOptions options;
  options.set_route_after(10);
  v1::PredictDomainRequest first =
      MessageOf("g", std::span(x).first(25 * kTinySample));
  *first.mutable_options() = options;
  PredictStream stream(server);
  ASSERT_TRUE(stream.Send(first));

  // All this comes while the caller has more to send.
  GroupResult early;
  while (early.labels.size() < 25) {
    const auto response = stream.Read();
    ASSERT_TRUE(response.has_value());
    early.Take(*response);
  }
  ASSERT_TRUE(
      stream.Send(MessageOf("g", std::span(x).subspan(25 * kTinySample))));
  stream.EndInput();
  const StreamResult rest = stream.Finish();

  EXPECT_EQ(early.routing.num_samples(), 10);
  EXPECT_EQ(early.order, "rp");
  EXPECT_TRUE(rest.status.ok());
  EXPECT_EQ(rest.groups.at("g").order, "pe");
  EXPECT_EQ(rest.groups.at("g").indices.front(), 25);
  EXPECT_EQ(rest.groups.at("g").end.num_predicted(), 40);
  const std::vector<float> seen(x.begin(), x.begin() + 10 * kTinySample);
  const DirectAnswer direct =
      AskDirectly(*TensorModel(), seen, 10, DefaultQuestion(*TensorModel()));
  EXPECT_EQ(early.weights(), direct.routing.weights);
}

TEST(PredictOptionsTest, FixedWeightsGiveThePredictionsOfTheRouting) {
  TestServer server;
  const std::vector<float> x = RandomSamples(30);
  v1::GroupOptions options;
  options.mutable_outputs()->set_probabilities(true);
  const GroupResult routed = PredictWith(server, options, x);

  v1::RoutingOptions& fixed = *options.mutable_routing();
  fixed.set_method(v1::METHOD_FIXED);
  for (const double weight : routed.weights()) fixed.add_fixed(weight);
  const GroupResult in_order = PredictWith(server, options, x);
  fixed.clear_fixed();
  for (const auto& source : routed.routing.sources()) {
    (*fixed.mutable_fixed_by_source())[source.source()] = source.weight();
  }
  const GroupResult by_name = PredictWith(server, options, x);

  for (const GroupResult* result : {&in_order, &by_name}) {
    EXPECT_EQ(result->routing.method(), v1::METHOD_FIXED);
    EXPECT_FALSE(result->routing.has_distances());
    EXPECT_THAT(result->probabilities,
                Pointwise(FloatNear(1e-5F), routed.probabilities));
  }
}

TEST(PredictOptionsTest, EveryMethodAnswers) {
  TestServer server;
  const std::vector<float> x = RandomSamples(30);
  for (const v1::Method method :
       {v1::METHOD_LADDER, v1::METHOD_NEAREST, v1::METHOD_UNIFORM,
        v1::METHOD_SAMPLE_GATE, v1::METHOD_SAMPLE_GATE_GROUP}) {
    v1::GroupOptions options;
    options.mutable_routing()->set_method(method);

    const GroupResult result = PredictWith(server, options, x);

    EXPECT_EQ(result.routing.method(), method);
    EXPECT_EQ(result.routing.per_sample(), method == v1::METHOD_SAMPLE_GATE);
    double sum = 0;
    for (const double weight : result.weights()) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-6);
    EXPECT_EQ(result.labels.size(), 30);
    if (method == v1::METHOD_UNIFORM) {
      EXPECT_THAT(result.weights(), Each(DoubleNear(1.0 / 3, 1e-12)));
    }
    if (method == v1::METHOD_NEAREST) {
      EXPECT_EQ(result.routing.k(), 1);
    }
  }
}

TEST(PredictOptionsTest, TooFewSamplesAreAnErrorUnlessThereIsAFallback) {
  TestServer server;
  const std::vector<float> x = RandomSamples(3);
  v1::GroupOptions options;
  options.set_min_samples(5);

  const StreamResult refused = Predict(server, MessagesOf("g", x, 3, options));
  options.set_fallback(v1::FALLBACK_UNIFORM);
  const GroupResult uniform = PredictWith(server, options, x);

  EXPECT_EQ(refused.status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(refused.status.error_message(),
            "group \"g\": expected at least 5 samples, got 3");
  EXPECT_THAT(uniform.weights(), Each(DoubleNear(1.0 / 3, 1e-12)));
  EXPECT_EQ(uniform.routing.fallback().fallback(), v1::FALLBACK_UNIFORM);
  EXPECT_EQ(uniform.routing.fallback().reason(),
            v1::AppliedFallback::TOO_FEW_SAMPLES);
  EXPECT_EQ(uniform.routing.fallback().explanation(),
            "expected at least 5 samples, got 3");
}

TEST(PredictOptionsTest, AGroupOutOfCoverageFallsBackAsAsked) {
  TestServer server;
  const std::vector<float> x = FarSamples(20);
  v1::GroupOptions options;
  const GroupResult as_is = PredictWith(server, options, x);
  options.set_fallback(v1::FALLBACK_SOFTEN);
  const GroupResult softened = PredictWith(server, options, x);

  EXPECT_EQ(as_is.routing.coverage().verdict(), v1::Coverage::OUT);
  EXPECT_EQ(as_is.routing.coverage().basis(), "calibration");
  EXPECT_FALSE(as_is.routing.has_fallback());
  EXPECT_EQ(softened.routing.fallback().reason(),
            v1::AppliedFallback::OUT_OF_COVERAGE);
  EXPECT_DOUBLE_EQ(softened.routing.tau(), 4 * as_is.routing.tau());
}

TEST(PredictOptionsTest, AnEmptyGroupHasTooFewSamples) {
  TestServer server;

  const StreamResult result = Predict(server, {EndOf("g")});

  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(result.status.error_message(),
            "group \"g\": expected at least 1 samples, got 0");
}

TEST(PredictOptionsTest, ABrokenImageIsAnErrorForItsIndexAlone) {
  TestServer server({}, ImageBundle());
  v1::PredictDomainRequest message;
  message.set_group("g");
  *message.mutable_samples() =
      ImageSamples({Picture(1), "no picture", Picture(2)});
  for (const char* id : {"a", "b", "c"}) {
    message.mutable_samples()->add_ids(id);
  }

  const StreamResult result = Predict(server, {message});

  ASSERT_TRUE(result.status.ok()) << result.status.error_message();
  const GroupResult& group = result.groups.at("g");
  EXPECT_THAT(group.indices, ElementsAre(0, 2));
  EXPECT_THAT(group.ids, ElementsAre("a", "c"));
  ASSERT_EQ(group.rejected.size(), 1);
  EXPECT_EQ(group.rejected[0].index(), 1);
  EXPECT_EQ(group.rejected[0].id(), "b");
  EXPECT_EQ(group.rejected[0].reason(), "unsupported");
  EXPECT_EQ(group.end.num_predicted(), 2);
  EXPECT_EQ(group.end.num_rejected(), 1);
}

TEST(PredictOptionsTest, ABrokenImageFailsTheGroupIfThatIsAskedFor) {
  TestServer server({}, ImageBundle());
  v1::PredictDomainRequest message;
  message.set_group("g");
  message.mutable_options()->set_fail_on_bad_sample(true);
  *message.mutable_samples() = ImageSamples({Picture(1), "no picture"});

  const StreamResult result = Predict(server, {message});

  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(result.status.error_message(),
              HasSubstr("group \"g\": image 1: "));
}

}  // namespace
}  // namespace ladder::server
