#ifndef LADDER_SERVER_INFERENCE_INFER_MODEL_H_
#define LADDER_SERVER_INFERENCE_INFER_MODEL_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model_store/engine/model.h"
#include "model_store/store/model_store.h"
#include "server/config/server_config.h"
#include "server/inference/model_description.h"
#include "server/inference/model_signature.h"

namespace ladder::server {

// Models as the Open Inference Protocol sees them.

// `version` is a number, a label, or empty for the highest that is served.
// Errors as ModelStore.
absl::StatusOr<model_store::ModelHandle> FindModel(
    const model_store::ModelStore& store, const std::string& name,
    const std::string& version);

ModelSignature SignatureOf(const model_store::Model& model,
                           const LimitsConfig& limits);

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_INFER_MODEL_H_
