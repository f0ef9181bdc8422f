#include "model_store/inspect/command.h"

#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "model_store/inspect/bundle_report.h"
#include "routing/thread_pool.h"

namespace ladder::model_store {
namespace {

constexpr int kSuccess = 0;
constexpr int kDifference = 1;  // Or a bundle that failed: the answer is no.
constexpr int kTrouble = 2;

constexpr char kHelp[] =
    R"(ladder-store: look at LADDER bundles without serving them

usage:
  ladder-store verify DIR         read every bundle in DIR completely and check
                                  manifest, checksums, tensors and graphs;
                                  prints a line for each: ok, or FAILED and why
  ladder-store list [--json] DIR  a table of the bundles in DIR; reads their
                                  manifests only
  ladder-store show [--json] BUNDLE
                                  what a bundle takes and gives: input, classes,
                                  routing defaults, sources, calibration, files
  ladder-store diff A B           what differs between two bundles, by their
                                  manifests: fields, classes, sources, files
  ladder-store --help             this text

BUNDLE, A and B are folders with a manifest.json, such as store/mymodel/3.
DIR is such a folder, a model's folder (store/mymodel) or a whole store.

exit code:
  0  verify: all bundles are ok; diff: no difference; list, show: done
  1  verify: some bundle failed; diff: the bundles differ
  2  trouble: wrong usage, or something could not be read
)";

struct Invocation {
  std::string command;
  std::vector<std::string> paths;
  bool help = false;
  ReportFormat format = ReportFormat::kText;
};

class Command {
 public:
  Command(std::ostream& out, std::ostream& err) : out_(out), err_(err) {}

  int Run(std::span<const std::string> arguments) {
    Invocation invocation;
    bool options_end = false;
    for (const std::string& argument : arguments) {
      if (options_end || argument.empty() || argument[0] != '-') {
        (invocation.command.empty() ? invocation.command
                                    : invocation.paths.emplace_back()) =
            argument;
      } else if (argument == "--") {
        options_end = true;
      } else if (argument == "--help" || argument == "-h") {
        invocation.help = true;
      } else if (argument == "--json") {
        invocation.format = ReportFormat::kJson;
      } else {
        return WrongUsage("unknown option " + argument);
      }
    }
    return Dispatch(invocation);
  }

 private:
  int Dispatch(const Invocation& invocation) {
    const std::string& command = invocation.command;
    if (invocation.help || command == "help") {
      out_ << kHelp;
      return kSuccess;
    }
    if (command.empty()) return WrongUsage("no command given");
    const bool is_diff = command == "diff";
    const bool makes_json = command == "list" || command == "show";
    if (!is_diff && !makes_json && command != "verify") {
      return WrongUsage("unknown command " + command);
    }
    const size_t expected = is_diff ? 2 : 1;
    if (invocation.paths.size() != expected) {
      return WrongUsage(command + " takes " + std::to_string(expected) +
                        (is_diff ? " folders, got " : " folder, got ") +
                        std::to_string(invocation.paths.size()));
    }
    if (invocation.format == ReportFormat::kJson && !makes_json) {
      return WrongUsage("--json is for list and show");
    }
    if (is_diff) return Diff(invocation.paths[0], invocation.paths[1]);
    if (command == "verify") return Verify(invocation.paths[0]);
    if (command == "list") return List(invocation.paths[0], invocation.format);
    return Show(invocation.paths[0], invocation.format);
  }

  int Verify(const std::string& directory) {
    routing::ThreadPool pool(
        static_cast<int>(std::thread::hardware_concurrency()));
    const auto report = VerifyBundles(directory, {.pool = &pool});
    if (!report.ok()) return Trouble(directory, report.status());
    out_ << report->text;
    return report->all_ok ? kSuccess : kDifference;
  }

  int List(const std::string& directory, ReportFormat format) {
    const auto text = ListBundles(directory, format);
    if (!text.ok()) return Trouble(directory, text.status());
    out_ << *text;
    return kSuccess;
  }

  int Show(const std::string& directory, ReportFormat format) {
    const auto bundle = ReadSummary(directory);
    if (!bundle.ok()) return Trouble(directory, bundle.status());
    out_ << (format == ReportFormat::kJson ? BundleJson(*bundle)
                                           : BundleText(*bundle));
    return kSuccess;
  }

  int Diff(const std::string& a, const std::string& b) {
    const auto before = ReadSummary(a);
    if (!before.ok()) return Trouble(a, before.status());
    const auto after = ReadSummary(b);
    if (!after.ok()) return Trouble(b, after.status());
    const std::string text =
        DiffManifests(before->manifest(), after->manifest());
    out_ << text;
    return text.empty() ? kSuccess : kDifference;
  }

  int WrongUsage(const std::string& what) {
    err_ << "ladder-store: " << what << "; try ladder-store --help\n";
    return kTrouble;
  }

  int Trouble(const std::string& path, const absl::Status& status) {
    err_ << "ladder-store: ";
    // Some errors name the whole path, some the file within the bundle.
    if (!absl::StrContains(status.message(), path)) err_ << path << ": ";
    err_ << status.message() << "\n";
    return kTrouble;
  }

  std::ostream& out_;
  std::ostream& err_;
};

}  // namespace

int RunLadderStore(std::span<const std::string> arguments, std::ostream& out,
                   std::ostream& err) {
  return Command(out, err).Run(arguments);
}

}  // namespace ladder::model_store
