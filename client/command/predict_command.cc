#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "base/terminal/exit_code.h"
#include "base/text/quantities.h"
#include "client/command/arguments.h"
#include "client/command/commands.h"
#include "client/command/output/output_files.h"
#include "client/command/predict_run.h"
#include "client/command/progress_line.h"
#include "client/command/routing_arguments.h"

namespace ladder::client {
namespace {

constexpr char kPredictFooter[] =
    "Examples:\n"
    "  ladder predict photos/ --model iwildcam\n"
    "  ladder predict metadata.csv --group-by location_remapped --where "
    "split=test --model iwildcam --output out.jsonl --format jsonl\n"
    "  ladder predict features.npy --groups rows.csv --group-by hospital "
    "--model wards:3 --resume";

class PredictCommand {
 public:
  void AddTo(CLI::App& app) {
    input_.AddTo(app);
    AddModelOptions(app);
    AddOutputOptions(app);
    connection_.AddTo(app);
    app.footer(kPredictFooter);
  }

  int Run(const Context& context) {
    const absl::Status status = Prepare(context);
    if (!status.ok()) return Fail(status, context);
    for (const std::string& remark : input_files_->remarks()) {
      context.err << remark << '\n';
    }
    const size_t num_before = output_->num_finished();
    if (num_before > 0) {
      context.err << base::CountText(num_before)
                  << " groups were finished before and are skipped\n";
    }
    const absl::Time start = absl::Now();
    std::vector<GroupOutcome> outcomes;
    {
      ProgressLine progress(context.err, context.err_terminal, absl::Now);
      outcomes = PredictGroups(*client_, *input_files_, *output_, options_,
                               connection_.Call(context.stop), progress);
      progress.Finish();
    }
    return Report(outcomes, num_before, absl::Now() - start, context);
  }

 private:
  void AddModelOptions(CLI::App& app) {
    const std::string group = "Model and routing (default: the model's own)";
    app.add_option("--model", model_,
                   "NAME, NAME:VERSION or NAME@LABEL; may be left out if the "
                   "server has one model")
        ->check([](const std::string& text) {
          return UsageError(ParseModel(text).status());
        })
        ->group(group);
    app.add_option("--method", method_, "how weights come about")
        ->check(CLI::IsMember(MethodNames()))
        ->group(group);
    app.add_option("--k", k_, "sources that get weight, or all")
        ->check([](const std::string& text) {
          v1::RoutingOptions routing;
          return UsageError(ParseK(text, routing));
        })
        ->group(group);
    app.add_option("--tau", tau_, "temperature of the weights")
        ->check([](const std::string& text) {
          v1::RoutingOptions routing;
          return UsageError(ParseTau(text, routing));
        })
        ->group(group);
    app.add_option("--sources", sources_,
                   "only these sources may get weight, separated by commas")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->group(group);
    app.add_option("--min-samples", min_samples_,
                   "groups of fewer samples take the fallback")
        ->group(group);
    app.add_option("--fallback", fallback_,
                   "for groups too small or out of coverage")
        ->check(CLI::IsMember(FallbackNames()))
        ->group(group);
    app.add_flag("--fail-on-bad-sample", fail_on_bad_sample_,
                 "a picture that the server cannot read fails its group, "
                 "instead of being a row with an error")
        ->group(group);
  }

  void AddOutputOptions(CLI::App& app) {
    const std::string group = "Output";
    app.add_option("-o,--output", predictions_, "file for the predictions")
        ->capture_default_str()
        ->group(group);
    app.add_option("--routing-output", routing_,
                   "file for the routing of each group; beside the "
                   "predictions by default")
        ->group(group);
    app.add_option("--format", format_, "csv or jsonl")
        ->check(CLI::IsMember({"csv", "jsonl"}))
        ->capture_default_str()
        ->group(group);
    app.add_option("--top", output_options_.top_n,
                   "also the N most probable classes")
        ->group(group);
    app.add_flag("--probabilities", output_options_.probabilities,
                 "also all probabilities")
        ->group(group);
    app.add_flag("--logits", output_options_.logits, "also all logits")
        ->group(group);
    CLI::Option* resume =
        app.add_flag("--resume", resume_,
                     "go on with a run that was interrupted; begin it if "
                     "there is none")
            ->group(group);
    app.add_flag("--overwrite", overwrite_, "replace what is there")
        ->excludes(resume)
        ->group(group);
    app.add_option("--summary-rows", summary_rows_,
                   "groups in the table at the end")
        ->capture_default_str()
        ->group(group);
    app.add_option("--concurrency", options_.concurrency, "groups at once")
        ->check(CLI::Range(1, 256))
        ->capture_default_str()
        ->group(group);
    app.add_option("--large-group", options_.large_group_samples,
                   "groups of more samples are routed first and then predicted "
                   "over all replicas")
        ->capture_default_str()
        ->group(group);
  }

  // All that can go wrong before the first sample is sent.
  absl::Status Prepare(const Context& context) {
    LADDER_RETURN_IF_ERROR(ParseGroupOptions());
    LADDER_ASSIGN_OR_RETURN(input_files_, input_.Open());
    LADDER_ASSIGN_OR_RETURN(client_, connection_.Connect());
    LADDER_ASSIGN_OR_RETURN(const auto model,
                            client_->GetModel(options_.group.model(),
                                              connection_.Call(context.stop)));
    LADDER_RETURN_IF_ERROR(CheckKind(model));
    // A new version must not come into play half-way.
    options_.group.mutable_model()->set_name(model.name());
    options_.group.mutable_model()->set_version(model.version());
    return OpenOutput(model);
  }

  absl::Status ParseGroupOptions() {
    v1::GroupOptions& group = options_.group;
    LADDER_ASSIGN_OR_RETURN(*group.mutable_model(), ParseModel(model_));
    v1::RoutingOptions& routing = *group.mutable_routing();
    LADDER_ASSIGN_OR_RETURN(const auto method, ParseMethod(method_));
    routing.set_method(method);
    LADDER_RETURN_IF_ERROR(ParseK(k_, routing));
    LADDER_RETURN_IF_ERROR(ParseTau(tau_, routing));
    for (const std::string& source : sources_) routing.add_sources(source);
    group.set_min_samples(min_samples_);
    LADDER_ASSIGN_OR_RETURN(const auto fallback, ParseFallback(fallback_));
    group.set_fallback(fallback);
    group.set_fail_on_bad_sample(fail_on_bad_sample_);
    return absl::OkStatus();
  }

  absl::Status CheckKind(const v1::GetModelResponse& model) const {
    if (!input_files_->has_pictures() || model.takes_images()) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "model ", model.name(), ": expected samples of shape [",
        absl::StrJoin(model.sample_shape(), ", "),
        "], got pictures. Give it a .npy array or a CSV file of numbers."));
  }

  absl::Status OpenOutput(const v1::GetModelResponse& model) {
    output_options_.predictions = predictions_;
    output_options_.routing = routing_;
    output_options_.format =
        format_ == "csv" ? OutputFormat::kCsv : OutputFormat::kJsonLines;
    output_options_.classes = {model.classes().begin(), model.classes().end()};
    for (const v1::Source& source : model.sources()) {
      output_options_.sources.push_back(source.name());
    }
    *options_.group.mutable_outputs() = output_options_.Request();
    output_options_.run = {
        {"input", input_.Description()},
        {"model", absl::StrCat(model.name(), ":", model.version())},
        {"sha256", model.sha256()},
        {"routing", options_.group.routing().ShortDebugString()},
        {"min_samples", absl::StrCat(min_samples_)},
        {"fallback", fallback_}};
    OpenMode mode = OpenMode::kNew;
    if (resume_) mode = OpenMode::kResume;
    if (overwrite_) mode = OpenMode::kOverwrite;
    LADDER_ASSIGN_OR_RETURN(output_, OutputFiles::Open(output_options_, mode));
    return absl::OkStatus();
  }

  // What to tell the user at the end.
  int Report(const std::vector<GroupOutcome>& outcomes, size_t num_before,
             absl::Duration elapsed, const Context& context) const {
    for (const std::string& skipped : input_files_->Skipped()) {
      context.err << skipped << '\n';
    }
    if (!outcomes.empty()) {
      context.out << RenderSummary(outcomes, summary_rows_,
                                   context.out_terminal)
                  << '\n';
    }
    context.out << SummaryLine(outcomes);
    if (!outcomes.empty())
      context.out << ", in " << base::DurationText(elapsed);
    context.out << "\npredictions: " << output_options_.predictions.string()
                << "\nrouting:     " << output_options_.RoutingPath().string()
                << '\n';
    const size_t num_left = input_files_->num_groups() - num_before;
    absl::Status worst;
    for (const GroupOutcome& outcome : outcomes) {
      if (outcome.status.ok()) continue;
      // Among the reasons to stop early, being cancelled is the one that the
      // user can do least about.
      if (worst.ok() || absl::IsCancelled(worst)) worst = outcome.status;
    }
    if (context.stop.stop_requested()) worst = absl::CancelledError("stopped");
    if (worst.ok()) return base::kExitOk;
    if (outcomes.size() < num_left || absl::IsCancelled(worst) ||
        absl::IsUnavailable(worst)) {
      context.err << "Not all groups were predicted. The same command with "
                     "--resume goes on where this one ended.\n";
    }
    return Fail(worst, context);
  }

  InputArguments input_;
  ConnectionArguments connection_{RetryPolicy().max_attempts};
  std::string model_;
  std::string method_;
  std::string k_;
  std::string tau_;
  std::vector<std::string> sources_;
  uint64_t min_samples_ = 0;
  std::string fallback_;
  bool fail_on_bad_sample_ = false;
  std::string predictions_ = "predictions.csv";
  std::string routing_;
  OutputFileOptions output_options_;
  std::string format_ = "csv";
  bool resume_ = false;
  bool overwrite_ = false;
  size_t summary_rows_ = 40;
  PredictOptions options_;

  std::optional<Input> input_files_;
  std::optional<Client> client_;
  std::unique_ptr<OutputFiles> output_;
};

}  // namespace

void AddPredict(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand(
      "predict", "upload groups of samples, and write their predictions");
  const auto predict = std::make_shared<PredictCommand>();
  predict->AddTo(*command);
  command->callback([predict, &run] {
    run = [predict](const Context& context) { return predict->Run(context); };
  });
}

}  // namespace ladder::client
