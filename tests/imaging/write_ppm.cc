// Decodes a JPEG or PNG file, resizes it, and writes it to standard output as a
// PPM file, whose pixels are plain bytes.
//
// Usage: write_ppm FILE [WIDTH HEIGHT]

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "imaging/decoder.h"
#include "imaging/resizer.h"

int main(int argc, char** argv) {
  if (argc != 2 && argc != 4) {
    std::cerr << "usage: write_ppm FILE [WIDTH HEIGHT]\n";
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::string file(std::istreambuf_iterator<char>(in), {});
  ladder::imaging::Decoder decoder;
  const auto image = decoder.Decode(std::as_bytes(std::span(file)));
  if (!image.ok()) {
    std::cerr << image.status().message() << "\n";
    return 1;
  }
  ladder::imaging::ImageView result = *image;
  ladder::imaging::Resizer resizer;
  if (argc == 4) {
    result = resizer.Resize(result, std::atoi(argv[2]), std::atoi(argv[3]));
  }
  std::cout << "P6\n" << result.width << " " << result.height << "\n255\n";
  std::cout.write(reinterpret_cast<const char*>(result.pixels),
                  static_cast<std::streamsize>(result.num_bytes()));
  return 0;
}
