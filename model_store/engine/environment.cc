#include "model_store/engine/environment.h"

#include <new>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "model_store/engine/ort_status.h"

namespace ladder::model_store {
namespace {

constexpr std::pair<int, int> kOldest = {1, 24};

// An exception because that is the only failure that ONNX Runtime expects of an
// allocator: null it would write to. It comes back as an error of the run, and
// ort_status.cc knows it by its words.
class HostMemoryShortage : public std::bad_alloc {
 public:
  explicit HostMemoryShortage(std::string message)
      : message_(std::move(message)) {}

  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

// One of the arena's two ways to give memory, as ONNX Runtime wants it.
template <void* (HostArena::*kGive)(size_t)>
void* Give(HostArena& arena, size_t size) {
  if (size == 0) return nullptr;  // Asked for tensors without elements.
  void* data = (arena.*kGive)(size);
  if (data == nullptr) throw HostMemoryShortage(arena.Shortage(size));
  return data;
}

}  // namespace

absl::Status CheckOrtVersion(absl::string_view version) {
  const std::vector<absl::string_view> parts = absl::StrSplit(version, '.');
  std::pair<int, int> found;
  if (parts.size() >= 2 && absl::SimpleAtoi(parts[0], &found.first) &&
      absl::SimpleAtoi(parts[1], &found.second) && found >= kOldest) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("ONNX Runtime library: expected version ", kOldest.first,
                   ".", kOldest.second, " or later, found \"", version, "\""));
}

Environment::ArenaAllocator::ArenaAllocator(uint64_t limit)
    : OrtAllocator{},
      arena(limit),
      info(Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault)) {
  version = ORT_API_VERSION;
  Alloc = [](OrtAllocator* self, size_t size) {
    return Give<&HostArena::Allocate>(static_cast<ArenaAllocator*>(self)->arena,
                                      size);
  };
  Reserve = [](OrtAllocator* self, size_t size) {
    return Give<&HostArena::Reserve>(static_cast<ArenaAllocator*>(self)->arena,
                                     size);
  };
  Free = [](OrtAllocator* self, void* data) {
    static_cast<ArenaAllocator*>(self)->arena.Free(data);
  };
  Info = [](const OrtAllocator* self) -> const OrtMemoryInfo* {
    return static_cast<const ArenaAllocator*>(self)->info;
  };
}

absl::StatusOr<std::shared_ptr<Environment>> Environment::Get(
    uint64_t host_arena_limit) {
  // First of all: a library older than our headers has no API to offer them.
  LADDER_RETURN_IF_ERROR(CheckOrtVersion(OrtGetApiBase()->GetVersionString()));

  // The process has one Ort::Env, whether we like singletons or not.
  static base::Mutex mutex;
  static std::weak_ptr<Environment> shared;  // Guarded by mutex.
  const base::MutexLock lock(mutex);
  std::shared_ptr<Environment> environment = shared.lock();
  if (environment == nullptr) {
    return CatchOrt("starting ONNX Runtime", [&] {
      environment.reset(new Environment(host_arena_limit));
      shared = environment;
      return environment;
    });
  }
  if (environment->arena().limit() != host_arena_limit) {
    return absl::FailedPreconditionError(absl::StrCat(
        "host_arena_limit: expected ", environment->arena().limit(),
        " as in the other engine of this process, got ", host_arena_limit));
  }
  return environment;
}

Environment::Environment(uint64_t host_arena_limit)
    : allocator_(host_arena_limit),
      env_(ORT_LOGGING_LEVEL_WARNING, "ladder", &Environment::Log, this) {
  Ort::ThrowOnError(Ort::GetApi().RegisterAllocator(env_, &allocator_));
}

Environment::~Environment() {
  // Somebody else in the process may keep ONNX Runtime's environment alive.
  const Ort::Status ignored(
      Ort::GetApi().UnregisterAllocator(env_, allocator_.info));
}

void Environment::Log(void* self, OrtLoggingLevel, const char*, const char*,
                      const char* code_location, const char* message) {
  auto& environment = *static_cast<Environment*>(self);
  try {
    const std::string text =
        absl::StrCat("ONNX Runtime: ", message, " [", code_location, "]");
    const base::MutexLock lock(environment.log_mutex_);
    for (const EngineLog& log : environment.logs_) {
      if (log) log(text);
    }
  } catch (...) {
    // A message is not worth an exception inside of ONNX Runtime.
  }
}

Environment::LogSubscription::LogSubscription(
    std::shared_ptr<Environment> environment, EngineLog log)
    : environment_(std::move(environment)) {
  const base::MutexLock lock(environment_->log_mutex_);
  log_ = environment_->logs_.insert(environment_->logs_.end(), std::move(log));
}

Environment::LogSubscription::~LogSubscription() {
  const base::MutexLock lock(environment_->log_mutex_);
  environment_->logs_.erase(log_);
}

}  // namespace ladder::model_store
