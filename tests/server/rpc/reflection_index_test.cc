#include <google/protobuf/descriptor.pb.h>

#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/rpc/reflection.h"
#include "tests/server/rpc/test_pool.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ReflectionIndexTest : public ::testing::Test {
 protected:
  // The name of the first file, which is the one that was asked for.
  static std::string First(
      const absl::StatusOr<ReflectionIndex::Files>& files) {
    if (!files.ok()) return files.status().ToString();
    google::protobuf::FileDescriptorProto file;
    EXPECT_TRUE(file.ParseFromString(std::string(files->front())));
    return file.name();
  }

  TestPool test_pool_;
  ReflectionIndex index_{test_pool_.pool(), {"shop.Shop", "health.Health"}};
};

TEST_F(ReflectionIndexTest, ListsTheServicesItWasGiven) {
  EXPECT_THAT(index_.Services(), ElementsAre("shop.Shop", "health.Health"));
  EXPECT_EQ(index_.FileWithSymbol("health.Health").status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(ReflectionIndexTest, AFileComesFirstAndWithAllItImports) {
  EXPECT_EQ(First(index_.FileNamed("shop.proto")), "shop.proto");
  EXPECT_THAT(NamesOf(*index_.FileNamed("shop.proto")),
              ElementsAre("goods.proto", "money.proto", "shop.proto"));
  EXPECT_EQ(First(index_.FileNamed("goods.proto")), "goods.proto");
  EXPECT_THAT(NamesOf(*index_.FileNamed("goods.proto")),
              ElementsAre("goods.proto", "money.proto"));
  EXPECT_THAT(NamesOf(*index_.FileNamed("money.proto")),
              ElementsAre("money.proto"));
}

TEST_F(ReflectionIndexTest, AFileIsWhatThePoolHas) {
  google::protobuf::FileDescriptorProto expected;
  test_pool_.pool().FindFileByName("money.proto")->CopyTo(&expected);

  EXPECT_EQ(index_.FileNamed("money.proto")->front(),
            expected.SerializeAsString());
}

TEST_F(ReflectionIndexTest, FindsEveryKindOfSymbol) {
  for (const char* symbol : {"shop.Shop", "shop.Shop.Buy", "shop.Stall"}) {
    EXPECT_EQ(First(index_.FileWithSymbol(symbol)), "shop.proto") << symbol;
  }
  for (const char* symbol :
       {"goods.Item", "goods.Item.price", "goods.Item.label", "goods.Item.Kind",
        "goods.Item.FRUIT", "goods.Item.Size", "goods.Item.Size.width",
        "goods.Item.reduced"}) {
    EXPECT_EQ(First(index_.FileWithSymbol(symbol)), "goods.proto") << symbol;
  }
  for (const char* symbol : {"money.Price.cents", "money.currency"}) {
    EXPECT_EQ(First(index_.FileWithSymbol(symbol)), "money.proto") << symbol;
  }
}

TEST_F(ReflectionIndexTest, FindsExtensions) {
  EXPECT_THAT(*index_.ExtensionNumbers("money.Price"), ElementsAre(120, 150));
  EXPECT_EQ(First(index_.FileWithExtension("money.Price", 120)), "goods.proto");
  EXPECT_EQ(First(index_.FileWithExtension("money.Price", 150)), "money.proto");
  EXPECT_THAT(*index_.ExtensionNumbers("goods.Item.Size"), IsEmpty());
}

TEST_F(ReflectionIndexTest, WhatIsNotThereIsNotFound) {
  const absl::Status answers[] = {
      index_.FileNamed("missing.proto").status(),
      index_.FileNamed("").status(),
      index_.FileWithSymbol("shop").status(),
      index_.FileWithSymbol("shop.Shop.").status(),
      index_.FileWithSymbol(".shop.Shop").status(),
      index_.FileWithExtension("money.Price", 121).status(),
      index_.FileWithExtension("money.Coin", 120).status(),
      index_.ExtensionNumbers("money.Coin").status(),
      index_.ExtensionNumbers("goods.Item.Kind").status()};
  for (const absl::Status& status : answers) {
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
  }
}

TEST_F(ReflectionIndexTest, FilesThatNoServiceNeedsDoNotExist) {
  const absl::Status answers[] = {
      index_.FileNamed("secret.proto").status(),
      index_.FileWithSymbol("secret.Diary").status(),
      index_.FileWithSymbol("secret.Safe").status(),
      index_.FileWithExtension("money.Price", 199).status()};
  for (const absl::Status& status : answers) {
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
  }
}

TEST_F(ReflectionIndexTest, ALongNameIsNotRepeatedInFull) {
  const absl::Status status =
      index_.FileWithSymbol(std::string(1'000'000, 'x')).status();

  EXPECT_LT(status.message().size(), 400);
}

}  // namespace
}  // namespace ladder::server
