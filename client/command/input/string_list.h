#ifndef LADDER_CLIENT_COMMAND_INPUT_STRING_LIST_H_
#define LADDER_CLIENT_COMMAND_INPUT_STRING_LIST_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ladder::command {

// Many short strings in one piece of memory.
class StringList {
 public:
  void Add(absl::string_view text) {
    text_.append(text.data(), text.size());
    ends_.push_back(text_.size());
  }

  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }

  // Valid until the next Add.
  absl::string_view operator[](size_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return absl::string_view(text_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string text_;
  std::vector<size_t> ends_;
};

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_INPUT_STRING_LIST_H_
