#include "absl/strings/string_view.h"
#include "server/observe/serving_observer.h"

namespace ladder::server {

absl::string_view StageName(Stage stage) {
  switch (stage) {
    case Stage::kDecode:
      return "decode";
    case Stage::kQueue:
      return "queue";
    case Stage::kEncode:
      return "encode";
    case Stage::kStyle:
      return "style";
    case Stage::kRoute:
      return "route";
    case Stage::kHeads:
      return "heads";
  }
  return "unknown";
}

}  // namespace ladder::server
