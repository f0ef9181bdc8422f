#include "experiments/simulate/simulation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <stop_token>
#include <string>
#include <vector>

#include "experiments/simulate/simulation_report.h"
#include "gtest/gtest.h"
#include "routing/thread_pool.h"

namespace ladder::experiments {
namespace {

// Mean and standard error of another implementation of the same specification,
// over 100 replications with seeds of its own.
struct Expected {
  double mean;
  double standard_error;
};
struct ExpectedRow {
  const char* method;
  Expected figures[std::size(kSimTargets)][kSimMetrics.size()];
};
constexpr double kNone = -1;

constexpr ExpectedRow kExpected[] = {
    {"ERM",
     {{{56.14, .52}, {.548, .004}, {5.03, .06}},
      {{42.26, .48}, {.667, .003}, {13.28, .16}}}},
    {"IRM",
     {{{46.36, .32}, {.623, .002}, {5.32, .06}},
      {{38.80, .25}, {.665, .001}, {13.40, .15}}}},
    {"EQRM",
     {{{54.29, .57}, {.569, .004}, {5.14, .06}},
      {{40.73, .52}, {.663, .004}, {13.34, .15}}}},
    {"DSNR",
     {{{56.08, .52}, {.549, .004}, {5.03, .06}},
      {{42.17, .47}, {.667, .003}, {13.28, .16}}}},
    {"RDM",
     {{{56.03, .47}, {.552, .004}, {5.06, .06}},
      {{42.19, .36}, {.661, .002}, {13.30, .16}}}},
    {"PooledJoint",
     {{{56.03, .53}, {.549, .004}, {5.03, .06}},
      {{42.22, .48}, {.667, .003}, {13.28, .16}}}},
    {"Pooled-Interaction",
     {{{71.97, 1.35}, {.388, .019}, {3.99, .10}},
      {{86.42, .88}, {.196, .011}, {9.66, .19}}}},
    {"Pooled-MLP",
     {{{67.86, 1.33}, {.486, .023}, {kNone, 0}},
      {{81.37, .95}, {.281, .016}, {kNone, 0}}}},
    {"StyleHyperNet",
     {{{71.67, 1.40}, {.404, .021}, {4.43, .17}},
      {{84.22, .88}, {.230, .013}, {9.02, .19}}}},
    {"UniformExperts",
     {{{56.31, .54}, {.548, .005}, {4.90, .06}},
      {{42.35, .51}, {.702, .005}, {13.23, .16}}}},
    {"NearestExpert",
     {{{68.41, 1.73}, {.440, .024}, {4.21, .10}},
      {{85.95, 1.17}, {.239, .015}, {11.36, .16}}}},
    {"LADDER",
     {{{74.20, 1.12}, {.365, .014}, {4.09, .08}},
      {{84.98, .52}, {.245, .005}, {11.50, .15}}}},
    {"Oracle",
     {{{81.91, .24}, {.253, .003}, {0, 0}},
      {{92.23, .15}, {.112, .002}, {0, 0}}}},
};

// LADDER's accuracy by setting, of the same implementation. It gives no
// standard errors for these; they are ours, for 100 replications.
struct ExpectedSetting {
  size_t target;
  const char* setting;
  Expected accuracy;
};
constexpr ExpectedSetting kExpectedSettings[] = {
    {0, "n0=10 tau=0.1", {59.8, 2.0}},    {1, "n0=10 tau=0.1", {52.0, 2.3}},
    {0, "n0=1000 tau=0.1", {74.2, 1.2}},  {1, "n0=1000 tau=0.1", {85.0, .52}},
    {1, "n0=1000 tau=0.05", {86.1, .56}}, {1, "n0=1000 tau=0.5", {82.3, .59}},
    {1, "n0=1000 tau=1", {81.8, .61}},    {1, "n0=1000 tau=5", {81.4, .64}},
};

const SimRow& RowOf(const SimulationReport& report, const std::string& name) {
  for (const auto* rows :
       {&report.methods, &report.neighbours, &report.summaries}) {
    for (const SimRow& row : *rows) {
      if (row.name == name) return row;
    }
  }
  ADD_FAILURE() << "no row " << name;
  return report.methods.front();
}

const SimFigure& AccuracyOf(const SimulationReport& report,
                            const std::string& name, size_t target) {
  return *RowOf(report, name).figures[target][kSimAccuracy];
}

// The accuracy of `a` minus that of `b`, paired by replication.
SimFigure Difference(const SimulationReport& report, const std::string& a,
                     const std::string& b, size_t target) {
  std::vector<double> differences = AccuracyOf(report, a, target).values;
  const SimFigure& subtracted = AccuracyOf(report, b, target);
  for (size_t i = 0; i < differences.size(); ++i) {
    differences[i] -= subtracted.values[i];
  }
  return FigureOf(differences);
}

// Which setting is more accurate than which, and by how many standard errors it
// leads, paired, over 100 replications: measured over 600 of another seed (3),
// since a lead grows with the root of their number. What is asserted is what
// the replications made here can be expected to show, less three standard
// errors, or a lead of at least three.
struct Ordering {
  size_t target;
  const char* better;
  const char* worse;
  double lead;
};
constexpr Ordering kOrderings[] = {
    {0, "Oracle", "LADDER", 6.8},
    {1, "Oracle", "LADDER", 14.0},
    {0, "LADDER", "ERM", 14.5},
    {1, "LADDER", "ERM", 64.5},
    {0, "LADDER", "UniformExperts", 14.4},
    {1, "LADDER", "UniformExperts", 60.8},
    {0, "LADDER", "Pooled-MLP", 4.3},
    {1, "LADDER", "Pooled-MLP", 3.5},
    {0, "LADDER", "NearestExpert", 3.2},
    {0, "ERM", "IRM", 24.9},
    {1, "ERM", "IRM", 9.2},
    {0, "ERM", "EQRM", 4.4},
    {1, "ERM", "EQRM", 3.2},
    {1, "K=4", "K=all", 12.9},
    {0, "n0=1000 tau=0.1", "n0=10 tau=0.1", 7.1},
    {1, "n0=1000 tau=0.1", "n0=10 tau=0.1", 13.0},
    {1, "n0=1000 tau=0.05", "n0=1000 tau=0.1", 6.1},
    {1, "n0=1000 tau=0.1", "n0=1000 tau=0.5", 8.4},
    {1, "n0=1000 tau=0.5", "n0=1000 tau=1", 7.4},
    {1, "n0=1000 tau=1", "n0=1000 tau=5", 7.1},
};

constexpr size_t kReplications = 24;

// The standard error of the difference between a mean over our replications and
// one over the 100 of the other implementation, by theirs and by ours.
double ErrorByTheirs(double standard_error) {
  return standard_error * std::sqrt(1 + 100.0 / kReplications);
}
double ErrorByOurs(double standard_error) {
  return standard_error * std::sqrt(1 + kReplications / 100.0);
}

void ExpectMeansOfTheSpecification(const SimulationReport& report) {
  ASSERT_EQ(report.methods.size(), std::size(kExpected));
  for (size_t i = 0; i < report.methods.size(); ++i) {
    const SimRow& row = report.methods[i];
    ASSERT_EQ(row.name, kExpected[i].method);
    // Heavy-tailed on target A.
    const bool uses_summary = row.name == "Pooled-Interaction" ||
                              row.name == "Pooled-MLP" ||
                              row.name == "StyleHyperNet";
    for (size_t t = 0; t < std::size(kSimTargets); ++t) {
      for (size_t m = 0; m < kSimMetrics.size(); ++m) {
        const Expected& expected = kExpected[i].figures[t][m];
        ASSERT_EQ(row.figures[t][m].has_value(), expected.mean != kNone);
        if (expected.mean == kNone) continue;
        const double band = (uses_summary && t == 0 ? 4.2 : 3) *
                            ErrorByTheirs(expected.standard_error);
        // What the table's last digit leaves open.
        const double rounding = m == kSimBrier ? 5e-4 : 5e-3;
        EXPECT_NEAR(row.figures[t][m]->mean, expected.mean, band + rounding)
            << row.name << " on " << kSimTargets[t].name << ", "
            << kSimMetrics[m].key;
      }
    }
  }
}

void ExpectAblationsOfTheSpecification(const SimulationReport& report) {
  for (const ExpectedSetting& expected : kExpectedSettings) {
    const SimFigure& figure =
        AccuracyOf(report, expected.setting, expected.target);

    EXPECT_NEAR(figure.mean, expected.accuracy.mean,
                3 * ErrorByTheirs(expected.accuracy.standard_error) + 0.05)
        << expected.setting << " on " << kSimTargets[expected.target].name;
  }
}

void ExpectOrderings(const SimulationReport& report) {
  for (const Ordering& ordering : kOrderings) {
    const SimFigure difference =
        Difference(report, ordering.better, ordering.worse, ordering.target);
    const double least =
        std::min(3.0, ordering.lead * std::sqrt(kReplications / 100.0) - 3);

    EXPECT_GT(difference.mean / difference.standard_error, least)
        << ordering.better << " over " << ordering.worse << " on "
        << kSimTargets[ordering.target].name;
  }
}

void ExpectStyleInOneHeadToChangeNothing(const SimulationReport& report) {
  for (size_t t = 0; t < std::size(kSimTargets); ++t) {
    for (const char* const alike : {"PooledJoint", "DSNR"}) {
      EXPECT_NEAR(Difference(report, alike, "ERM", t).mean, 0, 0.5) << alike;
    }
  }
}

void ExpectNeighboursHardlyToMatterBetweenSources(
    const SimulationReport& report) {
  for (const char* const k :
       {"K=2", "K=3", "K=5", "K=6", "K=7", "K=8", "K=all"}) {
    const SimFigure difference = Difference(report, k, "K=4", /*target=*/0);

    // The specification's 100 replications gave 73.1 to 74.2.
    EXPECT_NEAR(difference.mean, 0,
                1.1 + 3 * ErrorByOurs(difference.standard_error))
        << k;
  }
}

void ExpectOneSampleToBeNoBetterThanNone(const SimulationReport& report) {
  for (size_t t = 0; t < std::size(kSimTargets); ++t) {
    const SimFigure gain =
        Difference(report, "n0=1 tau=0.1", "UniformExperts", t);

    EXPECT_LT(gain.mean / gain.standard_error, 2) << kSimTargets[t].name;
  }
}

// One test, so that the replications are made once.
TEST(SimulationTest, MeansAndOrderingsAreThoseOfTheSpecification) {
  routing::ThreadPool pool(2);
  const auto replications =
      Simulate({.num_replications = kReplications, .seed = 1}, {.pool = &pool},
               [](size_t, size_t) {});
  ASSERT_TRUE(replications.ok());
  const SimulationReport report = MakeSimulationReport(*replications);

  ExpectMeansOfTheSpecification(report);
  ExpectAblationsOfTheSpecification(report);
  ExpectOrderings(report);
  ExpectStyleInOneHeadToChangeNothing(report);
  ExpectNeighboursHardlyToMatterBetweenSources(report);
  ExpectOneSampleToBeNoBetterThanNone(report);
}

TEST(SimulationTest, NumbersDoNotDependOnThreadsOrOnHowManyAreMade) {
  routing::ThreadPool pool(3);
  std::vector<size_t> told;
  const auto parallel =
      Simulate({.num_replications = 3, .seed = 7}, {.pool = &pool},
               [&](size_t done, size_t) { told.push_back(done); });
  const auto alone =
      Simulate({.num_replications = 2, .seed = 7}, {}, [](size_t, size_t) {});
  ASSERT_TRUE(parallel.ok() && alone.ok());

  EXPECT_EQ(told, (std::vector<size_t>{1, 2, 3}));
  for (size_t i = 0; i < alone->size(); ++i) {
    const Replication& a = (*parallel)[i];
    const Replication& b = (*alone)[i];
    EXPECT_EQ(a.neighbours, b.neighbours);
    EXPECT_EQ(a.summaries, b.summaries);
    for (size_t m = 0; m < kSimMethods.size(); ++m) {
      for (size_t t = 0; t < std::size(kSimTargets); ++t) {
        EXPECT_EQ(a.methods[m][t][kSimAccuracy], b.methods[m][t][kSimAccuracy]);
        EXPECT_EQ(a.methods[m][t][kSimBrier], b.methods[m][t][kSimBrier]);
      }
    }
  }
}

TEST(SimulationTest, RefusesTooFewReplications) {
  const auto refused =
      Simulate({.num_replications = 1}, {}, [](size_t, size_t) {});

  EXPECT_EQ(refused.status().message(), "reps: expected at least 2, got 1");
}

TEST(SimulationTest, StopsWhenAsked) {
  std::stop_source stop;
  size_t num_told = 0;
  const auto stopped =
      Simulate({.num_replications = 50}, {.stop = stop.get_token()},
               [&](size_t, size_t) {
                 ++num_told;
                 stop.request_stop();
               });

  EXPECT_EQ(stopped.status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(num_told, 1u);
}

}  // namespace
}  // namespace ladder::experiments
