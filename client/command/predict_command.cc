#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
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
#include "client/command/output/stream_output.h"
#include "client/command/predict_run.h"
#include "client/command/progress_line.h"
#include "client/command/route_questions.h"

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
  }

  absl::StatusOr<int> Run(const Context& context) {
    LADDER_RETURN_IF_ERROR(Prepare(context));
    Tell(input_files_->remarks(), context);
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
    app.option_defaults()->group(
        "Model and routing (default: the model's own)");
    app.add_option("--model", model_,
                   "NAME, NAME:VERSION or NAME@LABEL; may be left out if the "
                   "server has one model")
        ->check(CheckedBy(ParseModel));
    app.add_option("--method", method_, "how weights come about")
        ->check(CLI::IsMember(AskableMethods()));
    app.add_option("--k", k_, "sources that get weight, or all")
        ->check(CheckedBy(ParseK));
    app.add_option("--tau", tau_, "temperature of the weights")
        ->check(CheckedBy(ParseTau));
    app.add_option("--sources", sources_,
                   "only these sources may get weight, separated by commas")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--min-samples", min_samples_,
                   "groups of fewer samples take the fallback");
    app.add_option("--fallback", fallback_,
                   "for groups too small or out of coverage")
        ->check(CLI::IsMember(FallbackNames()));
    app.add_flag("--fail-on-bad-sample", fail_on_bad_sample_,
                 "a picture that the server cannot read fails its group, "
                 "instead of being a row with an error");
  }

  void AddOutputOptions(CLI::App& app) {
    app.option_defaults()->group("Output");
    app.add_option("-o,--output", output_options_.predictions,
                   "file for the predictions; - for standard output")
        ->capture_default_str();
    app.add_option("--routing-output", output_options_.routing,
                   "file for the routing of each group; beside the "
                   "predictions by default");
    app.add_option("--format", format_, "csv or jsonl")
        ->check(CLI::IsMember({"csv", "jsonl"}))
        ->capture_default_str();
    app.add_option("--top", output_options_.top_n,
                   "also the N most probable classes");
    app.add_flag("--probabilities", output_options_.probabilities,
                 "also all probabilities");
    app.add_flag("--logits", output_options_.logits, "also all logits");
    CLI::Option* resume =
        app.add_flag("--resume", resume_,
                     "go on with a run that was interrupted; begin it if "
                     "there is none");
    app.add_flag("--overwrite", overwrite_, "replace what is there")
        ->excludes(resume);
    app.add_option("--summary-rows", summary_rows_,
                   "groups in the table at the end")
        ->capture_default_str();
    app.add_option("--concurrency", options_.concurrency, "groups at once")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    app.add_option("--large-group", options_.large_group_samples,
                   "groups of more samples are routed first and then predicted "
                   "over all replicas")
        ->capture_default_str();
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
    LADDER_RETURN_IF_ERROR(TryOptions(context));
    return OpenOutput(model, context);
  }

  absl::Status TryOptions(const Context& context) const {
    v1::RouteQuestion question;
    *question.mutable_model() = options_.group.model();
    *question.mutable_routing() = options_.group.routing();
    return TryQuestions(*client_, {question}, connection_.Call(context.stop));
  }

  absl::Status ParseGroupOptions() {
    v1::GroupOptions& group = options_.group;
    LADDER_ASSIGN_OR_RETURN(*group.mutable_model(), ParseModel(model_));
    v1::RoutingOptions& routing = *group.mutable_routing();
    routing.set_method(ParseMethod(method_));
    LADDER_RETURN_IF_ERROR(ParseK(k_, routing));
    LADDER_RETURN_IF_ERROR(ParseTau(tau_, routing));
    for (const std::string& source : sources_) routing.add_sources(source);
    group.set_min_samples(min_samples_);
    group.set_fallback(ParseFallback(fallback_));
    group.set_fail_on_bad_sample(fail_on_bad_sample_);
    return absl::OkStatus();
  }

  absl::Status CheckKind(const v1::GetModelResponse& model) const {
    const std::vector<int64_t>& shape = input_files_->sample_shape();
    const bool fits = input_files_->has_pictures()
                          ? model.takes_images()
                          : std::equal(shape.begin(), shape.end(),
                                       model.sample_shape().begin(),
                                       model.sample_shape().end());
    if (fits) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "model ", model.name(), ": expected samples of shape [",
        absl::StrJoin(model.sample_shape(), ", "), "], got ",
        input_files_->has_pictures()
            ? "pictures. Give it a .npy array or a CSV file of numbers."
            : absl::StrCat("[", absl::StrJoin(shape, ", "), "]")));
  }

  absl::Status OpenOutput(const v1::GetModelResponse& model,
                          const Context& context) {
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
    if (output_options_.UsesStandardOutput()) {
      LADDER_ASSIGN_OR_RETURN(
          output_, StreamOutput::Open(output_options_, mode, context.out));
    } else {
      LADDER_ASSIGN_OR_RETURN(output_,
                              OutputFiles::Open(output_options_, mode));
    }
    return absl::OkStatus();
  }

  // What to tell the user at the end.
  absl::StatusOr<int> Report(const std::vector<GroupOutcome>& outcomes,
                             size_t num_before, absl::Duration elapsed,
                             const Context& context) const {
    Tell(input_files_->Skipped(), context);
    // Standard output may be the predictions' own.
    const bool is_taken = output_options_.UsesStandardOutput();
    std::ostream& out = is_taken ? context.err : context.out;
    if (!outcomes.empty()) {
      out << RenderSummary(
                 outcomes, summary_rows_,
                 is_taken ? context.err_terminal : context.out_terminal)
          << '\n';
    }
    out << SummaryLine(outcomes);
    if (!outcomes.empty()) out << ", in " << base::DurationText(elapsed);
    out << '\n';
    if (!is_taken) {
      out << "predictions: " << output_options_.predictions.string() << '\n';
    }
    if (!is_taken || !output_options_.routing.empty()) {
      out << "routing:     " << output_options_.RoutingPath().string() << '\n';
    }
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
    if (!is_taken && (outcomes.size() < num_left || absl::IsCancelled(worst) ||
                      absl::IsUnavailable(worst))) {
      context.err << "Not all groups were predicted. The same command with "
                     "--resume goes on where this one ended.\n";
    }
    return worst;
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
  OutputFileOptions output_options_ = {.predictions = "predictions.csv"};
  std::string format_ = "csv";
  bool resume_ = false;
  bool overwrite_ = false;
  size_t summary_rows_ = 40;
  PredictOptions options_;

  std::optional<Input> input_files_;
  std::optional<Client> client_;
  std::unique_ptr<Output> output_;
};

}  // namespace

void AddPredict(CLI::App& app, Run& run) {
  const auto predict = std::make_shared<PredictCommand>();
  predict->AddTo(AddCommand(
      app, run, "predict",
      "upload groups of samples, and write their predictions", kPredictFooter,
      [predict](const Context& context) { return predict->Run(context); }));
}

}  // namespace ladder::client
