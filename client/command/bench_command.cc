#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"
#include "base/terminal/exit_code.h"
#include "client/command/arguments.h"
#include "client/command/commands.h"
#include "client/command/load/load_options.h"
#include "client/command/load/load_report.h"
#include "client/command/load/run_load.h"

namespace ladder::client {
namespace {

constexpr char kBenchFooter[] =
    "Exit code 1 if requests failed or were not sent in time.\n"
    "\n"
    "Examples:\n"
    "  ladder bench --model birds --picture bird.jpg --concurrency 8\n"
    "  ladder bench --model birds --rate 50 --duration 60 --json\n"
    "  ladder bench --protocol oip --model resnet50 --samples 1 --dim 224";

struct BenchArguments {
  ConnectionArguments connection;
  LoadOptions load;
  std::string protocol = std::string(LoadProtocolName(LoadProtocol::kLadder));
  std::string picture_file;
  double duration_seconds = 10;
  double warm_up_seconds = 1;
  bool json = false;
};

absl::StatusOr<std::string> ReadPicture(const std::string& path) {
  std::optional<std::string> bytes = base::ReadText(path);
  if (!bytes.has_value() || bytes->empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--picture: expected a JPEG or PNG file, cannot read ", path));
  }
  return *std::move(bytes);
}

absl::StatusOr<LoadOptions> Options(const BenchArguments& arguments,
                                    const Client& client,
                                    const CallOptions& call) {
  LoadOptions options = arguments.load;
  options.protocol =
      arguments.protocol == LoadProtocolName(LoadProtocol::kLadder)
          ? LoadProtocol::kLadder
          : LoadProtocol::kInference;
  options.duration = absl::Seconds(arguments.duration_seconds);
  options.warm_up = absl::Seconds(arguments.warm_up_seconds);
  options.timeout = call.timeout;
  if (!client.options().token.empty()) {
    options.metadata.emplace_back(
        "authorization", absl::StrCat("Bearer ", client.options().token));
  }
  if (!arguments.picture_file.empty()) {
    LADDER_ASSIGN_OR_RETURN(options.picture,
                            ReadPicture(arguments.picture_file));
  }
  return options;
}

absl::StatusOr<int> Bench(const BenchArguments& arguments,
                          const Context& context) {
  LADDER_ASSIGN_OR_RETURN(const Client client, arguments.connection.Connect());
  LADDER_ASSIGN_OR_RETURN(
      const LoadOptions options,
      Options(arguments, client, arguments.connection.Call(context.stop)));
  LADDER_ASSIGN_OR_RETURN(const LoadReport report,
                          RunLoad(client.channel(), options, context.stop));
  if (arguments.json) {
    context.out << LoadReportJson(report, options) << '\n';
  } else {
    context.out << RenderLoadReport(report, options, context.out_terminal);
  }
  if (context.stop.stop_requested()) return base::kExitInterrupted;
  return report.failed + report.unsent > 0 ? base::kExitFailed : base::kExitOk;
}

void AddLoadOptions(CLI::App& app, LoadOptions& load) {
  app.add_option("--model", load.model,
                 "its name; may be missing if a LADDER server has one");
  app.add_option("--version", load.version, "else the server's default");
  app.add_option("--samples", load.samples, "samples per request")
      ->capture_default_str();
  app.add_option("--dim", load.dynamic_size,
                 "size of dimensions that the model leaves open");
  CLI::Option* rate = app.add_option(
      "--rate", load.rate,
      "requests per second, sent at random times whether or not earlier ones "
      "are answered");
  rate->check(CLI::PositiveNumber);
  app.add_option("--concurrency", load.concurrency,
                 "callers, each of which waits for its answer")
      ->excludes(rate)
      ->capture_default_str();
  app.add_option("--max-in-flight", load.max_in_flight,
                 "requests without an answer at once, with --rate")
      ->needs(rate)
      ->capture_default_str();
  app.add_option("--seed", load.seed, "of arrival times and samples")
      ->capture_default_str();
}

}  // namespace

void AddBench(CLI::App& parent, Run& run) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App& app = AddCommand(parent, run, "bench",
                             "put a server under load and measure its latency",
                             kBenchFooter, arguments, Bench);
  app.add_option("--protocol", arguments->protocol,
                 "LADDER's own, or the Open Inference Protocol")
      ->check(CLI::IsMember(
          {std::string(LoadProtocolName(LoadProtocol::kLadder)),
           std::string(LoadProtocolName(LoadProtocol::kInference))}))
      ->capture_default_str();
  AddLoadOptions(app, arguments->load);
  app.add_option("--picture", arguments->picture_file,
                 "file that every sample is, instead of random numbers")
      ->check(CLI::ExistingFile);
  CLI::Option* duration =
      app.add_option("--duration", arguments->duration_seconds,
                     "seconds beyond the warm-up")
          ->check(CLI::PositiveNumber)
          ->capture_default_str();
  app.add_option("--requests", arguments->load.requests,
                 "end after so many instead")
      ->excludes(duration);
  app.add_option("--warm-up", arguments->warm_up_seconds,
                 "seconds at first that do not count")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--json", arguments->json, "one JSON object");
  arguments->connection.AddTo(app);
}

}  // namespace ladder::client
