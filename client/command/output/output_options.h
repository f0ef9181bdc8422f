#ifndef LADDER_CLIENT_COMMAND_OUTPUT_OUTPUT_OPTIONS_H_
#define LADDER_CLIENT_COMMAND_OUTPUT_OUTPUT_OPTIONS_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

enum class OutputFormat { kCsv, kJsonLines };

// "csv" or "jsonl".
absl::string_view OutputFormatName(OutputFormat format);

enum class OpenMode {
  kNew,        // Refuses to touch files that are there.
  kResume,     // Goes on with a run that ended at any time; or begins one.
  kOverwrite,  // Begins anew, whatever is there.
};

// Where predictions and routing are written, and what rows hold.
struct OutputFileOptions {
  std::filesystem::path predictions = {};  // "-" is standard output.
  // Empty: beside the predictions, "out.routing.csv" for "out.csv"; nowhere if
  // those go to standard output.
  std::filesystem::path routing = {};
  OutputFormat format = OutputFormat::kCsv;

  // The model's, in its order; they name columns. No classes: not known.
  std::vector<std::string> classes = {};
  std::vector<std::string> sources = {};

  size_t top_n = 0;
  bool probabilities = false;
  bool logits = false;

  // What else makes this run what it is: input, model, options as given. Going
  // on with the files of another run is refused.
  std::map<std::string, std::string> run = {};

  bool UsesStandardOutput() const { return predictions == "-"; }

  // What to ask the server for, which refuses more classes than there are.
  v1::OutputOptions Request() const;

  // `routing`, or what it is by default.
  std::filesystem::path RoutingPath() const;
  std::filesystem::path JournalPath() const;  // "out.csv.journal"

  // InvalidArgument, naming the option and its value.
  absl::Status Validate() const;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_OUTPUT_OUTPUT_OPTIONS_H_
