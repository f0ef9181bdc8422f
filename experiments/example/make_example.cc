#include "experiments/example/make_example.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "experiments/example/garments.h"
#include "experiments/example/paint_frame.h"
#include "experiments/example/world.h"
#include "imaging/jpeg.h"
#include "trainer/data/dataset.h"

namespace ladder::experiments {
namespace {

namespace fs = std::filesystem;

constexpr int kJpegQuality = 90;

absl::Status WriteFile(const fs::path& path, absl::string_view content) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (file) return absl::OkStatus();
  return base::ErrnoError("cannot write", path, errno == 0 ? EIO : errno);
}

std::string FileName(size_t frame) {
  return absl::StrFormat("%06d.jpg", frame);
}

std::string MetadataCsv(std::span<const Frame> frames) {
  std::string csv = "split,location_remapped,y,filename\n";
  for (size_t i = 0; i < frames.size(); ++i) {
    const Frame& frame = frames[i];
    absl::StrAppend(&csv, trainer::SplitName(frame.split), ",", frame.location,
                    ",", frame.label, ",", FileName(i), "\n");
  }
  return csv;
}

std::string CategoriesCsv() {
  std::string csv = "y,name\n";
  for (size_t y = 0; y < kGarmentClasses.size(); ++y) {
    absl::StrAppend(&csv, y, ",", kGarmentClasses[y], "\n");
  }
  return csv;
}

std::string HabitatsCsv(std::span<const Location> locations) {
  std::string csv = "location_remapped,habitat,split\n";
  for (size_t i = 0; i < locations.size(); ++i) {
    const auto& [habitat, is_source] = locations[i];
    absl::StrAppendFormat(
        &csv, "%d,%.6f,%s\n", i, habitat,
        trainer::SplitName(is_source ? trainer::Split::kTrain
                                     : trainer::Split::kTest));
  }
  return csv;
}

absl::Status WriteTables(const fs::path& folder,
                         std::span<const Location> locations,
                         std::span<const Frame> frames) {
  const std::pair<const char*, std::string> tables[] = {
      {"metadata.csv", MetadataCsv(frames)},
      {"categories.csv", CategoriesCsv()},
      {"habitats.csv", HabitatsCsv(locations)}};
  for (const auto& [name, content] : tables) {
    LADDER_RETURN_IF_ERROR(WriteFile(folder / name, content));
  }
  return absl::OkStatus();
}

absl::Status WriteFrame(const fs::path& path, const imaging::Image& picture) {
  LADDER_ASSIGN_OR_RETURN(const std::vector<std::byte> jpeg,
                          imaging::EncodeJpeg(picture.View(), kJpegQuality));
  return WriteFile(path,
                   {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()});
}

absl::Status WriteFrames(const fs::path& folder, const Garments& garments,
                         std::span<const Location> locations,
                         std::span<const Frame> frames,
                         const routing::Execution& execution,
                         ExampleProgress progress) {
  base::Mutex mutex;
  int64_t done = 0;          // Guarded by the mutex,
  absl::Status first_error;  // as is this.
  std::atomic<bool> failed = false;
  absl::Status stopped = execution.ForEach(frames.size(), [&](size_t i) {
    if (failed) return;
    const Frame& frame = frames[i];
    absl::Status status = WriteFrame(
        folder / FileName(i),
        PaintFrame(garments.picture(frame.garment),
                   locations[frame.location].habitat, frame.paint_seed));
    const base::MutexLock lock(mutex);
    if (status.ok()) {
      progress(++done, static_cast<int64_t>(frames.size()));
    } else {
      first_error.Update(std::move(status));
      failed = true;
    }
  });
  first_error.Update(std::move(stopped));
  return first_error;
}

absl::Status CheckIsNew(const fs::path& out) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(out, error).type();
  if (type == fs::file_type::not_found) return absl::OkStatus();
  if (type == fs::file_type::none)
    return base::ErrnoError("cannot see", out, error.value());
  return absl::AlreadyExistsError(
      absl::StrCat(out.string(), ": expected a new folder's name"));
}

ExampleSummary Summarize(std::span<const Frame> frames) {
  const auto count = [&](trainer::Split split) {
    return std::ranges::count(frames, split, &Frame::split);
  };
  return {.num_train = count(trainer::Split::kTrain),
          .num_id_val = count(trainer::Split::kIdVal),
          .num_id_test = count(trainer::Split::kIdTest),
          .num_test = count(trainer::Split::kTest)};
}

}  // namespace

absl::StatusOr<ExampleSummary> MakeExample(const ExampleOptions& options,
                                           const routing::Execution& execution,
                                           ExampleProgress progress) {
  LADDER_RETURN_IF_ERROR(options.Validate());
  // "data/example/" is named example too.
  const fs::path out =
      options.out.has_filename() ? options.out : options.out.parent_path();
  LADDER_RETURN_IF_ERROR(CheckIsNew(out));
  LADDER_ASSIGN_OR_RETURN(const Garments garments,
                          ReadGarments(options.images));
  const std::vector<Location> locations = MakeLocations(options);
  LADDER_ASSIGN_OR_RETURN(const std::vector<Frame> frames,
                          PlanFrames(options, locations, garments.labels));

  const fs::path temporary = base::TemporarySibling(out);
  absl::Cleanup remove_temporary = [&temporary] {
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
  };
  std::error_code error;
  fs::create_directories(temporary / "train", error);
  if (error) return base::ErrnoError("cannot create", temporary, error.value());
  LADDER_RETURN_IF_ERROR(WriteTables(temporary, locations, frames));
  LADDER_RETURN_IF_ERROR(WriteFrames(temporary / "train", garments, locations,
                                     frames, execution, progress));
  // Fails if somebody else has made it meanwhile, and it is not empty.
  fs::rename(temporary, out, error);
  if (error) return base::ErrnoError("cannot make", out, error.value());
  std::move(remove_temporary).Cancel();
  return Summarize(frames);
}

}  // namespace ladder::experiments
