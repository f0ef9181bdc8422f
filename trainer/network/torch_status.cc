#include "trainer/network/torch_status.h"

#include <c10/util/Exception.h>

#include <exception>
#include <new>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace ladder::trainer {
namespace {

// The CPU's allocator throws a plain c10::Error; only its words tell.
bool IsOutOfMemory(const c10::Error& error) {
  return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr ||
         absl::StrContains(error.what_without_backtrace(),
                           "DefaultCPUAllocator");
}

}  // namespace

absl::Status CatchTorchErrors(absl::FunctionRef<absl::Status()> work) {
  try {
    return work();
  } catch (const c10::Error& error) {
    const std::string message =
        absl::StrCat("LibTorch: ", error.what_without_backtrace());
    return IsOutOfMemory(error) ? absl::ResourceExhaustedError(message)
                                : absl::InternalError(message);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("LibTorch: out of memory");
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat("LibTorch: ", error.what()));
  }
}

}  // namespace ladder::trainer
