#ifndef LADDER_TESTS_MODEL_STORE_ENGINE_TEST_MODELS_H_
#define LADDER_TESTS_MODEL_STORE_ENGINE_TEST_MODELS_H_

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model_store/engine/engine.h"
#include "model_store/format/bundle.h"
#include "tests/temporary_directory.h"

namespace ladder::model_store {

// What a TinyBundle's encoder takes and gives.
inline constexpr size_t kTinySample = 6;
inline constexpr size_t kTinyContent = 5;
inline constexpr size_t kTinyStyle = 4;
inline constexpr size_t kTinyClasses = 4;
inline constexpr size_t kTinySources = 3;

// Values of a normal distribution, the same for the same seed.
std::vector<float> RandomValues(size_t count, unsigned seed);

// An engine for tests: on the CPU, with small batches.
EngineOptions TestOptions();

// A store of its own that bundles are written to and loaded from.
class TestStore {
 public:
  // Ends the test if the bundle is refused.
  std::filesystem::path Write(BundleContents contents);
  std::shared_ptr<const Model> Load(Engine& engine, BundleContents contents);

 private:
  TemporaryDirectory directory_;
};

// Encoders for bundles like TinyBundle's that do something special. Unless they
// say otherwise, their outputs are the input's first columns, repeated.

// Never ends if a value of `x` is positive.
std::string EndlessEncoder();
// Fails if a value of `x` is not zero.
std::string FailingEncoder();
// Gives one row of content too many, which its declared shapes do not tell.
std::string WrongShapeEncoder();
// Needs about `bytes_per_row` of memory for every row while it runs.
std::string HungryEncoder(size_t bytes_per_row);
// Has about `num_bytes` of weights, in layers that all matter.
std::string HeavyEncoder(size_t num_bytes);

// A router that finds all sources at this distance, whatever it is given.
std::string ConstantRouter(float distance);

}  // namespace ladder::model_store

#endif  // LADDER_TESTS_MODEL_STORE_ENGINE_TEST_MODELS_H_
