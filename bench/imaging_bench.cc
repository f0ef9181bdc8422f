// Measures what a picture costs on its way to a network, beside what it costs
// to decode it with bare libjpeg or libpng: the ratio says how much checking,
// resizing and normalising add.

#include <cstddef>
#include <cstdint>
#include <cstdio>  // jpeglib.h needs it.
#include <random>
#include <span>
#include <vector>

#include "benchmark/benchmark.h"
#include "imaging/decoder.h"
#include "imaging/jpeg.h"
#include "imaging/normalizer.h"
#include "imaging/preprocessor.h"
#include "imaging/resizer.h"
#include "jpeglib.h"
#include "png.h"

namespace ladder::bench {
namespace {

using imaging::Image;
using imaging::ImageView;
using imaging::Normalizer;
using imaging::Preprocessor;
using imaging::Resizer;

// A picture as smooth and as noisy as a photograph: its JPEG at quality 85 has
// about two bits per pixel.
Image Photograph(int width, int height) {
  std::mt19937 random(7);
  constexpr int kPatch = 16;
  Image patches;
  patches.Reset(width / kPatch + 1, height / kPatch + 1);
  for (size_t i = 0; i < patches.View().num_bytes(); ++i) {
    patches.Row(0)[i] = static_cast<uint8_t>(16 + random() % 224);
  }
  Resizer resizer;
  const ImageView smooth = resizer.Resize(patches.View(), width, height);
  Image image;
  image.Reset(width, height);
  for (size_t i = 0; i < smooth.num_bytes(); ++i) {
    image.Row(0)[i] = static_cast<uint8_t>(smooth.pixels[i] + random() % 8);
  }
  return image;
}

std::vector<std::byte> PhotographJpeg(int width, int height) {
  return imaging::EncodeJpeg(Photograph(width, height).View(), /*quality=*/85)
      .value();
}

std::vector<std::byte> PhotographPng(int width, int height) {
  const Image image = Photograph(width, height);
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(width);
  png.height = static_cast<png_uint_32>(height);
  png.format = PNG_FORMAT_RGB;
  std::vector<std::byte> file(PNG_IMAGE_PNG_SIZE_MAX(png));
  size_t size = file.size();
  png_image_write_to_memory(&png, file.data(), &size, /*convert_to_8_bit=*/0,
                            image.View().pixels, /*row_stride=*/0,
                            /*colormap=*/nullptr);
  file.resize(size);
  return file;
}

// Encoded bytes and pictures per second.
void SetRates(benchmark::State& state, std::span<const std::byte> file) {
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(file.size()));
  state.SetItemsProcessed(state.iterations());
}

void BareJpeg(benchmark::State& state, int width, int height) {
  const std::vector<std::byte> file = PhotographJpeg(width, height);
  std::vector<uint8_t> pixels;
  for (auto _ : state) {
    jpeg_decompress_struct codec;
    jpeg_error_mgr error;
    codec.err = jpeg_std_error(&error);
    jpeg_create_decompress(&codec);
    jpeg_mem_src(&codec, reinterpret_cast<const unsigned char*>(file.data()),
                 file.size());
    jpeg_read_header(&codec, TRUE);
    jpeg_start_decompress(&codec);
    const size_t row_bytes = size_t{3} * codec.output_width;
    pixels.resize(row_bytes * codec.output_height);
    while (codec.output_scanline < codec.output_height) {
      uint8_t* row = pixels.data() + row_bytes * codec.output_scanline;
      jpeg_read_scanlines(&codec, &row, 1);
    }
    jpeg_finish_decompress(&codec);
    jpeg_destroy_decompress(&codec);
    benchmark::ClobberMemory();
  }
  SetRates(state, file);
}

void BarePng(benchmark::State& state, int width, int height) {
  const std::vector<std::byte> file = PhotographPng(width, height);
  std::vector<uint8_t> pixels;
  for (auto _ : state) {
    png_image png = {};
    png.version = PNG_IMAGE_VERSION;
    png_image_begin_read_from_memory(&png, file.data(), file.size());
    png.format = PNG_FORMAT_RGB;
    pixels.resize(PNG_IMAGE_SIZE(png));
    png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr);
    benchmark::ClobberMemory();
  }
  SetRates(state, file);
}

void Preprocess(benchmark::State& state,
                std::vector<std::byte> (*photograph)(int, int), int width,
                int height, int size) {
  const std::vector<std::byte> file = photograph(width, height);
  const Preprocessor preprocessor =
      Preprocessor::Create({.height = size, .width = size}).value();
  std::vector<float> out(preprocessor.output_size());
  for (auto _ : state) {
    const absl::Status status = preprocessor.Run(file, out);
    if (!status.ok()) state.SkipWithError(status.ToString().c_str());
    benchmark::ClobberMemory();
  }
  SetRates(state, file);
}

BENCHMARK_CAPTURE(BareJpeg, Large, 1024, 768)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Preprocess, LargeJpegTo448, PhotographJpeg, 1024, 768, 448)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Preprocess, LargeJpegTo224, PhotographJpeg, 1024, 768, 224)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BareJpeg, Small, 64, 64)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Preprocess, SmallJpegTo64, PhotographJpeg, 64, 64, 64)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BarePng, Small, 224, 224)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Preprocess, PngTo224, PhotographPng, 224, 224, 224)
    ->Unit(benchmark::kMicrosecond);

// The parts on their own.
void BM_ResizeTo448(benchmark::State& state) {
  const Image image = Photograph(1024, 768);
  Resizer resizer;
  for (auto _ : state) {
    benchmark::DoNotOptimize(resizer.Resize(image.View(), 448, 448).pixels);
  }
}
BENCHMARK(BM_ResizeTo448)->Unit(benchmark::kMicrosecond);

void BM_Normalize448(benchmark::State& state) {
  const Image image = Photograph(448, 448);
  const Normalizer normalizer({});
  std::vector<float> planes(image.View().num_bytes());
  for (auto _ : state) {
    normalizer.Apply(image.View(), planes);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_Normalize448)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ladder::bench
