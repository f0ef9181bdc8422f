#include "client/command/routing_arguments.h"

#include <google/protobuf/descriptor.h>

#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace ladder::command {
namespace {

constexpr absl::string_view kMethodPrefix = "METHOD_";
constexpr absl::string_view kFallbackPrefix = "FALLBACK_";

std::string OptionName(absl::string_view prefix, absl::string_view value) {
  return absl::AsciiStrToLower(value.substr(prefix.size()));
}

// All but what is unspecified, as users write them.
std::vector<std::string> Names(const google::protobuf::EnumDescriptor& kind,
                               absl::string_view prefix) {
  std::vector<std::string> names;
  for (int i = 1; i < kind.value_count(); ++i) {
    names.push_back(OptionName(prefix, kind.value(i)->name()));
  }
  return names;
}

absl::StatusOr<int> Parse(const google::protobuf::EnumDescriptor& kind,
                          absl::string_view prefix, absl::string_view option,
                          absl::string_view name) {
  if (name.empty()) return 0;
  for (int i = 1; i < kind.value_count(); ++i) {
    if (OptionName(prefix, kind.value(i)->name()) == name) {
      return kind.value(i)->number();
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat(option, ": expected ",
                   absl::StrJoin(Names(kind, prefix), ", "), "; got ", name));
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
  const auto method =
      Parse(*v1::Method_descriptor(), kMethodPrefix, "method", name);
  if (!method.ok()) return method.status();
  return static_cast<v1::Method>(*method);
}

absl::StatusOr<v1::Fallback> ParseFallback(absl::string_view name) {
  const auto fallback =
      Parse(*v1::Fallback_descriptor(), kFallbackPrefix, "fallback", name);
  if (!fallback.ok()) return fallback.status();
  return static_cast<v1::Fallback>(*fallback);
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
  return Names(*v1::Method_descriptor(), kMethodPrefix);
}

std::vector<std::string> FallbackNames() {
  return Names(*v1::Fallback_descriptor(), kFallbackPrefix);
}

std::string MethodName(v1::Method method) {
  return OptionName(kMethodPrefix, v1::Method_Name(method));
}

std::string VerdictName(const v1::Routing& routing) {
  return v1::Coverage::Verdict_Name(routing.coverage().verdict());
}

}  // namespace ladder::command
