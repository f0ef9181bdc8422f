#include "tests/experiments/example/idx_files.h"

#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace ladder::experiments {
namespace {

struct Part {
  std::string pixels;
  std::string labels;

  void Write(const std::filesystem::path& folder,
             const std::string& name) const {
    const auto count = static_cast<uint32_t>(labels.size());
    WriteGzip(folder / (name + "-images-idx3-ubyte.gz"),
              Idx({count, 28, 28}, pixels));
    WriteGzip(folder / (name + "-labels-idx1-ubyte.gz"), Idx({count}, labels));
  }
};

}  // namespace

std::string Idx(const std::vector<uint32_t>& shape, const std::string& values) {
  std::string content = {0, 0, 8, static_cast<char>(shape.size())};
  for (const uint32_t dimension : shape) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      content.push_back(static_cast<char>(dimension >> shift & 0xff));
    }
  }
  return content + values;
}

void WriteFile(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

void WriteGzip(const std::filesystem::path& path, const std::string& content) {
  gzFile file = gzopen(path.c_str(), "wb1");
  const auto size = static_cast<unsigned>(content.size());
  if (gzwrite(file, content.data(), size) != static_cast<int>(size) ||
      gzclose(file) != Z_OK) {
    std::abort();
  }
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFashion(const std::filesystem::path& folder, size_t per_class) {
  Part train;
  Part test;
  for (size_t i = 0; i < 10 * per_class; ++i) {
    Part& part = i % 7 == 6 ? test : train;
    part.labels.push_back(static_cast<char>(i % 10));
    part.pixels.append(28 * 28, static_cast<char>(i / 10 % 256));
  }
  train.Write(folder, "train");
  test.Write(folder, "t10k");
}

}  // namespace ladder::experiments
