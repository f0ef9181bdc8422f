#include "tests/trainer/command/small_table.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "routing/counter_rng.h"

namespace ladder::trainer {
namespace {

class TableWriter {
 public:
  void Add(int domain, double style, const std::string& split, int count) {
    for (int i = 0; i < count; ++i) {
      const int label = i % 3;
      absl::StrAppend(&csv_, Around(label == 0 ? 2 : 0), ",",
                      Around(label == 1 ? 2 : 0), ",", Around(style), ",",
                      Around(-style), ",kind-", label, ",site-", domain, ",",
                      split, "\n");
    }
  }
  const std::string& csv() const { return csv_; }

 private:
  double Around(double center) {
    return center + 1e-6 * static_cast<double>(rng_.Below(1'000'000, draw_++));
  }

  const routing::CounterRng rng_ = routing::CounterRng(/*seed=*/3);
  uint64_t draw_ = 0;
  std::string csv_ = "x0,x1,x2,x3,label,domain,split\n";
};

}  // namespace

std::string SmallTable() {
  TableWriter table;
  for (int source = 0; source < 4; ++source) {
    table.Add(source, /*style=*/2 * source, "train", 24);
    table.Add(source, /*style=*/2 * source, "id_val", 12);
  }
  table.Add(/*domain=*/4, /*style=*/0.5, "test", 60);
  table.Add(/*domain=*/5, /*style=*/5.5, "test", 60);
  return table.csv();
}

std::vector<std::string> SmallFitOptions() {
  return {"--backbone",
          "mlp",
          "--content-dimension",
          "4",
          "--style-dimension",
          "3",
          "--epochs",
          "2",
          "--batch-size",
          "16",
          "--head-epochs",
          "2",
          "--max-style-samples",
          "16",
          "--k",
          "2",
          "--device",
          "cpu",
          "--threads",
          "1",
          "--loader-threads",
          "1"};
}

}  // namespace ladder::trainer
