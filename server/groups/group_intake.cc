#include "server/groups/group_intake.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "base/system/steady_time.h"
#include "imaging/decoder.h"
#include "server/groups/route_group.h"

namespace ladder::server {
namespace {

using model_store::ImageInput;
using model_store::Manifest;

// The index, an id's object and what else a sample takes beside its codes.
constexpr uint64_t kBytesBesideCodes = 64;

// What a rejected picture takes: about 150 and the message.
constexpr uint64_t kRejectionBytes = 256;

// How long decoding a picture takes, roughly.
absl::Duration ExpectedDecoding(std::span<const std::byte> file) {
  return absl::Nanoseconds(10) * imaging::PixelsToDecode(file);
}

// The first sample with a number that is none, if there is one.
std::optional<size_t> FindNotFinite(std::span<const float> x,
                                    size_t sample_size) {
  // The sum of products with zero is zero or not a number: quick to find out.
  float sum = 0;
  for (const float value : x) sum += value * 0;
  if (sum == 0) return std::nullopt;
  const auto at = std::find_if_not(
      x.begin(), x.end(), [](float value) { return std::isfinite(value); });
  return static_cast<size_t>(std::distance(x.begin(), at)) / sample_size;
}

absl::Status CheckSamples(const SampleChunk& chunk, const Manifest& manifest,
                          size_t sample_size) {
  if (!chunk.images.empty()) {
    if (!std::holds_alternative<ImageInput>(manifest.input)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "images: model ", manifest.model, " takes tensors of shape [n, ",
          absl::StrJoin(model_store::SampleShape(manifest.input), ", "), "]"));
    }
    if (chunk.images.size() != chunk.num_samples) {
      return absl::InvalidArgumentError(
          absl::StrCat("images: expected ", chunk.num_samples,
                       ", one for each sample, got ", chunk.images.size()));
    }
    return absl::OkStatus();
  }
  if (chunk.x.size() != chunk.num_samples * sample_size) {
    return absl::InvalidArgumentError(absl::StrCat(
        "x: expected ", chunk.num_samples, " samples of ", sample_size,
        " numbers each, got ", chunk.x.size(), " numbers"));
  }
  if (const auto sample = FindNotFinite(chunk.x, sample_size)) {
    return absl::InvalidArgumentError(
        absl::StrCat("x: expected finite numbers, sample ", *sample,
                     " of the chunk has one that is not"));
  }
  return absl::OkStatus();
}

}  // namespace

size_t SampleSize(const Manifest& manifest) {
  const std::vector<int64_t> shape = model_store::SampleShape(manifest.input);
  return static_cast<size_t>(std::accumulate(shape.begin(), shape.end(),
                                             int64_t{1}, std::multiplies<>()));
}

uint64_t SampleChunk::num_bytes() const {
  uint64_t bytes = x.size_bytes();
  for (const auto image : images) bytes += image.size();
  for (const std::string& id : ids) bytes += id.size();
  return bytes;
}

void GroupChunk::KeepDecoded(size_t sample_size) {
  num_rows = 0;
  for (size_t i = 0; i < verdict.size(); ++i) {
    if (!verdict[i].ok()) continue;
    if (num_rows < i) {
      std::copy_n(&decoded[i * sample_size], sample_size,
                  &decoded[num_rows * sample_size]);
    }
    kept.push_back(i);
    ++num_rows;
  }
  samples.x = std::span(decoded).first(num_rows * sample_size);
}

GroupIntake::GroupIntake(const GroupServices& services, const GroupSetup& setup,
                         std::stop_token stop)
    : services_(services),
      setup_(setup),
      model_(*setup.model),
      sample_size_(SampleSize(model_.manifest())),
      stop_(std::move(stop)),
      memory_(services.memory) {
  memory_.Count(kEmptyGroupBytes);
}

absl::Status GroupIntake::Add(SampleChunk samples,
                              const std::function<void()>& on_done) {
  if (samples.num_samples == 0) return absl::OkStatus();
  LADDER_RETURN_IF_ERROR(
      CheckSamples(samples, model_.manifest(), sample_size_));
  const bool are_pictures = !samples.images.empty();
  const Chunks chunks = Cut(std::move(samples), on_done);
  absl::Status status = Enter(chunks);
  if (absl::IsCancelled(status)) return absl::OkStatus();
  if (!status.ok()) return status;
  if (are_pictures) {
    DecodeAhead();
  } else {
    Encode(chunks.front());
  }
  return absl::OkStatus();
}

GroupIntake::Chunks GroupIntake::Cut(
    SampleChunk samples, const std::function<void()>& on_done) const {
  const size_t num_samples = samples.num_samples;
  const size_t size = samples.images.empty() ? num_samples : model_.max_batch();
  Chunks chunks;
  for (size_t begin = 0; begin < num_samples; begin += size) {
    const size_t end = std::min(begin + size, num_samples);
    const auto chunk = std::make_shared<GroupChunk>();
    SampleChunk& part = chunk->samples;
    part.owner = samples.owner;
    part.num_samples = end - begin;
    part.x = samples.x;
    for (size_t i = begin; i < end; ++i) {
      if (!samples.images.empty()) part.images.push_back(samples.images[i]);
      if (!samples.ids.empty()) part.ids.push_back(std::move(samples.ids[i]));
    }
    chunk->num_rows = part.num_samples;
    chunk->sample_bytes = part.num_bytes();
    chunk->answer_bytes = AnswerBytes(part.num_samples, part.ids);
    chunk->on_done = on_done;
    chunks.push_back(chunk);
  }
  return chunks;
}

absl::Status GroupIntake::Enter(const Chunks& chunks) {
  const base::MutexLock lock(mutex_);
  // The stop is requested before Clear, so that nothing stays behind.
  if (stop_.stop_requested()) {
    return absl::CancelledError("the group has ended");
  }
  uint64_t num_all = num_samples_;
  uint64_t bytes = 0;
  for (const auto& chunk : chunks) {
    num_all += chunk->samples.num_samples;
    bytes += chunk->answer_bytes;
  }
  const GroupLimits& limits = setup_.limits;
  if (num_all > limits.max_samples) {
    return absl::ResourceExhaustedError(
        absl::StrCat("--max-group-samples: expected a group of at most ",
                     limits.max_samples, " samples, got ", num_all));
  }
  const auto& questions = setup_.options.questions;
  bytes += GroupEvidence::Bytes(model_, questions, num_all) -
           GroupEvidence::Bytes(model_, questions, num_samples_);
  const uint64_t all_bytes = memory_.bytes() - kEmptyGroupBytes + bytes;
  if (all_bytes > limits.max_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("--max-group-bytes: expected a group to take at most ",
                     limits.max_bytes, " bytes, got ", all_bytes));
  }
  LADDER_RETURN_IF_ERROR(memory_.Grow(bytes));
  for (const auto& chunk : chunks) {
    chunk->first_index = num_samples_;
    num_samples_ += chunk->samples.num_samples;
    chunks_.push_back(chunk);
    if (!chunk->samples.images.empty()) encoded_files_.push_back(chunk);
  }
  return absl::OkStatus();
}

void GroupIntake::DecodeAhead() {
  Chunks chunks;
  {
    const base::MutexLock lock(mutex_);
    // Every encoder has a chunk to work on, and the next one is made ready.
    while (num_decoding_ < services_.scheduler.num_workers() + 1 &&
           !encoded_files_.empty()) {
      chunks.push_back(std::move(encoded_files_.front()));
      encoded_files_.pop_front();
      ++num_decoding_;
    }
  }
  for (const auto& chunk : chunks) {
    const uint64_t bytes =
        chunk->samples.images.size() * sample_size_ * sizeof(float);
    // The chunk's on_done keeps the intake alive, as long as it waits too.
    std::optional<MemoryBudget::Lease> memory = services_.pictures.TakeOrWait(
        bytes, [this, chunk](MemoryBudget::Lease granted) {
          chunk->memory = std::move(granted);
          services_.workers.Post(setup_.owner, WorkerPool::Length::kShort,
                                 [this, chunk] { Decode(chunk); });
        });
    if (!memory.has_value()) continue;
    chunk->memory = std::move(memory);
    Decode(chunk);
  }
}

void GroupIntake::Decode(const std::shared_ptr<GroupChunk>& chunk) {
  const auto& input = std::get<ImageInput>(model_.manifest().input);
  const imaging::Preprocessor* preprocessor = nullptr;
  {
    const base::MutexLock lock(mutex_);
    if (!preprocessor_.has_value()) {
      // The manifest was validated, hence no error.
      preprocessor_ = *imaging::Preprocessor::Create(
          {.height = input.height,
           .width = input.width,
           .normalize = {.mean = input.mean, .std = input.std},
           .limits = setup_.limits.images});
    }
    preprocessor = &*preprocessor_;
  }
  const size_t num_images = chunk->samples.images.size();
  chunk->decoding_since = base::SteadyNow();
  chunk->decoded.resize(num_images * sample_size_);
  chunk->verdict.resize(num_images);
  chunk->num_left = num_images;
  for (size_t image = 0; image < num_images; ++image) {
    services_.workers.Post(
        setup_.owner,
        WorkerPool::LengthOf(ExpectedDecoding(chunk->samples.images[image])),
        [this, preprocessor, chunk, image] {
          DecodeOne(*preprocessor, chunk, image);
        });
  }
}

void GroupIntake::DecodeOne(const imaging::Preprocessor& preprocessor,
                            const std::shared_ptr<GroupChunk>& chunk,
                            size_t image) {
  chunk->verdict[image] =
      stop_.stop_requested()
          ? absl::CancelledError("the group has ended")
          : preprocessor.Run(chunk->samples.images[image],
                             std::span(chunk->decoded)
                                 .subspan(image * sample_size_, sample_size_));
  // Behind this only the last one may use the intake, which lives until the
  // chunk's `on_done`.
  if (--chunk->num_left > 0) return;

  chunk->decoded_at = base::SteadyNow();
  chunk->KeepDecoded(sample_size_);
  Encode(chunk);
}

void GroupIntake::Encode(const std::shared_ptr<GroupChunk>& chunk) {
  if (chunk->num_rows == 0) return OnEncoded(*chunk, EncodedRows{});
  services_.scheduler.Submit(
      {.owner = setup_.owner,
       .model = setup_.model,
       .x = chunk->samples.x,
       .num_rows = chunk->num_rows,
       .stop = stop_,
       .done = [this, chunk](absl::StatusOr<EncodedRows> encoded) {
         OnEncoded(*chunk, std::move(encoded));
       }});
}

void GroupIntake::OnEncoded(GroupChunk& chunk,
                            absl::StatusOr<EncodedRows> encoded) {
  // The group keeps the chunk and this keeps the group, but not for longer.
  const std::function<void()> on_done = std::exchange(chunk.on_done, nullptr);
  const bool was_decoded = chunk.memory.has_value();
  // Before it is given back, so that never more is held than is counted.
  std::vector<float>().swap(chunk.decoded);
  chunk.samples.x = {};
  chunk.memory.reset();
  {
    const base::MutexLock lock(mutex_);
    chunk.encoded = std::move(encoded);
    chunk.done = true;
    if (was_decoded) --num_decoding_;
  }
  if (was_decoded) DecodeAhead();
  on_done();
}

void GroupIntake::End() {
  const base::MutexLock lock(mutex_);
  ended_ = true;
}

bool GroupIntake::IsOver() const {
  const base::MutexLock lock(mutex_);
  return ended_ && chunks_.empty();
}

std::shared_ptr<GroupChunk> GroupIntake::Take() {
  const base::MutexLock lock(mutex_);
  if (chunks_.empty() || !chunks_.front()->done) return nullptr;
  std::shared_ptr<GroupChunk> chunk = std::move(chunks_.front());
  chunks_.pop_front();
  return chunk;
}

uint64_t GroupIntake::AnswerBytes(size_t num_samples,
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

void GroupIntake::Free(uint64_t bytes) {
  const base::MutexLock lock(mutex_);
  memory_.Shrink(bytes);
}

void GroupIntake::Clear() {
  std::deque<std::shared_ptr<GroupChunk>> chunks;  // Freed without the lock.
  std::deque<std::shared_ptr<GroupChunk>> files;
  const base::MutexLock lock(mutex_);
  const bool all_done = std::all_of(chunks_.begin(), chunks_.end(),
                                    [](const auto& c) { return c->done; });
  chunks.swap(chunks_);
  files.swap(encoded_files_);
  if (all_done) memory_.Shrink(memory_.bytes());
}

}  // namespace ladder::server
