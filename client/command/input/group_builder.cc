#include "client/command/input/group_builder.h"

#include <utility>

#include "client/command/input/valid_text.h"

namespace ladder::command {

void GroupBuilder::Add(absl::string_view group, size_t sample) {
  std::string name = ValidText(group);
  const auto [place, is_new] = places_.try_emplace(name, groups_.size());
  if (is_new) groups_.push_back({.name = std::move(name)});
  groups_[place->second].samples.push_back(sample);
}

std::vector<InputGroup> GroupBuilder::Build(absl::string_view root_name) && {
  const auto root = places_.find("");
  if (root != places_.end()) {
    std::string name = ValidText(root_name);
    const bool is_free = !name.empty() && !places_.contains(name);
    groups_[root->second].name = is_free ? std::move(name) : ".";
  }
  return std::move(groups_);
}

}  // namespace ladder::command
