#include "client/command/model_text.h"

#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

v1::GetModelResponse Model() {
  v1::GetModelResponse model;
  model.set_name("birds");
  model.set_version(3);
  for (const char* name : {"hill", "lake", "wood"}) {
    model.add_sources()->set_name(name);
  }
  for (int i = 0; i < 12; ++i) model.add_classes(absl::StrCat("class", i));
  model.mutable_routing()->set_method(v1::METHOD_LADDER);
  // 0.5 and 2 as little-endian float32.
  const std::string zero(4, '\0');
  const std::string half("\0\0\0\x3f", 4);
  const std::string two("\0\0\0\x40", 4);
  model.mutable_source_distances()->set_columns(3);
  model.mutable_source_distances()->set_float32(
      absl::StrCat(zero, two, half, two, zero, two, half, two, zero));
  return model;
}

TEST(NearestSourceTest, IsTheNearestOther) {
  const auto nearest = NearestSource(Model(), 0);

  ASSERT_TRUE(nearest.has_value());
  EXPECT_EQ(nearest->source, 2);
  EXPECT_EQ(nearest->distance, 0.5);
}

TEST(NearestSourceTest, IsNotKnownWithoutDistances) {
  v1::GetModelResponse model = Model();
  model.mutable_source_distances()->mutable_float32()->pop_back();

  EXPECT_FALSE(NearestSource(model, 0).has_value());
}

TEST(RenderModelTest, CutsClassesUnlessAllAreWanted) {
  EXPECT_THAT(RenderModel(Model(), /*all_classes=*/false, {}),
              HasSubstr("12: class0, class1, class2, class3, class4, class5, "
                        "class6, class7, class8, class9, … 2 more\n"));
  EXPECT_THAT(RenderModel(Model(), /*all_classes=*/true, {}),
              HasSubstr("class10, class11\n"));
}

TEST(RenderModelTest, SaysWhatIsMissing) {
  EXPECT_THAT(RenderModel(Model(), false, {}), HasSubstr("not calibrated"));
  v1::GetModelResponse model = Model();
  model.mutable_routing()->set_calibrated(true);
  model.clear_source_distances();

  const std::string text = RenderModel(model, false, {});

  EXPECT_THAT(text, Not(HasSubstr("not calibrated")));
  EXPECT_THAT(
      text,
      HasSubstr(
          "hill                   0            0  -                     -\n"));
}

TEST(RenderModelTest, ShowsAllSources) {
  EXPECT_THAT(RenderModel(Model(), false, {}),
              HasSubstr("wood                   0            0  hill"
                        "                0.5\n"));
}

}  // namespace
}  // namespace ladder::client
