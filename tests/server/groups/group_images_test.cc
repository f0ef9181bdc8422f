#include <atomic>
#include <cstddef>
#include <latch>
#include <memory>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "imaging/preprocessor.h"
#include "server/groups/group.h"
#include "tests/fakes/fake_model.h"
#include "tests/imaging/test_images.h"
#include "tests/server/groups/group_call.h"
#include "tests/server/groups/tiny_models.h"

namespace ladder::server {
namespace {

using imaging::Bytes;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pointwise;
using ::testing::SizeIs;

Bytes Picture(uint32_t seed) {
  return imaging::WriteJpeg({}, imaging::Photograph(20, 16, seed).View());
}

Bytes NoPicture() { return Bytes(100, std::byte{7}); }

Bytes Truncated() {
  const imaging::Image image = imaging::Photograph(20, 16);
  Bytes bytes = imaging::WritePng({}, image.View());
  bytes.resize(bytes.size() / 2);
  return bytes;
}

// Takes pictures of 8 x 8, and keeps them in the encoder until it is released.
class HeldImageModel final : public model_store::FakeModel {
 public:
  HeldImageModel() : FakeModel(MakeManifest(), "held") {}

  absl::StatusOr<model_store::Encoding> Encode(
      std::span<const float> x, size_t num_rows,
      std::stop_token stop) const override {
    if (!held_.test_and_set()) held_.notify_all();
    released_.wait();
    return FakeModel::Encode(x, num_rows, stop);
  }
  void WaitUntilHeld() const { held_.wait(false); }
  void Release() { released_.count_down(); }

 private:
  static model_store::Manifest MakeManifest() {
    model_store::Manifest manifest = ImageModel()->manifest();
    manifest.style_dimension = 3 * 8 * 8;
    manifest.content_dimension = 3 * 8 * 8;
    return manifest;
  }

  mutable std::atomic_flag held_;
  mutable std::latch released_{1};
};

// Groups of pictures.
class GroupImagesTest : public ::testing::Test {
 protected:
  ~GroupImagesTest() override { EXPECT_EQ(server_.memory.used(), 0); }

  GroupSetup NewGroup(GroupOptions options = {}) {
    options.questions = {DefaultQuestion(*model_)};
    options.outputs.probabilities = true;
    return {.model = model_, .options = std::move(options)};
  }

  // The numbers that the pictures become.
  std::vector<float> Decode(const std::vector<Bytes>& images) {
    const auto& input =
        std::get<model_store::ImageInput>(model_->manifest().input);
    const auto preprocessor =
        imaging::Preprocessor::Create(
            {.height = input.height,
             .width = input.width,
             .normalize = {.mean = input.mean, .std = input.std}})
            .value();
    const size_t size = preprocessor.output_size();
    std::vector<float> x(images.size() * size);
    for (size_t i = 0; i < images.size(); ++i) {
      EXPECT_TRUE(
          preprocessor.Run(images[i], std::span(x).subspan(i * size, size))
              .ok());
    }
    return x;
  }

  const model_store::ModelHandle model_ = ImageModel();
  TestServer server_;
};

TEST_F(GroupImagesTest, PicturesAreAnsweredAsTheirNumbers) {
  std::vector<Bytes> images;
  for (uint32_t seed = 0; seed < 20; ++seed) images.push_back(Picture(seed));
  const std::vector<float> x = Decode(images);
  const DirectAnswer direct =
      AskDirectly(*model_, x, 20, DefaultQuestion(*model_));

  GroupCall pictures(server_, NewGroup());
  ASSERT_TRUE(pictures.AddImages({images.begin(), images.begin() + 13}).ok());
  ASSERT_TRUE(pictures.AddImages({images.begin() + 13, images.end()}).ok());
  GroupCall numbers(server_, NewGroup());
  ASSERT_TRUE(numbers.Add(x, 20).ok());

  for (GroupCall* call : {&pictures, &numbers}) {
    const GroupRecord record = call->End();
    ASSERT_TRUE(record.status.ok()) << record.status;
    EXPECT_THAT(record.answers.front().routing.weights,
                Pointwise(::testing::DoubleNear(1e-5), direct.routing.weights));
    EXPECT_THAT(record.rows.probabilities,
                Pointwise(FloatNear(1e-5F), direct.probabilities));
    EXPECT_THAT(record.rows.rejected, IsEmpty());
  }
  // Batches of 8 and 5, and of 7.
  EXPECT_EQ(server_.observer.num(Stage::kDecode), 3);
}

TEST_F(GroupImagesTest, ABadPictureIsRejectedAndTheGroupGoesOn) {
  const std::vector<Bytes> good = {Picture(1), Picture(2), Picture(3)};
  const DirectAnswer direct =
      AskDirectly(*model_, Decode(good), 3, DefaultQuestion(*model_));
  GroupCall call(server_, NewGroup());
  ASSERT_TRUE(
      call.AddImages({NoPicture(), good[0], Truncated()}, {"a", "b", "c"})
          .ok());
  ASSERT_TRUE(call.AddImages({good[1], good[2]}, {"d", "e"}).ok());
  ASSERT_TRUE(call.AddImages({NoPicture()}, {"f"}).ok());

  const GroupRecord record = call.End();

  ASSERT_TRUE(record.status.ok()) << record.status;
  EXPECT_THAT(record.rows.indices, ElementsAre(1, 3, 4));
  EXPECT_THAT(record.rows.ids, ElementsAre("b", "d", "e"));
  EXPECT_THAT(record.rows.probabilities,
              Pointwise(FloatNear(1e-5F), direct.probabilities));
  ASSERT_THAT(record.rows.rejected, SizeIs(3));
  const std::vector<RejectedSample>& rejected = record.rows.rejected;
  EXPECT_EQ(rejected[0].index, 0);
  EXPECT_EQ(rejected[0].id, "a");
  EXPECT_EQ(rejected[0].reason, "unsupported");
  EXPECT_THAT(rejected[0].message, Not(IsEmpty()));
  EXPECT_EQ(rejected[1].index, 2);
  EXPECT_EQ(rejected[1].id, "c");
  EXPECT_EQ(rejected[1].reason, "corrupt");
  EXPECT_EQ(rejected[2].index, 5);
  EXPECT_EQ(record.summary.num_samples, 3);
  EXPECT_EQ(record.summary.num_rejected, 3);
  EXPECT_EQ(record.answers.front().routing.num_seen, 3);
  EXPECT_THAT(server_.observer.rejections(),
              ElementsAre("unsupported", "corrupt", "unsupported"));
  EXPECT_EQ(server_.observer.reports().front().num_rejected, 3);
}

TEST_F(GroupImagesTest, RejectedPicturesAreToldWithoutPredictionsToo) {
  GroupCall call(server_, NewGroup({.predict = false}));
  ASSERT_TRUE(call.AddImages({NoPicture(), Picture(1)}, {"a", "b"}).ok());

  const GroupRecord record = call.End();

  ASSERT_TRUE(record.status.ok()) << record.status;
  EXPECT_THAT(record.rows.indices, IsEmpty());
  ASSERT_THAT(record.rows.rejected, SizeIs(1));
  EXPECT_EQ(record.rows.rejected.front().id, "a");
}

TEST_F(GroupImagesTest, ABadPictureFailsTheGroupIfThatIsAskedFor) {
  GroupCall call(server_, NewGroup({.fail_on_bad_sample = true}));
  ASSERT_TRUE(call.AddImages({Picture(1), Picture(2)}).ok());
  ASSERT_TRUE(call.AddImages({Picture(3), NoPicture()}).ok());

  const GroupRecord record = call.End();

  EXPECT_EQ(record.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(record.status.message(), HasSubstr("image 3: "));
  EXPECT_THAT(record.events, ElementsAre("end"));
}

TEST_F(GroupImagesTest, AGroupOfBadPicturesAloneHasNoSamples) {
  GroupCall call(server_, NewGroup());
  ASSERT_TRUE(call.AddImages({NoPicture(), NoPicture()}).ok());

  const GroupRecord record = call.End();

  EXPECT_EQ(record.status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(record.summary.num_rejected, 2);
}

TEST_F(GroupImagesTest, EarlyRoutingCountsGoodPictures) {
  GroupCall call(server_, NewGroup({.route_after = 2}));
  ASSERT_TRUE(call.AddImages({Picture(1), NoPicture()}).ok());
  ASSERT_TRUE(call.AddImages({Picture(2), Picture(3)}).ok());

  const GroupRecord early = call.sink().WaitForRows(3);

  EXPECT_EQ(early.answers.front().routing.num_seen, 2);
  EXPECT_THAT(early.rows.indices, ElementsAre(0, 2, 3));
  // What was answered, or rejected, takes no memory any more.
  const std::vector<RouteQuestion> questions = {DefaultQuestion(*model_)};
  EXPECT_EQ(server_.memory.used(),
            GroupIntake::kEmptyGroupBytes +
                GroupEvidence::Bytes(*model_, questions, 4));
  EXPECT_TRUE(call.End().status.ok());
}

TEST_F(GroupImagesTest, PicturesBeyondTheLimitsAreTooLarge) {
  GroupSetup setup = NewGroup();
  setup.limits.images.max_pixels = 100;
  GroupCall call(server_, std::move(setup));
  const imaging::Image small = imaging::Photograph(10, 10);
  ASSERT_TRUE(
      call.AddImages({Picture(1), imaging::WritePng({}, small.View())}).ok());

  const GroupRecord record = call.End();

  EXPECT_THAT(record.rows.indices, ElementsAre(1));
  ASSERT_THAT(record.rows.rejected, SizeIs(1));
  EXPECT_EQ(record.rows.rejected.front().reason, "too_large");
}

TEST_F(GroupImagesTest, EverySampleNeedsAPicture) {
  GroupCall call(server_, NewGroup());
  const Bytes picture = Picture(1);

  const absl::Status status =
      call.group().Add({.num_samples = 2, .images = {picture}});

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("expected 2"));
}

TEST_F(GroupImagesTest, AGroupMayFailWhileItsPicturesAreDecoded) {
  for (int i = 0; i < 20; ++i) {
    GroupCall call(server_, NewGroup());
    ASSERT_TRUE(call.AddImages(std::vector<Bytes>(50, Picture(1))).ok());
    call.sink().SetRoom(i % 2 == 0);

    const GroupRecord record = call.Fail(absl::AbortedError("no more"));

    EXPECT_EQ(record.status, absl::AbortedError("no more"));
    call.Drop();
    EXPECT_EQ(server_.memory.used(), 0);
    EXPECT_EQ(server_.pictures.used(), 0);
  }
}

TEST_F(GroupImagesTest, ManyPicturesWaitForRoomAndAreAllAnswered) {
  constexpr size_t kPictures = 300;
  constexpr uint64_t kDecoded = 3 * 8 * 8 * sizeof(float);
  // Of the pictures' numbers a thirtieth has room, of the group's own all.
  TestServer server({.num_workers = 2}, /*memory_limit=*/400'000,
                    /*pictures_limit=*/kPictures * kDecoded / 30);
  const std::vector<Bytes> pictures(kPictures, Picture(1));
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < 2; ++caller) {
    callers.emplace_back([&] {
      GroupCall call(server, NewGroup());
      EXPECT_TRUE(call.AddImages(pictures).ok());
      const GroupRecord record = call.End();
      EXPECT_TRUE(record.status.ok()) << record.status;
      EXPECT_THAT(record.rows.indices, SizeIs(kPictures));
      EXPECT_LE(server.pictures.used(), server.pictures.limit());
    });
  }
  callers.clear();

  EXPECT_EQ(server.pictures.used(), 0);
  EXPECT_EQ(server.memory.used(), 0);
}

TEST_F(GroupImagesTest, PicturesAreDecodedJustAheadOfTheEncoder) {
  const auto held = std::make_shared<HeldImageModel>();
  GroupSetup setup = NewGroup();
  setup.model = held;
  GroupCall call(server_, std::move(setup));
  ASSERT_TRUE(call.AddImages(std::vector<Bytes>(200, Picture(1))).ok());

  held->WaitUntilHeld();

  // One chunk is in the encoder and the next one is ready; no more than that.
  EXPECT_LE(server_.pictures.used(),
            2 * held->max_batch() * 3 * 8 * 8 * sizeof(float));
  held->Release();
  EXPECT_THAT(call.End().rows.indices, SizeIs(200));
}

}  // namespace
}  // namespace ladder::server
