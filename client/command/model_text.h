#ifndef LADDER_CLIENT_COMMAND_MODEL_TEXT_H_
#define LADDER_CLIENT_COMMAND_MODEL_TEXT_H_

#include <optional>
#include <string>

#include "base/terminal/terminal.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

struct Neighbour {
  int source = 0;
  double distance = 0;
};

// The source nearest to `source`; nothing if there is no other, or the server
// sent no distances that fit.
std::optional<Neighbour> NearestSource(const v1::GetModelResponse& model,
                                       int source);

// A model for people; the first classes only unless `all_classes`.
std::string RenderModel(const v1::GetModelResponse& model, bool all_classes,
                        const base::Terminal& terminal);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_MODEL_TEXT_H_
