#include "server/inference/infer_job.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "base/system/steady_time.h"
#include "server/inference/infer_response.h"
#include "server/rpc/from_proto.h"

namespace ladder::server {
namespace {

absl::StatusOr<Fallback> ParseFallback(const std::string& name) {
  for (const Fallback fallback : kAllFallbacks) {
    if (FallbackName(fallback) == name) return fallback;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "parameter fallback: expected error, uniform, sample_gate_group or "
      "soften, got \"",
      name, "\""));
}

// Copies row `row` of `from`, if there is one, to row `to_row` of `to`.
void CopyRow(const std::vector<float>& from, size_t row, size_t columns,
             std::vector<float>& to, size_t to_row) {
  if (from.empty() || to.empty()) return;
  std::copy_n(&from[row * columns], columns, &to[to_row * columns]);
}

}  // namespace

class InferJob::Sink final : public GroupSink {
 public:
  Sink(std::shared_ptr<InferJob> job, size_t part)
      : job_(std::move(job)), part_(part) {}

  void OnRouting(const RoutingAnswer& answer) override {
    job_->TakeRouting(job_->parts_[part_], answer);
  }
  void OnPredictions(GroupPredictions rows) override {
    job_->TakePredictions(job_->parts_[part_], rows);
  }
  void OnEnd(const absl::Status& status, const GroupSummary&) override {
    job_->OnGroupEnd(part_, status);
  }

 private:
  const std::shared_ptr<InferJob> job_;
  const size_t part_;
};

std::shared_ptr<InferJob> InferJob::Start(const InferenceServices& services,
                                          std::shared_ptr<const Call> call,
                                          Request request, Done done) {
  const std::shared_ptr<InferJob> job(new InferJob(
      services, std::move(call), std::move(request), std::move(done)));
  absl::Status status = job->Begin();
  if (!status.ok()) job->Cancel(std::move(status));
  return job;
}

InferJob::InferJob(const InferenceServices& services,
                   std::shared_ptr<const Call> call, Request request, Done done)
    : services_(services.rpc),
      statistics_(services.statistics),
      call_(std::move(call)),
      message_(std::move(request)),
      started_(base::SteadyNow()),
      memory_(services.rpc.groups.memory),
      done_(std::move(done)) {}

absl::Status InferJob::Begin() {
  LADDER_RETURN_IF_ERROR(services_.admission.CheckQueue());
  LADDER_ASSIGN_OR_RETURN(model_,
                          FindModel(services_.store, message_->model_name(),
                                    message_->model_version()));
  signature_ = SignatureOf(*model_, services_.limits);
  LADDER_ASSIGN_OR_RETURN(request_, ParseInferRequest(*message_, signature_));
  LADDER_ASSIGN_OR_RETURN(const GroupOptions options, Options());

  std::unordered_map<std::string, size_t> places;
  for (size_t row = 0; row < request_.num_rows; ++row) {
    const std::string group(request_.groups[row]);
    LADDER_RETURN_IF_ERROR(
        CheckNameLength("groups' names", group, services_.limits));
    const auto [place, is_new] = places.try_emplace(group, parts_.size());
    if (is_new) parts_.push_back({.group = group});
    parts_[place->second].rows.push_back(row);
  }
  if (parts_.size() > services_.limits.max_groups_per_stream) {
    return absl::ResourceExhaustedError(absl::StrCat(
        LimitsConfig::kMaxGroupsPerStreamFlag, ": expected at most ",
        services_.limits.max_groups_per_stream, " groups, got ",
        parts_.size()));
  }
  LADDER_RETURN_IF_ERROR(MakeRoom(options.outputs));
  std::vector<std::shared_ptr<Group>> groups;
  for (size_t i = 0; i < parts_.size(); ++i) {
    groups.push_back(
        Group::Start(services_.groups,
                     {.owner = call_->owner(),
                      .model = model_,
                      .options = options,
                      .limits = services_.group_limits,
                      .report = call_->ReportOf(parts_[i].group)},
                     std::make_shared<Sink>(shared_from_this(), i)));
  }
  {
    const base::MutexLock lock(mutex_);
    groups_ = groups;
  }
  for (size_t i = 0; i < parts_.size(); ++i) {
    LADDER_RETURN_IF_ERROR(groups[i]->Add(ChunkOf(parts_[i])));
    groups[i]->End();
  }
  return absl::OkStatus();
}

absl::Status InferJob::MakeRoom(const OutputOptions& outputs) {
  const size_t n = request_.num_rows;
  const size_t probabilities =
      outputs.probabilities ? n * signature_.classes.size() : 0;
  const size_t logits = outputs.logits ? n * signature_.classes.size() : 0;
  const size_t weights = n * signature_.sources.size();
  const size_t bytes = n * sizeof(int64_t) +
                       (probabilities + logits + 2 * weights) * sizeof(float);
  uint64_t copied = 0;  // By ChunkOf.
  for (const Part& part : parts_) {
    if (!part.IsContiguous()) {
      copied += part.rows.size() * request_.values.size_bytes() / n;
    }
  }
  // Here and in the response.
  LADDER_RETURN_IF_ERROR(memory_.Grow(2 * bytes + copied));
  const base::MutexLock lock(mutex_);
  num_open_ = parts_.size();
  labels_.resize(n);
  probabilities_.resize(probabilities);
  logits_.resize(logits);
  weights_.resize(weights);
  distances_.assign(weights, std::numeric_limits<float>::quiet_NaN());
  return absl::OkStatus();
}

absl::StatusOr<GroupOptions> InferJob::Options() const {
  const RequestedRouting& asked = request_.routing;
  const model_store::RoutingDefaults& defaults = model_->manifest().routing;
  RouteQuestion question;
  question.routing = {.method = asked.method.value_or(defaults.method),
                      .k = asked.k.value_or(defaults.k),
                      .tau = asked.tau.value_or(defaults.tau)};
  question.min_samples = asked.min_samples.value_or(0);
  question.diagnostics = false;  // The protocol has no place for them.
  if (asked.fallback.has_value()) {
    LADDER_ASSIGN_OR_RETURN(question.fallback, ParseFallback(*asked.fallback));
  }
  absl::Status status = model_->router().CheckOptions(question.routing);
  if (!status.ok()) {
    return absl::Status(status.code(),
                        absl::StrCat("parameter ", status.message()));
  }
  const auto wants = [this](Output output) {
    return std::any_of(
        request_.outputs.begin(), request_.outputs.end(),
        [&](const WantedOutput& wanted) { return wanted.output == output; });
  };
  return GroupOptions{
      .questions = {std::move(question)},
      .outputs = {.probabilities = wants(Output::kProbabilities),
                  .logits = wants(Output::kLogits)},
      .fail_on_bad_sample = true};
}

SampleChunk InferJob::ChunkOf(const Part& part) const {
  SampleChunk chunk = {.owner = message_, .num_samples = part.rows.size()};
  if (!request_.images.empty()) {
    for (const size_t row : part.rows) {
      chunk.images.push_back(request_.images[row]);
    }
    return chunk;
  }
  const size_t sample = request_.values.size() / request_.num_rows;
  if (part.IsContiguous()) {
    chunk.x = request_.values.subspan(part.rows.front() * sample,
                                      part.rows.size() * sample);
    return chunk;
  }
  const auto gathered = std::make_shared<std::vector<float>>();
  gathered->reserve(part.rows.size() * sample);
  for (const size_t row : part.rows) {
    const auto values = request_.values.subspan(row * sample, sample);
    gathered->insert(gathered->end(), values.begin(), values.end());
  }
  chunk.x = *gathered;
  chunk.owner = gathered;
  return chunk;
}

void InferJob::Cancel(absl::Status status) {
  Finish(status);
  std::vector<std::shared_ptr<Group>> groups;
  {
    const base::MutexLock lock(mutex_);
    groups = groups_;
  }
  for (const auto& group : groups) {
    if (group != nullptr) group->Fail(status);
  }
}

void InferJob::TakeRouting(const Part& part, const RoutingAnswer& answer) {
  const size_t num_sources = signature_.sources.size();
  const routing::Routing& routing = answer.routing;
  const std::vector<float> weights(routing.weights.begin(),
                                   routing.weights.end());
  const std::vector<float> distances(routing.distances.begin(),
                                     routing.distances.end());
  const base::MutexLock lock(mutex_);
  const auto time = [&](Stage stage) {
    return answer.stages[static_cast<size_t>(stage)];
  };
  times_.queue = std::max(times_.queue, time(Stage::kQueue));
  times_.compute.input += time(Stage::kDecode);
  times_.compute.infer +=
      time(Stage::kEncode) + time(Stage::kStyle) + time(Stage::kRoute);
  for (const size_t row : part.rows) {
    CopyRow(weights, 0, num_sources, weights_, row);
    CopyRow(distances, 0, num_sources, distances_, row);
  }
}

void InferJob::TakePredictions(const Part& part, const GroupPredictions& rows) {
  const size_t num_classes = signature_.classes.size();
  const base::MutexLock lock(mutex_);
  for (size_t i = 0; i < rows.indices.size(); ++i) {
    const size_t row = part.rows[rows.indices[i]];
    labels_[row] = rows.labels[i];
    CopyRow(rows.probabilities, i, num_classes, probabilities_, row);
    CopyRow(rows.logits, i, num_classes, logits_, row);
    CopyRow(rows.sample_weights, i, signature_.sources.size(), weights_, row);
  }
}

void InferJob::OnGroupEnd(size_t part, const absl::Status& status) {
  const std::string& name = parts_[part].group;
  std::shared_ptr<Group> ended;  // They hold each other until now.
  absl::Status overall;
  {
    const base::MutexLock lock(mutex_);
    ended = std::move(groups_[part]);
    if (!status.ok() && status_.ok()) {
      status_ = name.empty()
                    ? status
                    : absl::Status(status.code(),
                                   absl::StrCat("group \"", name,
                                                "\": ", status.message()));
    }
    if (--num_open_ > 0) return;
    overall = status_;
  }
  Finish(std::move(overall));
}

void InferJob::Finish(absl::Status status) {
  Done done;
  {
    const base::MutexLock lock(mutex_);
    done = std::exchange(done_, nullptr);
  }
  if (done == nullptr) return;
  const absl::Time now = base::SteadyNow();
  inference::ModelInferResponse response;
  if (status.ok()) {
    const base::MutexLock lock(mutex_);
    const size_t n = request_.num_rows;
    const size_t num_classes = signature_.classes.size();
    const size_t num_sources = signature_.sources.size();
    status = WriteInferResponse(
        request_, signature_,
        {.version = model_->manifest().version,
         .probabilities = {probabilities_.data(), n, num_classes},
         .logits = {logits_.data(), n, num_classes},
         .labels = labels_,
         .weights = {weights_.data(), n, num_sources},
         .distances = {distances_.data(), n, num_sources}},
        response);
    times_.compute.output = base::SteadyNow() - now;
  }
  if (model_ != nullptr) {
    ModelStatistics& statistics =
        statistics_.Of(model_->manifest().model, model_->manifest().version);
    const absl::Duration total = base::SteadyNow() - started_;
    if (status.ok()) {
      const base::MutexLock lock(mutex_);
      times_.total = total;
      statistics.RecordSuccess(times_, request_.num_rows, absl::Now());
    } else {
      statistics.RecordFailure(total, absl::Now());
    }
  }
  {
    // An answer that nobody takes should not keep the question in memory.
    const base::MutexLock lock(mutex_);
    message_.reset();
    request_ = {};
  }
  if (status.ok()) {
    done(std::move(response));
  } else {
    done(status);
  }
}

}  // namespace ladder::server
