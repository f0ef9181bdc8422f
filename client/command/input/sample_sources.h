#ifndef LADDER_CLIENT_COMMAND_INPUT_SAMPLE_SOURCES_H_
#define LADDER_CLIENT_COMMAND_INPUT_SAMPLE_SOURCES_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/files/csv.h"
#include "base/files/npy.h"
#include "base/files/random_access_file.h"
#include "base/system/mutex.h"

namespace ladder::client {

// Samples by number, each read from disk when it is asked for. Immutable and
// thread-safe.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  // The shape of one sample of numbers; empty if samples are pictures.
  virtual const std::vector<int64_t>& shape() const = 0;

  // The caller's name for it; valid UTF-8.
  virtual std::string Id(size_t sample) const = 0;

  // Makes `bytes` the picture's file, or the numbers as little-endian float32.
  // A fault (base/files/fault.h), naming file or line, if the sample is broken.
  virtual absl::Status Read(size_t sample, std::string& bytes) const = 0;
};

// What to do about samples that cannot be read, and which were left out.
// Thread-safe.
class SkippedSamples {
 public:
  explicit SkippedSamples(bool skip_unreadable)
      : skip_unreadable_(skip_unreadable) {}

  // Ok if the error is a fault of one sample (base/files/fault.h) that is to be
  // left out, and is now listed; else the error, with advice. The same fault
  // is listed once, however often it is met.
  absl::Status Take(const absl::Status& error);

  // One message for each, sorted.
  std::vector<std::string> List() const;

 private:
  const bool skip_unreadable_;
  mutable base::Mutex mutex_;
  std::set<std::string> messages_ ABSL_GUARDED_BY(mutex_);
};

// Many short strings in one piece of memory.
class StringList {
 public:
  void Add(absl::string_view text) {
    text_.append(text.data(), text.size());
    ends_.push_back(text_.size());
  }

  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }

  // Valid until the next Add.
  absl::string_view operator[](size_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return absl::string_view(text_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string text_;
  std::vector<size_t> ends_;
};

// Pictures that lie in files of their own.
class PictureFiles : public SampleSource {
 public:
  // `list` is the CSV file that names them; empty if none does.
  PictureFiles(std::filesystem::path root, std::string list, size_t max_bytes)
      : root_(std::move(root)), list_(std::move(list)), max_bytes_(max_bytes) {}

  // While it is built. `path` is relative to the root, an empty `id` is the
  // path, and `line` is the list's.
  void Add(absl::string_view path, absl::string_view id, int64_t line);
  size_t size() const { return paths_.size(); }

  const std::vector<int64_t>& shape() const override { return shape_; }
  std::string Id(size_t sample) const override;
  absl::Status Read(size_t sample, std::string& bytes) const override;

 private:
  absl::Status ReadFile(const std::filesystem::path& path,
                        std::string& bytes) const;

  std::filesystem::path root_;
  std::string list_;
  size_t max_bytes_;
  StringList paths_;
  StringList ids_;
  std::vector<int64_t> lines_;
  std::vector<int64_t> shape_;
};

// A column that holds numbers.
struct FeatureColumn {
  size_t column = 0;
  std::string name = {};
};

// Samples that are rows of a CSV file, parsed each time they are read.
class CsvRows : public SampleSource {
 public:
  // There must be a column.
  CsvRows(base::RandomAccessFile file, std::vector<FeatureColumn> columns);

  // While it is built: adds the row at hand. An empty `id` is the row's number.
  void Add(const base::CsvTable& table, absl::string_view id);
  size_t size() const { return places_.size(); }

  const std::vector<int64_t>& shape() const override { return shape_; }
  std::string Id(size_t sample) const override;
  absl::Status Read(size_t sample, std::string& bytes) const override;

 private:
  struct Place {
    base::CsvPlace in_file = {};
    int64_t row = 0;
  };

  base::RandomAccessFile file_;
  std::vector<FeatureColumn> columns_;
  size_t num_fields_ = 0;  // A row needs at least so many.
  std::vector<Place> places_;
  StringList ids_;
  std::vector<int64_t> shape_;
};

// Samples that are rows of an array.
class ArrayRows : public SampleSource {
 public:
  explicit ArrayRows(base::NpyFile array);

  // While it is built. An empty `id` is the row's number.
  void Add(int64_t row, absl::string_view id);
  size_t size() const { return rows_.size(); }

  const std::vector<int64_t>& shape() const override { return shape_; }
  std::string Id(size_t sample) const override;
  absl::Status Read(size_t sample, std::string& bytes) const override;

 private:
  base::NpyFile array_;
  std::vector<int64_t> rows_;
  StringList ids_;
  std::vector<int64_t> shape_;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_INPUT_SAMPLE_SOURCES_H_
