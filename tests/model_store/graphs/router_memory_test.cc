// This test has a process of its own, whose peak it measures.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "model_store/graphs/bundle_graphs.h"
#include "routing/self_term.h"
#include "tests/model_store/graphs/router_comparison.h"

namespace ladder::model_store {
namespace {

// The most memory that this process ever had, in KiB.
uint64_t PeakMemory() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != "VmHWM:") continue;
    uint64_t peak = 0;
    status >> peak;
    return peak;
  }
  ADD_FAILURE() << "no VmHWM in /proc/self/status";
  return 0;
}

TEST(RouterMemoryTest, SixtyFourSourcesOfFullSizeFitInTwoGibibytes) {
  constexpr size_t kSources = 64;
  constexpr size_t kPoints = 1024;
  constexpr size_t kDimension = 128;
  std::vector<routing::Cloud> sources;
  for (size_t e = 0; e < kSources; ++e) {
    sources.push_back(
        Normal(kPoints, kDimension, 0.01 * static_cast<double>(e), 1, e));
  }
  // Their values do not matter for the memory.
  const std::vector<routing::SelfTerm> self_terms(kSources);
  const std::string model =
      BuildRouterGraph(routing::Fingerprints::CreateWithSelfTerms(
                           routing::Views(sources), self_terms, {})
                           .value(),
                       NoNormalizer(kDimension))
          .value();

  const std::vector<float> distances =
      GraphDistances(model, Normal(kPoints, kDimension, 0.2, 1.1, 99));

  EXPECT_EQ(distances.size(), kSources);
  EXPECT_LT(PeakMemory(), 2 * 1024 * 1024);
  RecordProperty("peak_kib", std::to_string(PeakMemory()));
}

}  // namespace
}  // namespace ladder::model_store
