#include "server/groups/group_options.h"

namespace ladder::server {

absl::string_view FallbackName(Fallback fallback) {
  switch (fallback) {
    case Fallback::kUnspecified:
      return "";
    case Fallback::kError:
      return "error";
    case Fallback::kUniform:
      return "uniform";
    case Fallback::kSampleGateGroup:
      return "sample_gate_group";
    case Fallback::kSoften:
      return "soften";
  }
  return "";
}

}  // namespace ladder::server
