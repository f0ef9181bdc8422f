#include "client/command/routing_arguments.h"

#include <google/protobuf/descriptor.h>

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "client/command/output/message_text.h"

namespace ladder::client {
namespace {

// All but what is unspecified, as users write them.
template <typename Enum>
std::vector<std::string> EnumNames(const google::protobuf::EnumDescriptor& kind,
                                   std::string (*name_of)(Enum)) {
  std::vector<std::string> names;
  for (int i = 1; i < kind.value_count(); ++i) {
    names.push_back(name_of(static_cast<Enum>(kind.value(i)->number())));
  }
  return names;
}

template <typename Enum>
absl::StatusOr<Enum> Parse(const google::protobuf::EnumDescriptor& kind,
                           std::string (*name_of)(Enum),
                           absl::string_view option, absl::string_view name) {
  if (name.empty()) return Enum();
  for (int i = 1; i < kind.value_count(); ++i) {
    const auto value = static_cast<Enum>(kind.value(i)->number());
    if (name_of(value) == name) return value;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      option, ": expected ", absl::StrJoin(EnumNames(kind, name_of), ", "),
      "; got ", name));
}

}  // namespace

absl::StatusOr<v1::ModelRef> ParseModel(absl::string_view text) {
  v1::ModelRef model;
  const std::vector<absl::string_view> label = absl::StrSplit(text, '@');
  const std::vector<absl::string_view> version = absl::StrSplit(text, ':');
  uint64_t number = 0;
  if (label.size() == 2 && !label[1].empty()) {
    model.set_name(std::string(label[0]));
    model.set_label(std::string(label[1]));
  } else if (version.size() == 2 && absl::SimpleAtoi(version[1], &number) &&
             number > 0) {
    model.set_name(std::string(version[0]));
    model.set_version(number);
  } else if (label.size() == 1 && version.size() == 1) {
    model.set_name(std::string(text));
  } else {
    return absl::InvalidArgumentError(absl::StrCat(
        "model: expected NAME, NAME:VERSION or NAME@LABEL, got ", text));
  }
  return model;
}

absl::StatusOr<v1::Method> ParseMethod(absl::string_view name) {
  return Parse(*v1::Method_descriptor(), MethodName, "method", name);
}

absl::StatusOr<v1::Fallback> ParseFallback(absl::string_view name) {
  return Parse(*v1::Fallback_descriptor(), FallbackName, "fallback", name);
}

absl::Status ParseK(absl::string_view text, v1::RoutingOptions& routing) {
  uint32_t k = 0;
  if (text.empty()) return absl::OkStatus();
  if (text == "all") {
    routing.set_all_sources(true);
  } else if (absl::SimpleAtoi(text, &k) && k > 0) {
    routing.set_k(k);
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("k: expected a number of sources or \"all\", got ", text));
  }
  return absl::OkStatus();
}

absl::Status ParseTau(absl::string_view text, v1::RoutingOptions& routing) {
  double tau = 0;
  if (text.empty()) return absl::OkStatus();
  if (!absl::SimpleAtod(text, &tau) || !std::isfinite(tau) || tau <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("tau: expected a positive temperature, got ", text));
  }
  routing.set_tau(tau);
  return absl::OkStatus();
}

std::vector<std::string> MethodNames() {
  return EnumNames(*v1::Method_descriptor(), MethodName);
}

std::vector<std::string> FallbackNames() {
  return EnumNames(*v1::Fallback_descriptor(), FallbackName);
}

std::string UsageError(const absl::Status& status) {
  const absl::string_view message = status.message();
  const size_t end_of_name = message.find(": ");
  return std::string(end_of_name == absl::string_view::npos
                         ? message
                         : message.substr(end_of_name + 2));
}

}  // namespace ladder::client
