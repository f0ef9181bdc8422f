#ifndef LADDER_MODEL_STORE_ENGINE_ORT_VERSION_H_
#define LADDER_MODEL_STORE_ENGINE_ORT_VERSION_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ladder::model_store {

// FailedPrecondition, naming both versions, unless `version` ("1.31.1") is at
// least 1.24: earlier libraries read external data outside the model's folder.
absl::Status CheckOrtVersion(absl::string_view version);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_ORT_VERSION_H_
