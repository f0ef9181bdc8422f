#ifndef LADDER_SERVER_INFERENCE_QUOTED_TEXT_H_
#define LADDER_SERVER_INFERENCE_QUOTED_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ladder::server {

// What a caller sent, safe to stand in an error message: in quotes, without
// control characters, its beginning only if it is long.
inline std::string QuotedText(absl::string_view text) {
  constexpr size_t kMaxBytes = 64;
  const absl::string_view rest = text.size() > kMaxBytes ? "..." : "";
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, kMaxBytes)), rest,
                      "\"");
}

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_QUOTED_TEXT_H_
