#ifndef LADDER_MODEL_STORE_FORMAT_ONNX_CONTENTS_H_
#define LADDER_MODEL_STORE_FORMAT_ONNX_CONTENTS_H_

#include "absl/status/status.h"
#include "model_store/format/onnx_outline.h"

namespace ladder::model_store {

// InvalidArgument, naming the tensor or node, unless the model keeps all its
// data inside itself and its initialisers are finite: in the main graph, in
// subgraphs, functions and training graphs. Used inside this folder only.
absl::Status CheckOnnxContents(const OnnxOutline& outline);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_FORMAT_ONNX_CONTENTS_H_
