#include "client/command/arguments.h"

#include <fstream>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "client/command/routing_arguments.h"

namespace ladder::client {
namespace {

// The first line: a file may hold the tokens of several.
absl::StatusOr<std::string> ReadToken(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line) ||
      absl::StripAsciiWhitespace(line).empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--token-file: expected a file with a token in its first line, ",
        "cannot read one from ", path));
  }
  return std::string(absl::StripAsciiWhitespace(line));
}

}  // namespace

void ConnectionArguments::AddTo(CLI::App& app) {
  const std::string group = "Server";
  app.add_option("--server", options_.address,
                 "gRPC address: host:port, dns:///name:port, or "
                 "ipv4:a:port,b:port to take turns")
      ->envname("LADDER_SERVER")
      ->capture_default_str()
      ->group(group);
  app.add_flag("--tls", use_tls_, "encrypt; implied by the options below")
      ->group(group);
  app.add_option("--tls-ca", tls_.ca_file,
                 "PEM file with what to trust instead of the system's")
      ->group(group);
  app.add_option("--tls-certificate", tls_.certificate_file,
                 "PEM file with a certificate of one's own")
      ->group(group);
  app.add_option("--tls-key", tls_.key_file, "PEM file with its key")
      ->group(group);
  app.add_option("--tls-server-name", tls_.server_name,
                 "name in the server's certificate, if not its address")
      ->group(group);
  app.add_option("--token-file", token_file_,
                 "file whose first line is a bearer token; LADDER_TOKEN may "
                 "hold the token itself")
      ->group(group);
  // Not an option: others could see it in the list of processes.
  if (const char* token = std::getenv("LADDER_TOKEN")) token_ = token;
  app.add_option("--timeout", timeout_seconds_,
                 "seconds that one call may take; 0 for any time")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(group);
  app.add_option("--attempts", options_.retry.max_attempts,
                 "calls made in all if the server is unavailable or full")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->group(group);
}

absl::StatusOr<Client> ConnectionArguments::Connect() const {
  ClientOptions options = options_;
  if (use_tls_ || !tls_.ca_file.empty() || !tls_.certificate_file.empty() ||
      !tls_.key_file.empty() || !tls_.server_name.empty()) {
    options.tls = tls_;
  }
  options.token = token_;
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
  const std::string group = "Samples";
  app.add_option("INPUT", path_,
                 "folder with pictures, CSV file with their paths or with "
                 "numbers, or .npy array")
      ->required();
  app.add_option("--group-by", options_.group_by,
                 "column that names groups; without it, pictures are grouped "
                 "by folder")
      ->group(group);
  app.add_option("--group-regex", options_.group_regex,
                 "regular expression on a picture's path: what its first "
                 "parentheses match names the group")
      ->group(group);
  app.add_option("--groups", groups_file_,
                 "for an array: CSV file with a row for each of its samples")
      ->group(group);
  app.add_option("--image-root", image_root_,
                 "folder where the paths of a CSV file start; else its own")
      ->group(group);
  app.add_option("--path-column", options_.path_column,
                 "column with paths of pictures; else \"path\" or \"filename\"")
      ->group(group);
  app.add_option("--id-column", options_.id_column,
                 "column with the samples' names; else the path or the row")
      ->group(group);
  app.add_option("--features", options_.features,
                 "columns with numbers, in this order, such as a,b or x*")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--where", where_,
                 "COLUMN=VALUE that rows must have; may be repeated")
      ->check([](const std::string& text) {
        return UsageError(ParseColumnFilter(text).status());
      })
      ->allow_extra_args(false)
      ->group(group);
  app.add_flag("--skip-unreadable", options_.skip_unreadable,
               "leave out samples that cannot be read, and say which")
      ->group(group);
}

absl::StatusOr<Input> InputArguments::Open() const {
  InputOptions options = options_;
  options.path = path_;
  options.groups_file = groups_file_;
  options.image_root = image_root_;
  for (const std::string& text : where_) {
    LADDER_ASSIGN_OR_RETURN(ColumnFilter filter, ParseColumnFilter(text));
    options.where.push_back(std::move(filter));
  }
  return OpenInput(options);
}

std::string InputArguments::Description() const {
  std::string text = path_;
  const auto add = [&](absl::string_view option, absl::string_view value) {
    if (!value.empty()) absl::StrAppend(&text, " ", option, "=", value);
  };
  add("--group-by", options_.group_by);
  add("--group-regex", options_.group_regex);
  add("--groups", groups_file_);
  add("--image-root", image_root_);
  add("--path-column", options_.path_column);
  add("--id-column", options_.id_column);
  add("--features", absl::StrJoin(options_.features, ","));
  for (const std::string& filter : where_) add("--where", filter);
  return text;
}

}  // namespace ladder::client
