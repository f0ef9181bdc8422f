#include "server/groups/group.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "imaging/rejection.h"
#include "server/groups/describe_group.h"
#include "server/groups/group_chunk.h"

namespace ladder::server {
namespace {

using model_store::Encoding;
using model_store::ImageInput;
using model_store::Manifest;

// Enough that mixing the heads does not count beside using them, and little
// enough that predictions flow.
constexpr size_t kRowsPerMessage = 256;

// The index, an id's object and what else a sample takes beside its codes.
constexpr uint64_t kBytesBesideCodes = 64;

// What a rejected picture takes: about 150 and the message.
constexpr uint64_t kRejectionBytes = 256;

}  // namespace

std::shared_ptr<Group> Group::Start(const GroupServices& services,
                                    GroupSetup setup,
                                    std::shared_ptr<GroupSink> sink) {
  return std::shared_ptr<Group>(
      new Group(services, std::move(setup), std::move(sink)));
}

Group::Group(const GroupServices& services, GroupSetup setup,
             std::shared_ptr<GroupSink> sink)
    : services_(services),
      setup_(std::move(setup)),
      sink_(std::move(sink)),
      model_(*setup_.model),
      sample_size_(SampleSize(model_.manifest())),
      started_(absl::Now()),
      memory_(services.memory),
      evidence_(model_, setup_.options.questions) {}

uint64_t Group::AnswerBytes(size_t num_samples,
                            std::span<const std::string> ids) const {
  const Manifest& manifest = model_.manifest();
  uint64_t each = 0;
  if (setup_.options.predict) {
    each = kBytesBesideCodes + sizeof(float) * (manifest.content_dimension +
                                                manifest.num_sources());
  }
  if (std::holds_alternative<ImageInput>(manifest.input)) {
    each = std::max(each, kRejectionBytes);
  }
  uint64_t bytes = each * num_samples;
  for (const std::string& id : ids) bytes += id.size();
  return bytes;
}

absl::Status Group::Enter(const std::shared_ptr<Chunk>& entering) {
  Chunk& chunk = *entering;
  const std::lock_guard lock(mutex_);
  // Finish requests the stop before it frees, so that nothing stays behind.
  if (stop_.stop_requested()) {
    return absl::CancelledError("the group has ended");
  }
  const uint64_t num_new = chunk.samples.num_samples;
  const uint64_t num_all = num_samples_ + num_new;
  const GroupLimits& limits = setup_.limits;
  if (num_all > limits.max_samples) {
    return absl::ResourceExhaustedError(
        absl::StrCat("--max-group-samples: expected a group of at most ",
                     limits.max_samples, " samples, got ", num_all));
  }
  const auto& questions = setup_.options.questions;
  chunk.sample_bytes = chunk.samples.num_bytes();
  chunk.answer_bytes = AnswerBytes(num_new, chunk.samples.ids);
  chunk.input_bytes = chunk.sample_bytes;
  if (!chunk.samples.images.empty()) {
    chunk.input_bytes += num_new * sample_size_ * sizeof(float);
  }
  const uint64_t bytes = chunk.input_bytes + chunk.answer_bytes +
                         GroupEvidence::Bytes(model_, questions, num_all) -
                         GroupEvidence::Bytes(model_, questions, num_samples_);
  if (memory_.bytes() + bytes > limits.max_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "--max-group-bytes: expected a group to take at most ",
        limits.max_bytes, " bytes, got ", memory_.bytes() + bytes));
  }
  absl::Status status = memory_.Grow(bytes);
  if (!status.ok()) return status;
  chunk.first_index = std::exchange(num_samples_, num_all);
  chunks_.push_back(entering);
  return absl::OkStatus();
}

absl::Status Group::Add(SampleChunk samples) {
  if (samples.num_samples == 0) return absl::OkStatus();
  absl::Status status = CheckSamples(samples, model_.manifest());
  if (!status.ok()) return status;
  const auto chunk = std::make_shared<Chunk>();
  chunk->samples = std::move(samples);
  chunk->num_rows = chunk->samples.num_samples;
  status = Enter(chunk);
  if (absl::IsCancelled(status)) return absl::OkStatus();
  if (!status.ok()) return status;
  if (chunk->samples.images.empty()) {
    Encode(chunk);
  } else {
    Decode(chunk);
  }
  return absl::OkStatus();
}

void Group::Decode(const std::shared_ptr<Chunk>& chunk) {
  const auto& input = std::get<ImageInput>(model_.manifest().input);
  {
    const std::lock_guard lock(mutex_);
    if (!preprocessor_.has_value()) {
      absl::StatusOr<imaging::Preprocessor> preprocessor =
          imaging::Preprocessor::Create(
              {.height = input.height,
               .width = input.width,
               .normalize = {.mean = input.mean, .std = input.std},
               .limits = setup_.limits.images});
      preprocessor_ = *std::move(preprocessor);  // The manifest was validated.
    }
  }
  const size_t num_images = chunk->samples.images.size();
  chunk->decoding_since = absl::Now();
  chunk->decoded.resize(num_images * sample_size_);
  chunk->verdict.resize(num_images);
  chunk->num_left = num_images;
  for (size_t image = 0; image < num_images; ++image) {
    services_.workers.Post(setup_.stream,
                           [self = shared_from_this(), chunk, image] {
                             self->DecodeOne(chunk, image);
                           });
  }
}

void Group::DecodeOne(const std::shared_ptr<Chunk>& chunk, size_t image) {
  chunk->verdict[image] =
      stop_.stop_requested()
          ? absl::CancelledError("the group has ended")
          : preprocessor_->Run(
                chunk->samples.images[image],
                std::span(chunk->decoded)
                    .subspan(image * sample_size_, sample_size_));
  if (--chunk->num_left > 0) return;

  chunk->decoded_at = absl::Now();
  chunk->KeepDecoded(sample_size_);
  Encode(chunk);
}

void Group::Encode(const std::shared_ptr<Chunk>& chunk) {
  const auto on_done = [self = shared_from_this(),
                        chunk](absl::StatusOr<EncodedRows> encoded) {
    {
      const std::lock_guard lock(self->mutex_);
      chunk->encoded = std::move(encoded);
      chunk->done = true;
    }
    self->Schedule();
  };
  if (chunk->num_rows == 0) return on_done(EncodedRows{});
  services_.scheduler.Submit({.stream = setup_.stream,
                              .model = setup_.model,
                              .x = chunk->samples.x,
                              .num_rows = chunk->num_rows,
                              .stop = stop_.get_token(),
                              .done = on_done});
}

void Group::End() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  Schedule();
}

void Group::Fail(absl::Status status) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_.ok()) failure_ = std::move(status);
  }
  stop_.request_stop();
  Schedule();
}

void Group::Resume() { Schedule(); }

void Group::Schedule() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(scheduled_, true)) {
      again_ = true;
      return;
    }
  }
  services_.workers.Post(setup_.stream,
                         [self = shared_from_this()] { self->Run(); });
}

void Group::Run() {
  const bool may_have_more = Step();
  {
    const std::lock_guard lock(mutex_);
    const bool again = std::exchange(again_, false);
    if (!may_have_more && !again) {
      scheduled_ = false;
      return;
    }
  }
  // Others come first, then the next step.
  services_.workers.Post(setup_.stream,
                         [self = shared_from_this()] { self->Run(); });
}

bool Group::Step() {
  if (finished_) return false;
  absl::Status failure;
  {
    const std::lock_guard lock(mutex_);
    failure = failure_;
    input_over_ = ended_ && chunks_.empty();
  }
  if (!failure.ok()) {
    Finish(failure);
    return false;
  }
  absl::Status status;
  const bool routed = !answers_.empty();
  if (const std::shared_ptr<Chunk> chunk = TakeChunk()) {
    status = Absorb(*chunk);
  } else if (!routed && input_over_) {
    status = Route();
  } else if (routed && (content_.num_rows() > 0 || !rejected_.empty())) {
    if (!sink_->HasRoom()) return false;
    status = Predict();
  } else if (routed && input_over_) {
    Finish(absl::OkStatus());
    return false;
  } else {
    return false;
  }
  if (status.ok()) return true;
  {
    // What was stopped says no more than that it was.
    const std::lock_guard lock(mutex_);
    if (!failure_.ok()) status = failure_;
  }
  Finish(status);
  return false;
}

std::shared_ptr<Group::Chunk> Group::TakeChunk() {
  const std::lock_guard lock(mutex_);
  if (chunks_.empty() || !chunks_.front()->done) return nullptr;
  std::shared_ptr<Chunk> chunk = std::move(chunks_.front());
  chunks_.pop_front();
  return chunk;
}

absl::Status Group::Absorb(Chunk& chunk) {
  if (!chunk.encoded.ok()) return chunk.encoded.status();
  uint64_t done_bytes = chunk.input_bytes;
  if (!setup_.options.predict) done_bytes += chunk.answer_bytes;
  for (size_t i = 0; i < chunk.verdict.size(); ++i) {
    const absl::Status& verdict = chunk.verdict[i];
    if (verdict.ok()) continue;
    const auto reason = imaging::GetRejection(verdict);
    const uint64_t index = chunk.first_index + i;
    // Callers know the limit by its flag.
    std::string message = absl::StrReplaceAll(
        verdict.message(), {{"max_pixels", "--max-image-pixels"}});
    if (setup_.options.fail_on_bad_sample || !reason.has_value()) {
      return absl::Status(verdict.code(),
                          absl::StrCat("image ", index, ": ", message));
    }
    const absl::string_view name = imaging::RejectionName(*reason);
    services_.observer.OnImageRejected(name);
    rejected_.push_back(
        {.index = index,
         .id = chunk.samples.ids.empty() ? "" : chunk.samples.ids[i],
         .reason = std::string(name),
         .message = std::move(message)});
    if (!setup_.options.predict) {
      done_bytes -= AnswerBytes(1, {&rejected_.back().id, 1});
    }
    ++summary_.num_rejected;
  }
  NoteTimes(chunk);
  size_t row = 0;
  for (const Encoding& part : chunk.encoded->parts) {
    absl::Status status = AbsorbPart(part, row, chunk);
    if (!status.ok()) return status;
    row += part.z_c.rows();
  }
  summary_.num_samples += chunk.num_rows;
  {
    const std::lock_guard lock(mutex_);
    memory_.Shrink(done_bytes);
  }
  chunk.samples.owner.reset();
  sink_->OnSamplesTaken(chunk.sample_bytes);
  return absl::OkStatus();
}

// `begin` is the part's first row in the chunk.
absl::Status Group::AbsorbPart(const Encoding& part, size_t begin,
                               Chunk& chunk) {
  if (answers_.empty()) {
    const absl::Time start = absl::Now();
    // Weights depend on the first samples alone, however the stream was cut.
    const uint64_t route_after = setup_.options.route_after;
    const uint64_t room = route_after - evidence_.num_seen();
    const bool completes = route_after > 0 && part.z_c.rows() >= room;
    const size_t num_rows = completes ? room : part.z_c.rows();
    absl::Status status = evidence_.Add({.z_c = part.z_c.Rows(0, num_rows),
                                         .z_s = part.z_s.Rows(0, num_rows),
                                         .gate = part.gate.Rows(0, num_rows)},
                                        stop_.get_token());
    if (!status.ok()) return status;
    AddTime(Stage::kStyle, start, absl::Now());
    if (completes) {
      status = Route();
      if (!status.ok()) return status;
    }
  }
  if (!setup_.options.predict) return absl::OkStatus();
  ContentRows rows = {.z_c = part.z_c};
  const bool per_sample = setup_.options.questions.front().routing.method ==
                          routing::Method::kSampleGate;
  if (per_sample) rows.gate = part.gate;
  for (size_t row = begin; row < begin + part.z_c.rows(); ++row) {
    const size_t sample = chunk.SampleOf(row);
    rows.indices.push_back(chunk.first_index + sample);
    if (!chunk.samples.ids.empty()) {
      rows.ids.push_back(std::move(chunk.samples.ids[sample]));
    }
  }
  content_.Push(std::move(rows));
  return absl::OkStatus();
}

absl::Status Group::Route() {
  const absl::Time start = absl::Now();
  const std::vector<RouteQuestion>& questions = setup_.options.questions;
  for (size_t i = 0; i < questions.size(); ++i) {
    absl::StatusOr<RoutingAnswer> answer =
        RouteGroup(model_, evidence_, questions[i], execution());
    if (!answer.ok()) return AboutQuestion(answer.status(), i);
    answers_.push_back(*std::move(answer));
  }
  AddTime(Stage::kRoute, start, absl::Now());
  for (RoutingAnswer& answer : answers_) {
    answer.stages = stages_;
    sink_->OnRouting(answer);
  }
  return absl::OkStatus();
}

absl::Status Group::Predict() {
  const absl::Time start = absl::Now();
  PredictionRows rows;
  if (content_.num_rows() > 0) {
    const size_t fixed = setup_.limits.fixed_head_rows;
    absl::StatusOr<ContentRows> content = content_.Take(
        model_, fixed > 0 ? fixed : kRowsPerMessage, stop_.get_token());
    if (!content.ok()) return content.status();
    absl::StatusOr<PredictionRows> predicted =
        PredictRows(model_, content->z_c, content->gate, answers_.front(),
                    setup_.options.outputs, fixed, stop_.get_token());
    if (!predicted.ok()) return predicted.status();
    rows = *std::move(predicted);
    rows.indices = std::move(content->indices);
    rows.ids = std::move(content->ids);
  }
  rows.rejected = std::exchange(rejected_, {});
  uint64_t answered = AnswerBytes(rows.indices.size(), rows.ids);
  for (const RejectedSample& rejected : rows.rejected) {
    answered += AnswerBytes(1, {&rejected.id, 1});
  }
  {
    const std::lock_guard lock(mutex_);
    memory_.Shrink(answered);
  }
  AddTime(Stage::kHeads, start, absl::Now());
  sink_->OnPredictions(std::move(rows));
  return absl::OkStatus();
}

void Group::Finish(const absl::Status& status) {
  finished_ = true;
  stop_.request_stop();
  content_ = {};
  {
    const std::lock_guard lock(mutex_);
    chunks_.clear();
    memory_.Shrink(memory_.bytes());
  }
  GroupReport report = setup_.report;
  report.status = status;
  report.num_samples = summary_.num_samples;
  report.num_rejected = summary_.num_rejected;
  report.started = started_;
  report.duration = absl::Now() - started_;
  report.stages = stages_;
  report.stage_ranges = stage_ranges_;
  report.model = model_.manifest().model;
  report.version = model_.manifest().version;
  if (!answers_.empty()) {
    DescribeRouting(model_.manifest(), answers_.front(), report);
  }
  services_.observer.OnGroup(report);
  sink_->OnEnd(status, summary_);
}

void Group::NoteTimes(const Chunk& chunk) {
  if (!chunk.verdict.empty()) {
    AddTime(Stage::kDecode, chunk.decoding_since, chunk.decoded_at);
  }
  if (chunk.num_rows == 0) return;
  const EncodedRows& encoded = *chunk.encoded;
  constexpr auto kQueue = static_cast<size_t>(Stage::kQueue);
  constexpr auto kEncode = static_cast<size_t>(Stage::kEncode);
  // Chunks wait side by side, so that their sum would say little.
  const absl::Duration queued = encoded.taken - encoded.submitted;
  stages_[kQueue] = std::max(stages_[kQueue], queued);
  stage_ranges_[kQueue].Extend(encoded.submitted, encoded.taken);
  services_.observer.OnStage(Stage::kQueue, queued);
  // The scheduler has told the observer of the batches.
  stages_[kEncode] += encoded.encoding;
  stage_ranges_[kEncode].Extend(encoded.taken, encoded.encoded);
}

void Group::AddTime(Stage stage, absl::Time begin, absl::Time end) {
  stages_[static_cast<size_t>(stage)] += end - begin;
  stage_ranges_[static_cast<size_t>(stage)].Extend(begin, end);
  services_.observer.OnStage(stage, end - begin);
}

}  // namespace ladder::server
