#include "experiments/diagnose/diagnosis_report.h"

#include <nlohmann/json.hpp>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Diagnosis MakeDiagnosis() {
  Diagnosis diagnosis;
  diagnosis.geometry = {.sources = {"2002", "north, \"far\"", "empty"},
                        .num_samples = {10, 20, 0},
                        .pairs = {{0, 1, 0.1}}};
  PairMeasures& measures = diagnosis.geometry.pairs[0].measures;
  measures[PairMeasure::kTransferLoss] = 1.5;
  measures[PairMeasure::kMeanDistance] = 1.0 / 3;
  measures[PairMeasure::kDeviationDistance] = 2;
  measures[PairMeasure::kLabelDistance] = 0;
  diagnosis.geometry.rho[PairMeasure::kTransferLoss] = 0.704;
  diagnosis.probes = {.num_samples = 30,
                      .domain = {0.562, 0.636, 0.1},
                      .label = {0.965, 0.959, 0.2},
                      .domain_given_class = ProbePair{0.413, 0.568, 0.188},
                      .num_eligible_classes = 47};
  return diagnosis;
}

TEST(DiagnosisReportTest, TextAlignsItsColumns) {
  EXPECT_EQ(DiagnosisText(MakeDiagnosis()),
            "source geometry: 1 pairs of 2 sources\n"
            "  STYLE DISTANCE AND      SPEARMAN RHO\n"
            "  transfer loss                   0.70\n"
            "  z_c prototype distance             -\n"
            "  z_c mean distance                  -\n"
            "  z_c deviation distance             -\n"
            "  label distance                     -\n"
            "linear probes: 30 samples, accuracy on those held out\n"
            "  PREDICTED            FROM Z_C  FROM Z_S  MAJORITY\n"
            "  source                  56.2%     63.6%     10.0%\n"
            "  class                   96.5%     95.9%     20.0%\n"
            "  source, given class     41.3%     56.8%     18.8%\n"
            "  47 classes have 20 samples or more in 3 sources or more\n");
}

TEST(DiagnosisReportTest, TextLeavesOutWhatWasNotProbed) {
  Diagnosis diagnosis = MakeDiagnosis();
  diagnosis.probes.domain_given_class.reset();
  diagnosis.probes.num_eligible_classes = 0;

  EXPECT_THAT(DiagnosisText(diagnosis), Not(HasSubstr("given class")));
}

TEST(DiagnosisReportTest, CsvQuotesNamesAndKeepsAllDigits) {
  EXPECT_EQ(PairsCsv(MakeDiagnosis().geometry),
            "first,second,style_distance,transfer_loss,prototype_distance,"
            "mean_distance,deviation_distance,label_distance\n"
            "2002,\"north, \"\"far\"\"\",0.1,1.5,,"
            "0.3333333333333333,2,0\n");
}

TEST(DiagnosisReportTest, JsonHasAllNumbers) {
  const nlohmann::ordered_json json =
      nlohmann::ordered_json::parse(DiagnosisJson(MakeDiagnosis()).dump());

  const auto& geometry = json.at("geometry");
  EXPECT_EQ(geometry.at("sources").at(1).at("samples"), 20);
  EXPECT_EQ(geometry.at("spearman_rho").at("transfer_loss"), 0.704);
  EXPECT_TRUE(geometry.at("spearman_rho").at("label_distance").is_null());
  const auto& pair = geometry.at("pairs").at(0);
  EXPECT_EQ(pair.at("second"), "north, \"far\"");
  EXPECT_EQ(pair.at("style_distance"), 0.1);
  EXPECT_EQ(pair.at("mean_distance"), 1.0 / 3);
  EXPECT_TRUE(pair.at("prototype_distance").is_null());
  const auto& probes = json.at("probes");
  EXPECT_EQ(probes.at("samples"), 30);
  EXPECT_EQ(probes.at("domain").at("style_accuracy"), 0.636);
  EXPECT_EQ(probes.at("label").at("content_accuracy"), 0.965);
  EXPECT_EQ(probes.at("domain_given_class").at("majority"), 0.188);
  EXPECT_EQ(probes.at("eligible_classes"), 47);
}

}  // namespace
}  // namespace ladder::experiments
