#ifndef LADDER_MODEL_STORE_FORMAT_ONNX_OUTLINE_H_
#define LADDER_MODEL_STORE_FORMAT_ONNX_OUTLINE_H_

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "onnx/onnx_pb.h"

namespace ladder::model_store {

// An ONNX model whose weights stay where they are. Most of a model's bytes are
// the raw_data of its main graph's initialisers, and a plain parse would copy
// them all (measured: 71 ms for 100 MB). Used inside this folder only.
struct OnnxOutline {
  onnx::ModelProto model;  // Lacks the raw_data listed below.
  // The raw_data of every initialiser of model.graph(), empty if it has none.
  // Refers to the bytes that were parsed.
  std::vector<std::span<const std::byte>> raw_data;
};

// Nothing if `bytes` are not a serialised ModelProto of less than 2 GiB.
std::optional<OnnxOutline> ParseOnnxOutline(std::span<const std::byte> bytes);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_FORMAT_ONNX_OUTLINE_H_
