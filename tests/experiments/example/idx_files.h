#ifndef LADDER_TESTS_EXPERIMENTS_EXAMPLE_IDX_FILES_H_
#define LADDER_TESTS_EXPERIMENTS_EXAMPLE_IDX_FILES_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// Files as Fashion-MNIST has them, made for tests by zlib itself.
namespace ladder::experiments {

// An IDX file's content: the header with this shape, then the values.
std::string Idx(const std::vector<uint32_t>& shape, const std::string& values);

void WriteFile(const std::filesystem::path& path, const std::string& content);
void WriteGzip(const std::filesystem::path& path, const std::string& content);
std::string ReadFile(const std::filesystem::path& path);

// Fashion-MNIST's four files with `per_class` pictures of each class, of which
// every seventh is a test picture. Picture i has label i % 10 and pixels of
// value i / 10 modulo 256.
void WriteFashion(const std::filesystem::path& folder, size_t per_class);

}  // namespace ladder::experiments

#endif  // LADDER_TESTS_EXPERIMENTS_EXAMPLE_IDX_FILES_H_
