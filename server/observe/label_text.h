#ifndef LADDER_SERVER_OBSERVE_LABEL_TEXT_H_
#define LADDER_SERVER_OBSERVE_LABEL_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace ladder::server {

inline constexpr size_t kMaxLabelBytes = 128;

// `text` as the value of a label may be: UTF-8 of at most kMaxLabelBytes, cut
// between characters. U+FFFD takes the place of every control character and of
// every byte that is not UTF-8.
std::string LabelText(absl::string_view text);

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_LABEL_TEXT_H_
