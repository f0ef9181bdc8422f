#include <algorithm>
#include <cmath>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "routing/linear_heads.h"
#include "server/groups/predict_rows.h"
#include "tests/fakes/fake_model.h"

namespace ladder::server {
namespace {

using model_store::Tensor;
using routing::LinearHeads;

// A model whose experts are `heads`.
class HeadsModel final : public model_store::FakeModel {
 public:
  explicit HeadsModel(LinearHeads heads)
      : FakeModel(ManifestOf(heads), "sha"), heads_(std::move(heads)) {}

  absl::StatusOr<Tensor> Logits(const Tensor& z_c,
                                const routing::MatrixView& weights,
                                std::stop_token /*stop*/) const override {
    LADDER_ASSIGN_OR_RETURN(const routing::MixedHead head,
                            heads_.Mix(std::vector<double>(
                                weights.Row(0).begin(), weights.Row(0).end())));
    std::vector<float> logits(z_c.rows() * heads_.num_classes());
    LADDER_RETURN_IF_ERROR(routing::Logits(head, z_c.view(), logits));
    return Tensor::OnHost(std::move(logits), z_c.rows(), heads_.num_classes());
  }

 private:
  static model_store::Manifest ManifestOf(const LinearHeads& heads) {
    model_store::Manifest manifest;
    manifest.sources.resize(heads.num_sources());
    manifest.classes.resize(heads.num_classes());
    manifest.style_dimension = 1;
    manifest.content_dimension = heads.dimension();
    return manifest;
  }

  const LinearHeads heads_;
};

// Experts that look at no covariate: expert e predicts softmax(biases[e]).
HeadsModel ConstantExperts(const std::vector<std::vector<float>>& biases) {
  std::vector<float> bias;
  for (const auto& row : biases) {
    bias.insert(bias.end(), row.begin(), row.end());
  }
  const std::vector<float> weights(bias.size(), 0);
  return HeadsModel(LinearHeads::Create(biases.size(), biases[0].size(),
                                        /*dimension=*/1, weights, bias)
                        .value());
}

Tensor Column(std::vector<float> values) {
  const size_t rows = values.size();
  return Tensor::OnHost(std::move(values), rows, 1);
}

// Of the experts of `model` on `z_c`.
absl::StatusOr<double> Disagreement(const model_store::Model& model,
                                    const std::vector<double>& weights,
                                    const Tensor& z_c) {
  return ExpertDisagreement(
      weights, z_c.rows(),
      [&](size_t source)
          -> absl::StatusOr<std::shared_ptr<const std::vector<float>>> {
        LADDER_ASSIGN_OR_RETURN(auto probabilities,
                                ExpertProbabilities(model, source, z_c, {}));
        return std::make_shared<const std::vector<float>>(
            std::move(probabilities));
      });
}

TEST(ExpertDisagreementTest, IsTheWeightedDistanceToTheMixture) {
  // Predictions (3/4, 1/4) and (1/4, 3/4); with weights 0.8 and 0.2 the mixture
  // is (0.65, 0.35), 0.1 from the first and 0.4 from the second.
  const float log3 = std::log(3.0f);
  const HeadsModel model = ConstantExperts({{log3, 0}, {0, log3}});

  const auto disagreement =
      Disagreement(model, std::vector<double>{0.8, 0.2}, Column({1, 2, 3}));

  EXPECT_NEAR(disagreement.value(), 0.8 * 0.1 + 0.2 * 0.4, 1e-6);
}

TEST(ExpertDisagreementTest, AveragesOverAllRowsOfALargeGroup) {
  // Logit 4 z against 0: opposite experts agree where z is 0 and differ by
  // tanh(2 |z|) / 2 from their mixture elsewhere.
  const HeadsModel model(
      LinearHeads::Create(2, 2, 1, {4, 0, 0, 4}, {0, 0, 0, 0}).value());
  std::vector<float> z(1000, 0);
  std::fill(z.begin(), z.begin() + 250, 1.0f);

  const auto disagreement =
      Disagreement(model, std::vector<double>{0.5, 0.5}, Column(z));

  EXPECT_NEAR(disagreement.value(), 0.25 * std::tanh(2.0) / 2, 1e-6);
}

TEST(ExpertDisagreementTest, IsZeroForExpertsThatAgree) {
  const HeadsModel model = ConstantExperts({{1, 2}, {1, 2}, {1, 2}});

  const auto disagreement =
      Disagreement(model, std::vector<double>{0.2, 0.3, 0.5}, Column({1}));

  EXPECT_NEAR(disagreement.value(), 0, 1e-7);
}

TEST(ExpertDisagreementTest, IsZeroForASingleExpertWhateverTheOthersSay) {
  const HeadsModel model = ConstantExperts({{9, 0}, {0, 9}, {0, 0}});

  const auto disagreement =
      Disagreement(model, std::vector<double>{0, 1, 0}, Column({1}));

  EXPECT_EQ(disagreement.value(), 0);
}

TEST(ExpertDisagreementTest, IsThatOfTheSixteenLargestWeights) {
  // Sixteen experts agree; the lightest would not.
  std::vector<std::vector<float>> biases(17, {1, 2});
  biases[3] = {2, 1};
  std::vector<double> weights(17, 0.06);
  weights[3] = 0.04;
  const HeadsModel model = ConstantExperts(biases);

  const auto disagreement = Disagreement(model, weights, Column({1}));

  EXPECT_NEAR(disagreement.value(), 0, 1e-7);
}

TEST(ExpertDisagreementTest, RefusesWhatTheHeadsRefuse) {
  const HeadsModel model = ConstantExperts({{1, 2}, {3, 4}});
  const auto code = [&](const Tensor& z_c) {
    return Disagreement(model, std::vector<double>{0.5, 0.5}, z_c)
        .status()
        .code();
  };

  EXPECT_EQ(code(Column({1})), absl::StatusCode::kOk);
  EXPECT_EQ(code(Column({})), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Column({NAN})), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Tensor::OnHost({1, 2}, 1, 2)),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ladder::server
