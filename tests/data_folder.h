#ifndef LADDER_TESTS_DATA_FOLDER_H_
#define LADDER_TESTS_DATA_FOLDER_H_

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/imaging/test_images.h"
#include "tests/temporary_directory.h"

namespace ladder {

// A temporary folder for a test to fill with the files of a data set.
class DataFolder {
 public:
  const std::filesystem::path& path() const { return directory_.path(); }
  std::filesystem::path operator/(const std::string& name) const {
    return path() / name;
  }

  // Writes a file, with the folders it lies in, and returns its path.
  std::filesystem::path Write(const std::string& name,
                              const std::string& contents) const {
    const std::filesystem::path file = path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << contents;
    return file;
  }

  // Pictures that differ by `seed`; return what is in the file.
  imaging::Bytes WriteJpeg(const std::string& name, uint32_t seed) const {
    return WritePicture(
        name, imaging::WriteJpeg(imaging::JpegFile{},
                                 imaging::Photograph(20, 16, seed).View()));
  }
  imaging::Bytes WritePng(const std::string& name, uint32_t seed) const {
    return WritePicture(
        name, imaging::WritePng(imaging::PngFile{},
                                imaging::Photograph(20, 16, seed).View()));
  }

 private:
  imaging::Bytes WritePicture(const std::string& name,
                              imaging::Bytes bytes) const {
    Write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return bytes;
  }

  TemporaryDirectory directory_;
};

}  // namespace ladder

#endif  // LADDER_TESTS_DATA_FOLDER_H_
