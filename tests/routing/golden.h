#ifndef LADDER_TESTS_ROUTING_GOLDEN_H_
#define LADDER_TESTS_ROUTING_GOLDEN_H_

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/routing/cloud.h"
#include "tests/testdata.h"

namespace ladder::routing {

// One case of tests/testdata/golden: clouds, with the divergences that GeomLoss
// gives for them in double precision.
struct GoldenCase {
  std::string name;
  Cloud target;
  std::vector<Cloud> sources;
  // Absent where all points are one: there GeomLoss fails and the answer is 0.
  std::vector<std::optional<double>> distances;
};

inline std::vector<GoldenCase> LoadGoldenCases() {
  std::vector<GoldenCase> cases;
  for (const auto& entry :
       std::filesystem::directory_iterator(TestdataFolder() / "golden")) {
    if (entry.path().extension() != ".json") continue;
    const auto json = nlohmann::json::parse(std::ifstream(entry.path()));
    std::filesystem::path values = entry.path();
    values.replace_extension(".bin");
    std::ifstream file(values, std::ios::binary);
    const auto take = [&](size_t rows, size_t cols) {
      Cloud cloud{.rows = rows, .cols = cols, .values = {}};
      cloud.values.resize(rows * cols);
      const std::streamsize bytes =
          static_cast<std::streamsize>(rows * cols * sizeof(float));
      std::vector<char> buffer(static_cast<size_t>(bytes));
      file.read(buffer.data(), bytes);
      if (file.gcount() != bytes) std::abort();
      std::memcpy(cloud.values.data(), buffer.data(), buffer.size());
      return cloud;
    };

    GoldenCase golden;
    golden.name = json["name"];
    const size_t dimension = json["d"];
    golden.target = take(json["n"], dimension);
    for (const size_t rows : json["m"]) {
      golden.sources.push_back(take(rows, dimension));
    }
    for (const auto& distance : json["distance_f64"]) {
      golden.distances.push_back(
          distance.is_null() ? std::nullopt : std::optional<double>(distance));
    }
    cases.push_back(std::move(golden));
  }
  return cases;
}

}  // namespace ladder::routing

#endif  // LADDER_TESTS_ROUTING_GOLDEN_H_
