#include "trainer/network/representation_loss.h"

#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tests/trainer/network/finite_differences.h"

namespace ladder::trainer {
namespace {

bool AreClose(const torch::Tensor& a, const torch::Tensor& b) {
  return torch::allclose(a, b, /*rtol=*/1e-6, /*atol=*/1e-9);
}

torch::Tensor Integers(std::vector<int64_t> values) {
  return torch::tensor(values, torch::kInt64);
}

TEST(CrossEntropyOverDomainsTest, SumsTheMeansOfTheDomains) {
  torch::manual_seed(1);
  const torch::Tensor logits = torch::randn({5, 3}, torch::kDouble);
  const torch::Tensor targets = Integers({2, 0, 1, 1, 0});
  // Domains 0 and 2 do not occur.
  const torch::Tensor domains = Integers({3, 1, 3, 3, 1});

  const torch::Tensor found = CrossEntropyOverDomains(logits, targets, domains);

  const torch::Tensor log_softmax = logits.log_softmax(1);
  const auto loss = [&](int64_t i) {
    return -log_softmax[i][targets[i].item<int64_t>()].item<double>();
  };
  EXPECT_NEAR(found.item<double>(),
              (loss(0) + loss(2) + loss(3)) / 3 + (loss(1) + loss(4)) / 2,
              1e-12);
}

TEST(SquaredCrossCovarianceTest, IsThatOfTheUnbiasedEstimate) {
  // Deviations (-1, 0, 1) and (-2, 1, 1): a covariance of 3 / 2.
  const torch::Tensor a =
      torch::tensor({4.0, 5.0, 6.0}, torch::kDouble).reshape({3, 1});
  const torch::Tensor b =
      torch::tensor({0.0, 3.0, 3.0}, torch::kDouble).reshape({3, 1});

  EXPECT_NEAR(SquaredCrossCovariance(a, b).item<double>(), 2.25, 1e-12);
}

TEST(SquaredCrossCovarianceTest, SumsOverAllPairsOfDimensions) {
  torch::manual_seed(2);
  const torch::Tensor a = torch::randn({6, 3}, torch::kDouble);
  const torch::Tensor b = torch::randn({6, 2}, torch::kDouble);

  double expected = 0;
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 2; ++j) {
      expected += SquaredCrossCovariance(a.narrow(1, i, 1), b.narrow(1, j, 1))
                      .item<double>();
    }
  }

  EXPECT_NEAR(SquaredCrossCovariance(a, b).item<double>(), expected, 1e-12);
}

TEST(SquaredCrossCovarianceTest, DoesNotSeeWhereTheCodesLie) {
  torch::manual_seed(3);
  const torch::Tensor a = torch::randn({6, 3}, torch::kDouble);
  const torch::Tensor b = torch::randn({6, 2}, torch::kDouble);

  EXPECT_TRUE(AreClose(SquaredCrossCovariance(a + 7, b - 3),
                       SquaredCrossCovariance(a, b)));
}

TEST(SquaredCrossCovarianceTest, HasTheGradientOfFiniteDifferences) {
  torch::manual_seed(4);
  const torch::Tensor a = torch::randn({5, 4}, torch::kDouble);
  const torch::Tensor b = torch::randn({5, 3}, torch::kDouble);
  const auto by_a = [&b](const torch::Tensor& x) {
    return SquaredCrossCovariance(x, b);
  };
  const auto by_b = [&a](const torch::Tensor& x) {
    return SquaredCrossCovariance(a, x);
  };

  EXPECT_TRUE(AreClose(AutogradGradient(by_a, a), DifferenceGradient(by_a, a)));
  EXPECT_TRUE(AreClose(AutogradGradient(by_b, b), DifferenceGradient(by_b, b)));
}

TEST(SquaredCrossCovarianceTest, IsZeroForOneSample) {
  EXPECT_EQ(SquaredCrossCovariance(torch::ones({1, 3}), torch::ones({1, 2}))
                .item<double>(),
            0);
}

TEST(GaussianDivergenceTest, IsZeroForThePriorItself) {
  EXPECT_EQ(GaussianDivergence(torch::zeros({2, 3}), torch::zeros({2, 3}))
                .item<double>(),
            0);
}

TEST(GaussianDivergenceTest, SumsDimensionsAndAveragesTheBatch) {
  // log(1/s) + (s^2 + m^2) / 2 - 1/2 in each dimension.
  const auto closed_form = [](double mean, double sd) {
    return -std::log(sd) + (sd * sd + mean * mean) / 2 - 0.5;
  };
  const torch::Tensor mean =
      torch::tensor({1.0, -2.0, 0.5, 0.0}, torch::kDouble).reshape({2, 2});
  const torch::Tensor sd =
      torch::tensor({0.1, 1.0, 3.0, 0.5}, torch::kDouble).reshape({2, 2});

  EXPECT_NEAR(GaussianDivergence(mean, 2 * sd.log()).item<double>(),
              (closed_form(1, 0.1) + closed_form(-2, 1) + closed_form(0.5, 3) +
               closed_form(0, 0.5)) /
                  2,
              1e-12);
}

class RepresentationLossTest : public ::testing::Test {
 protected:
  RepresentationLossTest() {
    torch::manual_seed(9);
    x_ = torch::randn({8, 6}, torch::kDouble);
  }

  static std::shared_ptr<LadderNetwork> MakeNetwork(bool variational) {
    torch::manual_seed(5);
    auto network = LadderNetwork::Create({.backbone = "mlp",
                                          .content_dimension = 5,
                                          .style_dimension = 4,
                                          .variational = variational},
                                         model_store::TensorInput{.shape = {6}},
                                         /*num_classes=*/3, /*num_sources=*/4)
                       .value();
    network->to(torch::kDouble);
    return network;
  }

  // The draws of the codes are the same every time.
  RepresentationLoss Compute(LadderNetwork& network,
                             const LossWeights& weights) const {
    torch::manual_seed(6);
    return ComputeRepresentationLoss(network, x_, labels_, domains_, weights);
  }

  // The gradients of `loss` by `parameters`, in one row.
  static torch::Tensor Gradient(const torch::Tensor& loss,
                                const std::vector<torch::Tensor>& parameters) {
    const auto gradients = torch::autograd::grad(
        {loss}, parameters, /*grad_outputs=*/{}, /*retain_graph=*/true,
        /*create_graph=*/false, /*allow_unused=*/true);
    std::vector<torch::Tensor> rows;
    for (size_t i = 0; i < gradients.size(); ++i) {
      rows.push_back(gradients[i].defined()
                         ? gradients[i].flatten()
                         : torch::zeros_like(parameters[i]).flatten());
    }
    return torch::cat(rows);
  }

  torch::Tensor x_;
  const torch::Tensor labels_ = Integers({0, 1, 2, 0, 1, 2, 0, 0});
  const torch::Tensor domains_ = Integers({0, 0, 0, 1, 1, 3, 3, 3});
  static constexpr LossWeights kOnlyLabels = {.style_domain = 0,
                                              .adversarial = 0,
                                              .orthogonality = 0,
                                              .regularization = 0};
};

TEST_F(RepresentationLossTest, HasThePapersWeights) {
  const auto network = MakeNetwork(/*variational=*/true);

  const RepresentationLoss loss = Compute(*network, {});

  EXPECT_TRUE(AreClose(loss.total, loss.label + 0.15 * loss.style_domain +
                                       0.03 * loss.content_domain +
                                       5e-4 * loss.orthogonality +
                                       1e-5 * loss.regularization));
}

TEST_F(RepresentationLossTest, ConsistsOfTheLossesOfItsParts) {
  const auto network = MakeNetwork(/*variational=*/true);

  const RepresentationLoss loss = Compute(*network, {});

  torch::manual_seed(6);
  const auto codes = network->Encode(x_);
  EXPECT_TRUE(AreClose(
      loss.label, CrossEntropyOverDomains(network->LabelLogits(codes.content.z),
                                          labels_, domains_)));
  EXPECT_TRUE(AreClose(
      loss.style_domain,
      CrossEntropyOverDomains(network->StyleDomainLogits(codes.style.z),
                              domains_, domains_)));
  EXPECT_TRUE(AreClose(
      loss.content_domain,
      CrossEntropyOverDomains(network->ContentDomainLogits(codes.content.z),
                              domains_, domains_)));
  EXPECT_TRUE(AreClose(loss.orthogonality,
                       SquaredCrossCovariance(codes.content.z, codes.style.z)));
  EXPECT_TRUE(AreClose(
      loss.regularization,
      GaussianDivergence(codes.content.mean, codes.content.log_variance) +
          GaussianDivergence(codes.style.mean, codes.style.log_variance)));
}

TEST_F(RepresentationLossTest, HasNoRegularisationUnlessVariational) {
  const auto network = MakeNetwork(/*variational=*/false);

  EXPECT_EQ(Compute(*network, {}).regularization.item<double>(), 0);
}

TEST_F(RepresentationLossTest, ShowsTheEncoderTheReversedGradientSquared) {
  const auto network = MakeNetwork(/*variational=*/true);
  LossWeights weights = kOnlyLabels;
  weights.adversarial = 0.2;
  const auto parameters = network->EncoderParameters();

  const torch::Tensor with =
      Gradient(Compute(*network, weights).total, parameters);
  const torch::Tensor without =
      Gradient(Compute(*network, kOnlyLabels).total, parameters);

  torch::manual_seed(6);
  const torch::Tensor z_c = network->Encode(x_).content.z;
  const torch::Tensor plain =
      Gradient(CrossEntropyOverDomains(network->ContentDomainLogits(z_c),
                                       domains_, domains_),
               parameters);
  EXPECT_GT(plain.abs().max().item<double>(), 1e-3);
  EXPECT_TRUE(AreClose(with - without, -0.2 * 0.2 * plain));
}

TEST_F(RepresentationLossTest, ShowsTheClassifiersTheirOwnGradients) {
  const auto network = MakeNetwork(/*variational=*/true);
  LossWeights weights = kOnlyLabels;
  weights.adversarial = 0.2;
  weights.style_domain = 0.3;
  const auto parameters = network->ClassifierParameters();

  const torch::Tensor found =
      Gradient(Compute(*network, weights).total, parameters);

  torch::manual_seed(6);
  const auto codes = network->Encode(x_);
  const torch::Tensor expected =
      Gradient(CrossEntropyOverDomains(network->LabelLogits(codes.content.z),
                                       labels_, domains_) +
                   0.3 * CrossEntropyOverDomains(
                             network->StyleDomainLogits(codes.style.z),
                             domains_, domains_) +
                   0.2 * CrossEntropyOverDomains(
                             network->ContentDomainLogits(codes.content.z),
                             domains_, domains_),
               parameters);
  EXPECT_TRUE(AreClose(found, expected));
}

// The reversal makes L_cd the derivative of nothing; all else must be that of
// the loss itself.
TEST_F(RepresentationLossTest, HasTheGradientOfFiniteDifferencesBySamples) {
  const auto network = MakeNetwork(/*variational=*/true);
  const auto total = [&](const torch::Tensor& x) {
    torch::manual_seed(6);
    return ComputeRepresentationLoss(*network, x, labels_, domains_,
                                     {.style_domain = 0.7,
                                      .adversarial = 0,
                                      .orthogonality = 0.4,
                                      .regularization = 0.3})
        .total;
  };

  EXPECT_TRUE(torch::allclose(AutogradGradient(total, x_),
                              DifferenceGradient(total, x_), /*rtol=*/1e-5,
                              /*atol=*/1e-6));
}

TEST_F(RepresentationLossTest, IsFiniteForOneSample) {
  const auto network = MakeNetwork(/*variational=*/true);
  network->eval();  // A batch normalisation cannot be trained on one sample.

  const RepresentationLoss loss = ComputeRepresentationLoss(
      *network, x_.narrow(0, 0, 1), Integers({0}), Integers({2}), {});

  EXPECT_TRUE(loss.total.isfinite().item<bool>());
  EXPECT_EQ(loss.orthogonality.item<double>(), 0);
}

}  // namespace
}  // namespace ladder::trainer
