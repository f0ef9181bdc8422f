#include "server/observe/fan_out.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/observe/reports.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;

// Writes down what it is told.
class Recorder : public ServingObserver, public model_store::StoreObserver {
 public:
  void OnRpcStarted(absl::string_view rpc) override { Add("started ", rpc); }
  void OnRpcEnded(absl::string_view rpc, absl::StatusCode code,
                  absl::Duration duration) override {
    Add("ended ", rpc, " ", absl::StatusCodeToString(code), " ",
        absl::FormatDuration(duration));
  }
  void OnBatch(const BatchReport& report) override {
    Add("batch ", report.model, " ", report.num_rows);
  }
  void OnStage(Stage stage, absl::Duration duration) override {
    Add("stage ", StageName(stage), " ", absl::FormatDuration(duration));
  }
  void OnImageRejected(absl::string_view reason) override {
    Add("image ", reason);
  }
  void OnGroup(const GroupReport& report) override {
    Add("group ", report.group);
  }
  void OnVersionState(const model_store::VersionEvent& event) override {
    Add("version ", event.model, " ", event.version);
  }
  void OnStoreStatus(const absl::Status& status) override {
    Add("store ", status.message());
  }

  std::vector<std::string> calls;

 private:
  template <typename... Parts>
  void Add(Parts... parts) {
    calls.push_back(absl::StrCat(parts...));
  }
};

TEST(FanOutTest, TellsAllObserversOfServing) {
  Recorder first;
  Recorder second;
  ServingFanOut all({&first, &second});

  all.OnRpcStarted("A");
  all.OnRpcEnded("A", absl::StatusCode::kAborted, absl::Seconds(1));
  all.OnBatch({.model = "m", .num_rows = 3});
  all.OnStage(Stage::kDecode, absl::Seconds(2));
  all.OnImageRejected("corrupt");
  all.OnGroup(RoutedReport("lake"));

  EXPECT_THAT(first.calls,
              ElementsAre("started A", "ended A ABORTED 1s", "batch m 3",
                          "stage decode 2s", "image corrupt", "group lake"));
  EXPECT_EQ(first.calls, second.calls);
}

TEST(FanOutTest, TellsAllObserversOfTheStore) {
  Recorder first;
  Recorder second;
  StoreFanOut all({&first, &second});

  all.OnVersionState({.model = "m", .version = 7});
  all.OnStoreStatus(absl::UnavailableError("unmounted"));

  EXPECT_THAT(first.calls, ElementsAre("version m 7", "store unmounted"));
  EXPECT_EQ(first.calls, second.calls);
}

TEST(StageNameTest, NamesEveryStage) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kNumStages; ++i) {
    names.emplace_back(StageName(static_cast<Stage>(i)));
  }

  EXPECT_THAT(names, ElementsAre("decode", "queue", "encode", "style", "route",
                                 "heads"));
}

}  // namespace
}  // namespace ladder::server
