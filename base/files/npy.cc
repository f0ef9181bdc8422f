#include "base/files/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/files/fault.h"
#include "base/status_macros.h"
#include "base/text/text.h"

static_assert(std::endian::native == std::endian::little,
              "lengths and numbers are read from files as they are");

namespace ladder::base {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicLength = 6;
constexpr size_t kVersion1Prefix = 10;  // Magic, version, 16-bit length.
constexpr size_t kLaterPrefix = 12;     // Magic, version, 32-bit length.
constexpr size_t kMaxHeaderLength = size_t{1} << 20;
constexpr size_t kMaxDimensions = 64;  // NumPy takes no more.

absl::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

absl::Status HeaderError(absl::string_view expected, absl::string_view found) {
  return absl::InvalidArgumentError(absl::StrCat(
      "header: expected ", expected, ", found ", Quoted(found, 40)));
}

// The header's text, a Python dictionary of three entries in any order:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  explicit HeaderParser(absl::string_view text) : rest_(text) {}

  absl::StatusOr<NpyHeader> Parse() {
    if (!Take("{")) return HeaderError("{", rest_);
    while (!Take("}")) {
      LADDER_RETURN_IF_ERROR(ParseEntry());
      if (!Take(",") && !absl::StartsWith(rest_, "}")) {
        return HeaderError(", or }", rest_);
      }
      SkipSpace();
    }
    SkipSpace();
    if (!rest_.empty()) return HeaderError("its end", rest_);
    for (size_t i = 0; i < std::size(kKeys); ++i) {
      if (!seen_[i]) return HeaderError(absl::StrCat("'", kKeys[i], "'"), "");
    }
    return std::move(header_);
  }

 private:
  static constexpr absl::string_view kKeys[] = {"descr", "fortran_order",
                                                "shape"};

  absl::Status ParseEntry() {
    LADDER_ASSIGN_OR_RETURN(const absl::string_view key, ParseString());
    const auto place = std::find(std::begin(kKeys), std::end(kKeys), key);
    if (place == std::end(kKeys)) return HeaderError("a known key", key);
    bool& seen = seen_[static_cast<size_t>(place - std::begin(kKeys))];
    if (std::exchange(seen, true)) return HeaderError("a key once", key);
    if (!Take(":")) return HeaderError(":", rest_);
    if (key == "descr") return ParseType();
    if (key == "shape") return ParseShape();
    if (Take("False")) return absl::OkStatus();
    return HeaderError("C order, that is fortran_order False", rest_);
  }

  absl::Status ParseType() {
    SkipSpace();
    if (absl::StartsWith(rest_, "[")) {
      return HeaderError("a plain type", rest_);
    }
    LADDER_ASSIGN_OR_RETURN(const absl::string_view type, ParseString());
    if (type != "<f4" && type != "<f8") {
      return HeaderError("float32 ('<f4') or float64 ('<f8')", type);
    }
    header_.type = type == "<f4" ? NpyType::kFloat32 : NpyType::kFloat64;
    return absl::OkStatus();
  }

  absl::Status ParseShape() {
    if (!Take("(")) return HeaderError("(", rest_);
    while (!Take(")")) {
      const size_t digits =
          std::min(rest_.find_first_not_of("0123456789"), rest_.size());
      int64_t dimension = 0;
      if (!absl::SimpleAtoi(rest_.substr(0, digits), &dimension) ||
          header_.shape.size() == kMaxDimensions) {
        return HeaderError("a dimension of the shape", rest_);
      }
      header_.shape.push_back(dimension);
      rest_.remove_prefix(digits);
      if (!Take(",") && !absl::StartsWith(rest_, ")")) {
        return HeaderError(", or )", rest_);
      }
      SkipSpace();
    }
    return CheckSize();
  }

  // Products must not overflow, whatever the order of the dimensions.
  absl::Status CheckSize() const {
    int64_t size = sizeof(double);
    for (const int64_t dimension : header_.shape) {
      if (dimension == 0) continue;
      if (size > std::numeric_limits<int64_t>::max() / dimension) {
        return HeaderError("a size that fits 63 bits",
                           absl::StrJoin(header_.shape, " x "));
      }
      size *= dimension;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<absl::string_view> ParseString() {
    SkipSpace();
    const absl::string_view quote = rest_.substr(0, 1);
    if (quote != "'" && quote != "\"") return HeaderError("a string", rest_);
    const size_t end = rest_.find(quote, 1);
    if (end == absl::string_view::npos) return HeaderError("a string", rest_);
    const absl::string_view content = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return content;
  }

  // Skips spaces, then `token` if it comes next, then spaces.
  bool Take(absl::string_view token) {
    SkipSpace();
    if (!absl::StartsWith(rest_, token)) return false;
    rest_.remove_prefix(token.size());
    SkipSpace();
    return true;
  }

  void SkipSpace() {
    rest_.remove_prefix(
        std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  absl::string_view rest_;
  NpyHeader header_;
  std::array<bool, std::size(kKeys)> seen_ = {};
};

size_t PrefixLength(std::span<const std::byte> start) {
  return start[kMagicLength] == std::byte{1} ? kVersion1Prefix : kLaterPrefix;
}

// The length of the header that begins with `start`, of which 12 bytes are
// enough. InvalidArgument if it is no .npy file of version 1, 2 or 3, or too
// long to be one.
absl::StatusOr<size_t> NpyHeaderLength(std::span<const std::byte> start) {
  const absl::string_view text = AsText(start);
  if (!absl::StartsWith(text, kMagic) || text.size() < kVersion1Prefix) {
    return HeaderError("a .npy file, which begins with \\x93NUMPY",
                       text.substr(0, kMagicLength));
  }
  const auto major = static_cast<int>(start[kMagicLength]);
  if (major < 1 || major > 3 || start[kMagicLength + 1] != std::byte{0}) {
    return HeaderError(
        "version 1.0, 2.0 or 3.0",
        absl::StrCat(major, ".", static_cast<int>(start[kMagicLength + 1])));
  }
  const size_t prefix = PrefixLength(start);
  if (start.size() < prefix) return HeaderError("its length", text);
  uint32_t length = 0;
  std::memcpy(&length, start.data() + kMagicLength + 2,
              prefix - kMagicLength - 2);
  if (length > kMaxHeaderLength) {
    return HeaderError(absl::StrCat("at most ", kMaxHeaderLength, " bytes"),
                       absl::StrCat(length));
  }
  return prefix + length;
}

}  // namespace

int64_t NpyHeader::num_elements() const {
  int64_t product = 1;
  for (const int64_t dimension : shape) product *= dimension;
  return product;
}

int64_t NpyHeader::num_bytes() const {
  return num_elements() * (type == NpyType::kFloat32 ? 4 : 8);
}

absl::StatusOr<NpyHeader> ParseNpyHeader(std::span<const std::byte> header) {
  LADDER_ASSIGN_OR_RETURN(const size_t length, NpyHeaderLength(header));
  if (length > header.size()) {
    return HeaderError(absl::StrCat(length, " bytes"),
                       absl::StrCat(header.size()));
  }
  const size_t prefix = PrefixLength(header);
  LADDER_ASSIGN_OR_RETURN(
      NpyHeader parsed,
      HeaderParser(AsText(header.subspan(prefix, length - prefix))).Parse());
  parsed.length = length;
  return parsed;
}

absl::StatusOr<NpyFile> NpyFile::Open(const std::filesystem::path& path) {
  LADDER_ASSIGN_OR_RETURN(RandomAccessFile file, RandomAccessFile::Open(path));
  std::vector<std::byte> bytes(kLaterPrefix);
  LADDER_ASSIGN_OR_RETURN(const size_t count,
                          file.ReadSome(/*offset=*/0, bytes));
  const absl::StatusOr<size_t> length =
      NpyHeaderLength(std::span(bytes).first(count));
  if (!length.ok()) return AtPlace(file.path(), length.status());
  bytes.resize(*length);
  LADDER_RETURN_IF_ERROR(file.ReadAll(/*offset=*/0, bytes));
  absl::StatusOr<NpyHeader> header = ParseNpyHeader(bytes);
  if (!header.ok()) return AtPlace(file.path(), header.status());

  if (header->shape.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        file.path(), ": expected an array of rows, found a single number"));
  }
  const int64_t data_bytes = file.size() - static_cast<int64_t>(*length);
  if (data_bytes != header->num_bytes()) {
    return absl::InvalidArgumentError(absl::StrCat(
        file.path(), ": expected ", header->num_bytes(),
        " bytes behind the header for an array of ",
        absl::StrJoin(header->shape, " x "), ", found ", data_bytes));
  }
  return NpyFile(std::move(file), *std::move(header));
}

NpyFile::NpyFile(RandomAccessFile file, NpyHeader header)
    : file_(std::move(file)), header_(std::move(header)), row_size_(1) {
  for (size_t i = 1; i < header_.shape.size(); ++i) {
    row_size_ *= static_cast<size_t>(header_.shape[i]);
  }
}

absl::Status NpyFile::ReadRow(int64_t row, std::span<float> x) const {
  const auto start = static_cast<int64_t>(header_.length);
  const int64_t first = row * static_cast<int64_t>(row_size_);
  if (header_.type == NpyType::kFloat32) {
    return file_.ReadAll(start + first * int64_t{sizeof(float)},
                         std::as_writable_bytes(x));
  }
  std::vector<double> doubles(row_size_);
  LADDER_RETURN_IF_ERROR(
      file_.ReadAll(start + first * int64_t{sizeof(double)},
                    std::as_writable_bytes(std::span(doubles))));
  std::transform(doubles.begin(), doubles.end(), x.begin(),
                 [](double value) { return static_cast<float>(value); });
  return absl::OkStatus();
}

}  // namespace ladder::base
