#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model_store/store/store_fixture.h"

namespace ladder::model_store {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StoreLookupTest : public StoreFixture {
 protected:
  static StoreOptions All() {
    StoreOptions options = ManualPolling();
    options.policy = VersionPolicy::All();
    return options;
  }

  static std::string Message(const absl::StatusOr<ModelHandle>& handle) {
    return std::string(handle.status().message());
  }
};

TEST_F(StoreLookupTest, DefaultIsTheHighestServedVersion) {
  Put("m", 2);
  Put("m", 10);

  Open(All());

  EXPECT_THAT(Served("m"), ElementsAre(2, 10));
  EXPECT_EQ(Default("m"), 10u);
}

TEST_F(StoreLookupTest, FindsByVersion) {
  Put("m", 2);
  Put("m", 10);
  Open(All());

  const auto handle = store_->GetVersion("m", 2);

  ASSERT_TRUE(handle.ok()) << handle.status();
  EXPECT_EQ((*handle)->manifest().version, 2u);
}

TEST_F(StoreLookupTest, FindsByLabelWhichCanMove) {
  Put("m", 1);
  Put("m", 2);
  Open(All());

  ASSERT_TRUE(store_->SetLabel("m", "stable", 1).ok());
  EXPECT_EQ(store_->GetLabelled("m", "stable").value()->manifest().version, 1u);
  EXPECT_THAT(InfoOf("m", 1).labels, ElementsAre("stable"));
  ASSERT_TRUE(store_->SetLabel("m", "stable", 2).ok());
  EXPECT_EQ(store_->GetLabelled("m", "stable").value()->manifest().version, 2u);
  EXPECT_THAT(InfoOf("m", 1).labels, IsEmpty());
}

TEST_F(StoreLookupTest, AnUnknownModelIsNotFound) {
  Put("lions", 1);
  Put("zebras", 1);
  Open();

  const auto handle = store_->Get("tigers");

  EXPECT_EQ(handle.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(handle),
              AllOf(HasSubstr("\"tigers\""), HasSubstr("lions, zebras")));
}

TEST_F(StoreLookupTest, AnUnknownVersionIsNotFound) {
  Put("m", 1);
  Open();

  const auto handle = store_->GetVersion("m", 7);

  EXPECT_EQ(handle.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(handle), AllOf(HasSubstr("\"m\""), HasSubstr("version 7"),
                                     HasSubstr("served: 1")));
}

TEST_F(StoreLookupTest, AVersionThatThePolicyLeavesOutIsNotFound) {
  Put("m", 1);
  Put("m", 2);
  Open();

  const auto handle = store_->GetVersion("m", 1);

  EXPECT_EQ(handle.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(handle), AllOf(HasSubstr("version 1 is DISCOVERED"),
                                     HasSubstr("served: 2")));
}

TEST_F(StoreLookupTest, AnUnknownLabelIsNotFound) {
  Put("m", 1);
  Open();
  ASSERT_TRUE(store_->SetLabel("m", "stable", 1).ok());

  const auto handle = store_->GetLabelled("m", "canary");

  EXPECT_EQ(handle.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(handle),
              AllOf(HasSubstr("\"m\""), HasSubstr("\"canary\""),
                    HasSubstr("labels: stable")));
}

TEST_F(StoreLookupTest, AModelOnItsFirstLoadIsUnavailable) {
  Put("m", 1);
  loader_.Hold("m/1");
  OpenOnly(ManualPolling());
  loader_.WaitForLoad("m/1");

  for (const auto& handle : {store_->Get("m"), store_->GetVersion("m", 1)}) {
    EXPECT_EQ(handle.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(Message(handle), AllOf(HasSubstr("version 1 is LOADING"),
                                       HasSubstr("try again")));
  }
  loader_.Release("m/1");
}

TEST_F(StoreLookupTest, AVersionThatWaitsForALoaderIsUnavailable) {
  Put("m", 1);
  Put("m", 2);
  loader_.Hold("m/2");
  OpenOnly(All());
  loader_.WaitForLoad("m/2");

  const auto handle = store_->GetVersion("m", 1);

  EXPECT_EQ(handle.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(InfoOf("m", 1).waiting);
  loader_.Release("m/2");
}

TEST_F(StoreLookupTest, AModelThatCannotBeLoadedSaysWhy) {
  Put("m", 1, {.encoder = "broken"});
  Open();

  const auto handle = store_->Get("m");

  EXPECT_EQ(handle.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(Message(handle), AllOf(HasSubstr("version 1 is FAILED"),
                                     HasSubstr("encoder.onnx: expected")));
}

TEST_F(StoreLookupTest, ALabelNeedsAServedVersion) {
  Put("m", 1);
  Put("m", 2);
  Put("m", 3, {.encoder = "broken"});
  Open();

  const absl::Status idle = store_->SetLabel("m", "stable", 1);
  const absl::Status failed = store_->SetLabel("m", "stable", 3);
  const absl::Status absent = store_->SetLabel("m", "stable", 4);

  EXPECT_EQ(idle.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(idle.message()),
              AllOf(HasSubstr("version 1 is DISCOVERED"), HasSubstr("stable")));
  EXPECT_EQ(failed.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(failed.message()), HasSubstr("version 3 is FAILED"));
  EXPECT_EQ(absent.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(absent.message()), HasSubstr("version 4"));
}

TEST_F(StoreLookupTest, RefusesLabelsThatCouldBeVersions) {
  Put("m", 1);
  Open();

  for (const char* label : {"", "1", "-x", "a b", "../x"}) {
    const absl::Status status = store_->SetLabel("m", label, 1);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << label;
  }
}

TEST_F(StoreLookupTest, ALabelKeepsItsVersionServed) {
  Put("m", 1);
  Open();
  ASSERT_TRUE(store_->SetLabel("m", "stable", 1).ok());

  Put("m", 2);
  Poll();
  EXPECT_THAT(Served("m"), ElementsAre(1, 2));
  ASSERT_TRUE(store_->RemoveLabel("m", "stable").ok());
  store_->WaitUntilIdle();

  EXPECT_THAT(Served("m"), ElementsAre(2));
  EXPECT_EQ(StateOf("m", 1), VersionState::kUnloaded);
  EXPECT_EQ(store_->RemoveLabel("m", "stable").code(),
            absl::StatusCode::kNotFound);
}

TEST_F(StoreLookupTest, ConfiguredLabelsAreServedFromTheStart) {
  Put("m", 1);
  Put("m", 2);
  Put("m", 3);
  StoreOptions options = ManualPolling();
  options.models["m"] = {.labels = {{"stable", 1}, {"next", 4}}};

  Open(options);

  EXPECT_THAT(Served("m"), ElementsAre(1, 3));
  EXPECT_TRUE(store_->GetLabelled("m", "stable").ok());
  const auto next = store_->GetLabelled("m", "next");
  EXPECT_EQ(next.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(next),
              AllOf(HasSubstr("\"next\""), HasSubstr("version 4")));
}

TEST_F(StoreLookupTest, ListTellsAllThereIsToKnow) {
  Put("a", 1, {.manifest = "one"});
  Put("a", 2, {.manifest = "two", .encoder = "broken"});
  Put("b", 5);

  Open();

  const StoreInfo info = store_->List();
  EXPECT_EQ(info.path, root_.path());
  EXPECT_TRUE(info.status.ok());
  ASSERT_EQ(info.models.size(), 2u);
  const ModelInfo& model = info.models[0];
  EXPECT_EQ(model.name, "a");
  EXPECT_EQ(model.policy, "latest 1");
  EXPECT_THAT(model.served, ElementsAre(1));
  ASSERT_EQ(model.versions.size(), 2u);
  EXPECT_EQ(model.versions[0].state, VersionState::kServing);
  EXPECT_EQ(model.versions[0].sha256, FakeModelLoader::Digest("one"));
  EXPECT_EQ(model.versions[0].path, root_.path() / "a/1");
  EXPECT_GT(model.versions[0].load_duration, absl::ZeroDuration());
  EXPECT_GT(model.versions[0].since, absl::UnixEpoch());
  EXPECT_EQ(model.versions[1].state, VersionState::kFailed);
  EXPECT_EQ(model.versions[1].sha256, FakeModelLoader::Digest("two"));
  EXPECT_EQ(model.versions[1].status.code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(info.models[1].name, "b");
}

TEST_F(StoreLookupTest, IsReadyWhenEveryRequiredModelIsServed) {
  Put("a", 1);
  Put("b", 1, {.encoder = "broken"});
  Open();
  const std::vector<std::string> one = {"a"};
  const std::vector<std::string> all = {"a", "b", "c"};

  const absl::Status status = store_->CheckReady(all);

  EXPECT_TRUE(store_->CheckReady(one).ok());
  EXPECT_TRUE(store_->CheckReady({}).ok());
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("model \"b\": version 1 is FAILED"),
                    HasSubstr("model \"c\" is not in the store")));
}

TEST_F(StoreLookupTest, IsReadyOnceARequiredModelIsLoaded) {
  Put("m", 1);
  loader_.Hold("m/1");
  OpenOnly(ManualPolling());
  const std::vector<std::string> required = {"m"};

  const absl::Status early = store_->CheckReady(required);
  loader_.Release("m/1");
  store_->WaitUntilIdle();
  const absl::Status late = store_->CheckReady(required);

  EXPECT_EQ(early.code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(late.ok()) << late;
}

TEST_F(StoreLookupTest, OpenNamesTheOptionThatIsWrong) {
  const auto error_of = [&](const StoreOptions& options) {
    return ModelStore::Open(root_.path(), loader_, options).status().ToString();
  };

  EXPECT_THAT(error_of({.poll_interval = absl::ZeroDuration()}),
              AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("poll_interval")));
  EXPECT_THAT(error_of({.poll_interval = absl::Hours(25)}),
              AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("got 25h")));
  EXPECT_THAT(error_of({.policy = VersionPolicy::Latest(0)}),
              AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("policy latest")));
  EXPECT_THAT(error_of({.models = {{"../up", {}}}}),
              AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("../up")));
  EXPECT_THAT(error_of({.models = {{"m", {.labels = {{"7", 1}}}}}}),
              AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("\"7\"")));
  EXPECT_THAT(error_of({.models = {{"m", {.labels = {{"a", 0}}}}}}),
              AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("got 0")));
  EXPECT_THAT(error_of({.parallel_loads = 0}),
              AllOf(HasSubstr("INVALID_ARGUMENT"),
                    HasSubstr("parallel_loads must be positive, got 0")));
}

TEST_F(StoreLookupTest, OpenNamesAMissingDirectory) {
  const auto store = ModelStore::Open(root_.path() / "absent", loader_, {});

  EXPECT_EQ(store.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(store.status().message()), HasSubstr("absent"));
}

}  // namespace
}  // namespace ladder::model_store
