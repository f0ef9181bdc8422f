#include "experiments/example/garments.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"

namespace ladder::experiments {
namespace {

constexpr uint8_t kUnsignedBytes = 0x08;  // The format's number for this type.
constexpr size_t kMagicLength = 4;
constexpr size_t kMaxBytes = size_t{1} << 30;  // zlib counts reads in an int.

std::string Hex(std::span<const uint8_t> bytes) {
  return absl::BytesToHexString(absl::string_view(
      reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

// A file that zlib reads.
class GzipFile {
 public:
  static absl::StatusOr<GzipFile> Open(const std::filesystem::path& path) {
    errno = 0;  // zlib leaves it alone when it has no memory.
    gzFile file = gzopen(path.c_str(), "rb");
    if (file == nullptr) {
      return base::ErrnoError("cannot open", path, errno == 0 ? ENOMEM : errno);
    }
    return GzipFile(path.string(), file);
  }

  absl::Status Invalid(absl::string_view message) const {
    return absl::InvalidArgumentError(absl::StrCat(path_, ": ", message));
  }

  // Fills `bytes`, which are at most kMaxBytes.
  absl::Status Read(std::span<uint8_t> bytes) {
    LADDER_ASSIGN_OR_RETURN(const size_t count, ReadSome(bytes));
    position_ += count;
    if (count == bytes.size()) return absl::OkStatus();
    return Invalid(absl::StrCat("expected ", bytes.size() - count,
                                " bytes more, found its end after ",
                                position_));
  }

  absl::Status ExpectEnd() {
    uint8_t next = 0;
    LADDER_ASSIGN_OR_RETURN(const size_t count, ReadSome({&next, 1}));
    if (count == 0) return absl::OkStatus();
    return Invalid(absl::StrCat("expected its end after ", position_,
                                " bytes, found more"));
  }

 private:
  GzipFile(std::string path, gzFile file)
      : path_(std::move(path)), file_(file) {}

  // Returns how many bytes were read. They are fewer than asked for only at the
  // end of a file that is whole and has the right checksum.
  absl::StatusOr<size_t> ReadSome(std::span<uint8_t> bytes) {
    const int count =
        gzread(file_.get(), bytes.data(), static_cast<unsigned>(bytes.size()));
    if (count == static_cast<int>(bytes.size())) return bytes.size();
    int error = Z_OK;
    const char* message = gzerror(file_.get(), &error);
    if (error == Z_ERRNO) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path_));
    }
    if (error == Z_BUF_ERROR) {
      return Invalid("expected all of a gzip file, found its start only");
    }
    if (count < 0) return Invalid(absl::StrCat("broken gzip: ", message));
    return static_cast<size_t>(count);
  }

  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };

  std::string path_;
  std::unique_ptr<std::remove_pointer_t<gzFile>, Close> file_;
  size_t position_ = 0;  // How many unpacked bytes were read.
};

absl::Status ReadMagic(GzipFile& file, size_t num_dimensions) {
  std::vector<uint8_t> magic(kMagicLength);
  LADDER_RETURN_IF_ERROR(file.Read(magic));
  const std::vector<uint8_t> expected = {0, 0, kUnsignedBytes,
                                         static_cast<uint8_t>(num_dimensions)};
  if (magic == expected) return absl::OkStatus();
  return file.Invalid(absl::StrCat("expected an IDX file of bytes in ",
                                   num_dimensions,
                                   " dimensions, which begins with ",
                                   Hex(expected), ", found ", Hex(magic)));
}

absl::StatusOr<std::vector<size_t>> ReadShape(GzipFile& file,
                                              size_t num_dimensions) {
  std::vector<size_t> shape(num_dimensions);
  for (size_t& dimension : shape) {
    uint8_t big_endian[4] = {};
    LADDER_RETURN_IF_ERROR(file.Read(big_endian));
    for (const uint8_t byte : big_endian) dimension = dimension << 8 | byte;
  }
  return shape;
}

// Entry i is the place in kGarmentClasses of Fashion-MNIST's label i.
constexpr std::array<uint8_t, kGarmentClasses.size()> kClassOfLabel = {
    1,   // T-shirt/top
    6,   // Trouser
    2,   // Pullover
    4,   // Dress
    3,   // Coat
    8,   // Sandal
    0,   // Shirt
    9,   // Sneaker
    5,   // Bag
    7};  // Ankle boot

absl::StatusOr<IdxArray> ReadPart(const std::filesystem::path& path,
                                  size_t num_dimensions) {
  absl::StatusOr<IdxArray> array = ReadIdx(path, num_dimensions);
  if (!absl::IsNotFound(array.status())) return array;
  return absl::NotFoundError(absl::StrCat(
      array.status().message(),
      "; install the package dataset-fashion-mnist or pass its folder"));
}

absl::Status AppendPictures(const std::filesystem::path& path,
                            Garments& garments) {
  LADDER_ASSIGN_OR_RETURN(const IdxArray array,
                          ReadPart(path, /*num_dimensions=*/3));
  if (array.shape[1] != kGarmentSide || array.shape[2] != kGarmentSide) {
    return absl::InvalidArgumentError(
        absl::StrCat(path.string(), ": expected pictures of ", kGarmentSide,
                     " x ", kGarmentSide, ", found an array of ",
                     absl::StrJoin(array.shape, " x ")));
  }
  garments.pixels.insert(garments.pixels.end(), array.values.begin(),
                         array.values.end());
  return absl::OkStatus();
}

absl::Status AppendLabels(const std::filesystem::path& path,
                          Garments& garments) {
  LADDER_ASSIGN_OR_RETURN(const IdxArray array,
                          ReadPart(path, /*num_dimensions=*/1));
  for (const uint8_t label : array.values) {
    if (label >= kClassOfLabel.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path.string(), ": expected labels from 0 to ",
                       kClassOfLabel.size() - 1, ", found ", label));
    }
    garments.labels.push_back(kClassOfLabel[label]);
  }
  const size_t num_pictures = garments.pixels.size() / kGarmentPixels;
  if (garments.labels.size() == num_pictures) return absl::OkStatus();
  const size_t num_before = garments.labels.size() - array.values.size();
  return absl::InvalidArgumentError(
      absl::StrCat(path.string(), ": expected ", num_pictures - num_before,
                   " labels, one a picture, found ", array.values.size()));
}

}  // namespace

absl::StatusOr<IdxArray> ReadIdx(const std::filesystem::path& path,
                                 size_t num_dimensions) {
  LADDER_ASSIGN_OR_RETURN(GzipFile file, GzipFile::Open(path));
  LADDER_RETURN_IF_ERROR(ReadMagic(file, num_dimensions));
  LADDER_ASSIGN_OR_RETURN(std::vector<size_t> shape,
                          ReadShape(file, num_dimensions));

  size_t size = 1;
  for (const size_t dimension : shape) {
    // A 32-bit number times one that is at most kMaxBytes does not overflow.
    size *= dimension;
    if (size <= kMaxBytes) continue;
    return file.Invalid(absl::StrCat("expected at most ", kMaxBytes,
                                     " bytes, found an array of ",
                                     absl::StrJoin(shape, " x ")));
  }
  IdxArray array = {.shape = std::move(shape),
                    .values = std::vector<uint8_t>(size)};
  LADDER_RETURN_IF_ERROR(file.Read(array.values));
  LADDER_RETURN_IF_ERROR(file.ExpectEnd());
  return array;
}

absl::StatusOr<Garments> ReadGarments(const std::filesystem::path& folder) {
  Garments garments;
  for (const std::string part : {"train", "t10k"}) {
    LADDER_RETURN_IF_ERROR(
        AppendPictures(folder / (part + "-images-idx3-ubyte.gz"), garments));
    LADDER_RETURN_IF_ERROR(
        AppendLabels(folder / (part + "-labels-idx1-ubyte.gz"), garments));
  }
  return garments;
}

}  // namespace ladder::experiments
