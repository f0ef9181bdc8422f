#ifndef LADDER_MODEL_STORE_ENGINE_ORT_STATUS_H_
#define LADDER_MODEL_STORE_ENGINE_ORT_STATUS_H_

#include <onnxruntime_cxx_api.h>

#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::model_store {

// The only place where ONNX Runtime's errors become ours. `context` says what
// was tried and begins the message.
//   Cancelled          the run was told to terminate;
//   ResourceExhausted  memory did not suffice, on the host or on the device;
//   InvalidArgument    a bad model, input or option;
//   NotFound           a missing file;
//   Unimplemented      an operator that the library does not have;
//   Internal           all others.
absl::Status OrtErrorToStatus(OrtErrorCode code, absl::string_view message,
                              absl::string_view context);

// What the exception that is being handled amounts to.
absl::Status CurrentExceptionToStatus(absl::string_view context);

// Calls `body`, which may use Ort:: freely, and returns what it returns: OK for
// void, the value in a StatusOr, or a Status or StatusOr as it is. Exceptions
// end here.
template <typename Body>
auto CatchOrt(absl::string_view context, Body&& body) {
  using Result = std::invoke_result_t<Body>;
  using StatusOrResult =
      std::conditional_t<std::is_constructible_v<Result, absl::Status>, Result,
                         absl::StatusOr<Result>>;
  using Outcome =
      std::conditional_t<std::is_void_v<Result>, absl::Status, StatusOrResult>;
  try {
    if constexpr (std::is_void_v<Result>) {
      body();
      return Outcome();
    } else {
      return Outcome(body());
    }
  } catch (...) {
    return Outcome(CurrentExceptionToStatus(context));
  }
}

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_ORT_STATUS_H_
