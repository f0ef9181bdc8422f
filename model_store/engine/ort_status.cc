#include "model_store/engine/ort_status.h"

#include <algorithm>
#include <iterator>
#include <new>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "model_store/engine/host_arena.h"

namespace ladder::model_store {
namespace {

// ONNX Runtime has no code of its own for these; its words are all there is.
bool IsTermination(absl::string_view message) {
  return absl::StrContains(message, "terminate flag");
}

bool IsOutOfMemory(absl::string_view message) {
  static constexpr absl::string_view kSigns[] = {
      HostArena::kShortage,         // Our arena.
      "bad_alloc",                  // The system.
      "Failed to allocate memory",  // ONNX Runtime's arenas: the system, ...
      "Available memory of",        // ... and their own limit, gpu_mem_limit.
      "out of memory",              // CUDA failure 2.
      "ALLOC_FAILED"};              // cuBLAS and cuDNN.
  return std::any_of(
      std::begin(kSigns), std::end(kSigns),
      [&](absl::string_view sign) { return absl::StrContains(message, sign); });
}

absl::StatusCode CodeOf(OrtErrorCode code, absl::string_view message) {
  if (IsTermination(message)) return absl::StatusCode::kCancelled;
  if (IsOutOfMemory(message)) return absl::StatusCode::kResourceExhausted;
  switch (code) {
    case ORT_INVALID_ARGUMENT:
    case ORT_NO_MODEL:
    case ORT_INVALID_PROTOBUF:
    case ORT_INVALID_GRAPH:
      return absl::StatusCode::kInvalidArgument;
    case ORT_NO_SUCHFILE:
      return absl::StatusCode::kNotFound;
    case ORT_NOT_IMPLEMENTED:
      return absl::StatusCode::kUnimplemented;
    default:
      return absl::StatusCode::kInternal;
  }
}

}  // namespace

absl::Status OrtErrorToStatus(OrtErrorCode code, absl::string_view message,
                              absl::string_view context) {
  return absl::Status(
      CodeOf(code, message),
      absl::StrCat(context, ": ", absl::StripAsciiWhitespace(message)));
}

absl::Status CurrentExceptionToStatus(absl::string_view context) {
  try {
    throw;
  } catch (const Ort::Exception& error) {
    return OrtErrorToStatus(error.GetOrtErrorCode(), error.what(), context);
  } catch (const std::bad_alloc& error) {
    return absl::ResourceExhaustedError(
        absl::StrCat(context, ": ", error.what()));
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat(context, ": ", error.what()));
  } catch (...) {
    return absl::InternalError(absl::StrCat(context, ": unknown exception"));
  }
}

}  // namespace ladder::model_store
