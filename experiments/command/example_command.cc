#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/time/clock.h"
#include "base/terminal/interrupt.h"
#include "experiments/command/ladder_train.h"
#include "experiments/example/make_example.h"
#include "routing/thread_pool.h"
#include "trainer/command/progress_printer.h"

namespace ladder::experiments {

int RunMakeExample(const std::vector<std::string>& arguments,
                   const trainer::CommandOutput& output) {
  ExampleOptions options;
  std::string images = options.images.string();
  std::string out;
  CLI::App app(
      "Makes a camera-trap-like data set, in the layout of iWildCam-WILDS, of "
      "the pictures of Fashion-MNIST (Debian's dataset-fashion-mnist).",
      "ladder-train make-example");
  app.add_option("--out", out, "the folder to make")->required();
  app.add_option("--images", images, "folder with Fashion-MNIST's four files")
      ->capture_default_str();
  const auto add = [&](const char* name, auto& value, const char* meaning) {
    app.add_option(name, value, meaning)->capture_default_str();
  };
  add("--seed", options.seed, "everything random follows from it");
  add("--sources", options.num_sources, "locations to train on");
  add("--targets", options.num_targets, "unseen locations");
  add("--frames-per-source", options.frames_per_source, "of the split train");
  add("--held-out-per-source", options.held_out_per_source,
      "of id_val, and as many of id_test");
  add("--frames-per-target", options.frames_per_target, "of the split test");
  if (auto code = trainer::ParseArguments(app, arguments, output)) return *code;
  options.images = images;
  options.out = out;

  const base::Interrupt interrupt;
  routing::ThreadPool pool(
      static_cast<int>(std::thread::hardware_concurrency()));
  absl::StatusOr<ExampleSummary> summary;
  {
    trainer::ProgressPrinter printer(output.err, output.err_columns, absl::Now);
    summary = MakeExample(
        options, {.pool = &pool, .stop = interrupt.token()},
        [&](int64_t done, int64_t total) {
          printer.Progress({.stage = "frames",
                            .done = static_cast<uint64_t>(done),
                            .total = static_cast<uint64_t>(total),
                            .samples = static_cast<uint64_t>(done)});
        });
  }
  if (!summary.ok()) return trainer::Fail(app, summary.status(), output);
  output.out << out << ": " << options.num_sources << " source locations with "
             << summary->num_train << " frames to train on, "
             << summary->num_id_val << " to validate and "
             << summary->num_id_test << " to test; " << options.num_targets
             << " unseen locations with " << summary->num_test << '\n';
  return base::kExitOk;
}

}  // namespace ladder::experiments
