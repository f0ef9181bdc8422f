#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"
#include "experiments/command/ladder_train.h"
#include "experiments/diagnose/diagnosis_report.h"
#include "model_store/format/find_bundles.h"
#include "nlohmann/json.hpp"
#include "trainer/command/model_session.h"
#include "trainer/command/progress_printer.h"
#include "trainer/encode/trained_bundle.h"

namespace ladder::experiments {
namespace {

struct DiagnoseArguments {
  std::string bundle;
  std::string data;
  std::string layout = "auto";
  std::string split = "id_val";
  uint64_t seed = 0;
  std::string out;
  trainer::ModelSessionOptions session;
};

// The samples of `split` that are of the bundle's sources, their domains
// numbered as the sources are.
absl::StatusOr<trainer::EncodedSamples> EncodeSources(
    const trainer::TrainedBundle& bundle, const trainer::Dataset& dataset,
    trainer::Split split, trainer::ModelSession& session,
    trainer::FitObserver& observer) {
  std::vector<int64_t> source_of_domain(dataset.domains.size(), -1);
  for (size_t e = 0; e < bundle.stack.sources.size(); ++e) {
    for (size_t d = 0; d < dataset.domains.size(); ++d) {
      if (dataset.domains[d] == bundle.stack.sources[e].name) {
        source_of_domain[d] = static_cast<int64_t>(e);
      }
    }
  }
  const auto source_of = [&](int64_t domain) {
    return source_of_domain[static_cast<size_t>(domain)];
  };
  std::vector<size_t> samples;
  for (const size_t sample : dataset.SamplesOf(split)) {
    if (source_of(dataset.samples[sample].domain) >= 0) {
      samples.push_back(sample);
    }
  }
  LADDER_ASSIGN_OR_RETURN(
      auto encoded,
      trainer::EncodeShown(*bundle.model, dataset, samples, "encoding",
                           session.execution(), observer));
  for (int64_t& domain : encoded.domains) domain = source_of(domain);
  return encoded;
}

absl::StatusOr<Diagnosis> Diagnose(const DiagnoseArguments& arguments,
                                   const trainer::TrainedBundle& bundle,
                                   const trainer::EncodedSamples& samples,
                                   const routing::Execution& execution) {
  LADDER_ASSIGN_OR_RETURN(
      auto geometry, MeasureSourceGeometry(bundle.stack, samples, execution));
  LADDER_ASSIGN_OR_RETURN(
      auto probes, RunProbes(samples, {.seed = arguments.seed}, execution));
  return Diagnosis{std::move(geometry), std::move(probes)};
}

absl::Status WriteFigures(const std::filesystem::path& folder,
                          const Diagnosis& diagnosis,
                          const trainer::EncodedSamples& samples,
                          const DiagnoseArguments& arguments,
                          const routing::Execution& execution) {
  absl::Status status;
  for (const PairMeasure measure : kPairMeasures) {
    const std::string name =
        absl::StrCat("geometry_", std::string(PairMeasureKey(measure)), ".svg");
    status.Update(base::ReplaceFile(
        folder / name, GeometryFigure(diagnosis.geometry, measure)));
  }
  const std::pair<const char*, routing::MatrixView> embeddings[] = {
      {"style", samples.style_view()}, {"content", samples.content_view()}};
  for (const auto& [name, features] : embeddings) {
    LADDER_ASSIGN_OR_RETURN(
        const auto embedding,
        EmbedInPlane(features, {.seed = arguments.seed}, execution));
    status.Update(base::ReplaceFile(
        folder / absl::StrCat("embedding_", name, ".svg"),
        EmbeddingFigure(embedding, samples.domains, diagnosis.geometry.sources,
                        absl::StrCat("t-SNE of ", name, " by source"))));
  }
  return status;
}

absl::Status WriteAll(const DiagnoseArguments& arguments,
                      const Diagnosis& diagnosis,
                      const trainer::EncodedSamples& samples,
                      const routing::Execution& execution) {
  if (arguments.out.empty()) return absl::OkStatus();
  const std::filesystem::path folder = arguments.out;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  absl::Status status =
      base::ReplaceFile(folder / "pairs.csv", PairsCsv(diagnosis.geometry));
  status.Update(
      base::ReplaceFile(folder / "diagnosis.json",
                        absl::StrCat(DiagnosisJson(diagnosis).dump(2), "\n")));
  if (!status.ok()) return status;
  return WriteFigures(folder, diagnosis, samples, arguments, execution);
}

absl::Status Run(const DiagnoseArguments& arguments,
                 const trainer::CommandOutput& output) {
  LADDER_ASSIGN_OR_RETURN(const auto split,
                          trainer::ParseSplitOption("split", arguments.split));
  LADDER_ASSIGN_OR_RETURN(const auto layout,
                          trainer::ParseLayout(arguments.layout));
  LADDER_ASSIGN_OR_RETURN(auto session,
                          trainer::ModelSession::Create(arguments.session));
  LADDER_ASSIGN_OR_RETURN(const auto locations,
                          model_store::FindBundles(arguments.bundle));
  LADDER_ASSIGN_OR_RETURN(
      const auto bundle,
      trainer::LoadTrainedBundle(session->engine(), locations.back().path,
                                 session->stop()));
  LADDER_ASSIGN_OR_RETURN(
      auto data,
      trainer::OpenDatasetFor(bundle, arguments.data, {.layout = layout}));
  trainer::EncodedSamples samples;
  {
    trainer::ProgressPrinter printer(output.err, output.err_columns, absl::Now);
    LADDER_ASSIGN_OR_RETURN(
        samples, EncodeSources(bundle, data.dataset, split, *session, printer));
  }
  LADDER_ASSIGN_OR_RETURN(
      const auto diagnosis,
      Diagnose(arguments, bundle, samples, session->execution()));
  output.out << DiagnosisText(diagnosis);
  return WriteAll(arguments, diagnosis, samples, session->execution());
}

}  // namespace

int RunDiagnose(const std::vector<std::string>& arguments,
                const trainer::CommandOutput& output) {
  DiagnoseArguments parsed;
  CLI::App app(
      "Compares how sources look with how well they can use each other's "
      "heads, and probes what the representations hold.",
      "ladder-train diagnose");
  app.add_option("bundle", parsed.bundle,
                 "a bundle; of a model's folder, the latest")
      ->required();
  app.add_option("--data", parsed.data, "labelled data set")->required();
  const auto add = [&](const char* name, auto& value, const char* meaning) {
    app.add_option(name, value, meaning)->capture_default_str();
  };
  add("--layout", parsed.layout, "auto, iwildcam, fmow, csv or table");
  add("--split", parsed.split,
      "samples of the sources: id_val, id_test, train");
  add("--seed", parsed.seed, "of the probes and of the embeddings");
  add("--out", parsed.out, "folder for pairs.csv, diagnosis.json and figures");
  add("--device", parsed.session.device, "auto, cpu or cuda[:N]");
  add("--threads", parsed.session.threads, "0 for one per processor");
  if (auto code = trainer::ParseArguments(app, arguments, output)) return *code;
  const absl::Status status = Run(parsed, output);
  return status.ok() ? base::kExitOk : trainer::Fail(app, status, output);
}

}  // namespace ladder::experiments
