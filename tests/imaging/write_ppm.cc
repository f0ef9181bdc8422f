// Decodes a JPEG or PNG file, resizes it, and writes it to standard output as a
// PPM file, whose pixels are plain bytes. Fails if an instruction set of this
// machine gives other pixels than the best one.
//
// Usage: write_ppm FILE [WIDTH HEIGHT]

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "imaging/decoder.h"
#include "imaging/resizer.h"
#include "tests/simd_targets.h"

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
  std::string pixels;
  for (const int64_t target : ladder::CompiledTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    ladder::imaging::Resizer resizer;
    result = *image;
    if (argc == 4) {
      result = resizer.Resize(result, std::atoi(argv[2]), std::atoi(argv[3]));
    }
    const std::string again(reinterpret_cast<const char*>(result.pixels),
                            result.num_bytes());
    if (pixels.empty()) pixels = again;
    if (again != pixels) {
      std::cerr << hwy::TargetName(target) << ": other pixels\n";
      return 1;
    }
  }
  std::cout << "P6\n" << result.width << " " << result.height << "\n255\n";
  std::cout << pixels;
  return 0;
}
