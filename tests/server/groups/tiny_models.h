#ifndef LADDER_TESTS_SERVER_GROUPS_TINY_MODELS_H_
#define LADDER_TESTS_SERVER_GROUPS_TINY_MODELS_H_

#include <cstddef>
#include <vector>

#include "model_store/engine/model.h"
#include "routing/router.h"
#include "server/groups/group_options.h"

namespace ladder::server {

// Models of real graphs in a real engine, loaded once per process.
model_store::ModelHandle TensorModel();        // Batches of 1, 4 and 8.
model_store::ModelHandle OneBatchSizeModel();  // The same, batches of 8 only.
model_store::ModelHandle ImageModel();         // Pictures of 8 x 8.
model_store::ModelHandle EndlessModel();       // See EndlessEncoder.

// `num_samples` random samples of TensorModel, one after the other, that are
// between the first two sources and in coverage.
std::vector<float> RandomSamples(size_t num_samples, unsigned seed = 1);

// The same far away from all sources, out of coverage.
std::vector<float> FarSamples(size_t num_samples, unsigned seed = 1);

// What Model and Router say of a group when they are asked directly, one sample
// at a time.
struct DirectAnswer {
  routing::Routing routing = {};
  std::vector<float> logits = {};
  std::vector<float> probabilities = {};
  std::vector<float> content = {};
  std::vector<float> gates = {};
};
DirectAnswer AskDirectly(const model_store::Model& model,
                         const std::vector<float>& x, size_t num_samples,
                         const RouteQuestion& question = {});

// A question with the model's own settings.
RouteQuestion DefaultQuestion(const model_store::Model& model);

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_GROUPS_TINY_MODELS_H_
