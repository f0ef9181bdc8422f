#include "client/command/arguments.h"

#include <google/protobuf/descriptor.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "client/command/output/message_text.h"

namespace ladder::client {
namespace {

// The first of a file as servers have it: lines of a token or of a name and a
// token, between empty lines and comments.
absl::StatusOr<std::string> ReadToken(const std::string& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r\v\f"), absl::SkipEmpty());
    if (!words.empty() && words.front().front() != '#') return words.back();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--token-file: expected a file with a token in its first line, ",
      "cannot read one from ", path));
}

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

v1::Method ParseMethod(absl::string_view name) {
  v1::Method method = v1::METHOD_UNSPECIFIED;
  v1::Method_Parse(absl::StrCat("METHOD_", absl::AsciiStrToUpper(name)),
                   &method);
  return method;
}

v1::Fallback ParseFallback(absl::string_view name) {
  v1::Fallback fallback = v1::FALLBACK_UNSPECIFIED;
  v1::Fallback_Parse(absl::StrCat("FALLBACK_", absl::AsciiStrToUpper(name)),
                     &fallback);
  return fallback;
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

void ConnectionArguments::AddTo(CLI::App& app) {
  app.option_defaults()->group("Server");
  app.add_option("--server", options_.address,
                 "gRPC address: host:port, dns:///name:port, or "
                 "ipv4:a:port,b:port to take turns")
      ->envname("LADDER_SERVER")
      ->capture_default_str();
  app.add_flag("--tls", use_tls_, "encrypt; implied by the options below");
  app.add_option("--tls-ca", tls_.ca_file,
                 "PEM file with what to trust instead of the system's");
  app.add_option("--tls-certificate", tls_.certificate_file,
                 "PEM file with a certificate of one's own");
  app.add_option("--tls-key", tls_.key_file, "PEM file with its key");
  app.add_option("--tls-server-name", tls_.server_name,
                 "name in the server's certificate, if not its address");
  app.add_option("--token-file", token_file_,
                 "file whose first line is a bearer token, or a name and a "
                 "token; LADDER_TOKEN may hold the token itself");
  // Not an option: others could see it in the list of processes.
  if (const char* token = std::getenv("LADDER_TOKEN")) {
    options_.token = token;
  }
  app.add_option("--timeout", timeout_seconds_,
                 "seconds that one call may take; 0 for any time")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--attempts", options_.retry.max_attempts,
                 "calls made in all if the server is unavailable or full")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
}

absl::StatusOr<Client> ConnectionArguments::Connect() const {
  ClientOptions options = options_;
  if (use_tls_ || !tls_.ca_file.empty() || !tls_.certificate_file.empty() ||
      !tls_.key_file.empty() || !tls_.server_name.empty()) {
    options.tls = tls_;
  }
  if (!token_file_.empty()) {
    LADDER_ASSIGN_OR_RETURN(options.token, ReadToken(token_file_));
  }
  return Client::Open(options);
}

CallOptions ConnectionArguments::Call(std::stop_token stop) const {
  CallOptions call;
  call.stop = std::move(stop);
  if (timeout_seconds_ > 0) call.timeout = absl::Seconds(timeout_seconds_);
  return call;
}

void InputArguments::AddTo(CLI::App& app) {
  app.add_option("INPUT", options_.path,
                 "folder with pictures, CSV file with their paths or with "
                 "numbers, or .npy array")
      ->required();
  app.option_defaults()->group("Samples");
  app.add_option("--group-by", options_.group_by,
                 "column that names groups; without it, pictures are grouped "
                 "by folder");
  app.add_option("--group-regex", options_.group_regex,
                 "regular expression on a picture's path: what its first "
                 "parentheses match names the group");
  app.add_option("--groups", options_.groups_file,
                 "for an array: CSV file with a row for each of its samples");
  app.add_option("--image-root", options_.image_root,
                 "folder where the paths of a CSV file start; else its own");
  app.add_option(
      "--path-column", options_.path_column,
      "column with paths of pictures; else \"path\" or \"filename\"");
  app.add_option("--id-column", options_.id_column,
                 "column with the samples' names; else the path or the row");
  app.add_option("--features", options_.features,
                 "columns with numbers, in this order, such as a,b or x*")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--where", where_,
                 "COLUMN=VALUE that rows must have; may be repeated")
      ->check(CheckedBy(ParseColumnFilter))
      ->allow_extra_args(false);
  app.add_flag("--skip-unreadable", options_.skip_unreadable,
               "leave out samples that cannot be read, and say which");
  app.option_defaults()->group("Options");  // CLI11's own, for what follows.
}

absl::StatusOr<Input> InputArguments::Open() const {
  InputOptions options = options_;
  for (const std::string& text : where_) {
    LADDER_ASSIGN_OR_RETURN(ColumnFilter filter, ParseColumnFilter(text));
    options.where.push_back(std::move(filter));
  }
  return OpenInput(options);
}

std::string InputArguments::Description() const {
  std::string text = options_.path;
  const auto add = [&](absl::string_view option, absl::string_view value) {
    if (!value.empty()) absl::StrAppend(&text, " ", option, "=", value);
  };
  add("--group-by", options_.group_by);
  add("--group-regex", options_.group_regex);
  add("--groups", options_.groups_file.string());
  add("--image-root", options_.image_root.string());
  add("--path-column", options_.path_column);
  add("--id-column", options_.id_column);
  add("--features", absl::StrJoin(options_.features, ","));
  for (const std::string& filter : where_) add("--where", filter);
  return text;
}

}  // namespace ladder::client
