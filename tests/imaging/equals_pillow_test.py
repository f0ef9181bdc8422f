"""The same files give the same pixels as with Pillow: bit for bit, decoding as well as resizing, on every
instruction set that the machine has.

Usage: equals_pillow_test.py WRITE_PPM WRITE_TEST_IMAGES, the programs that decode and resize one file, and that write
files of kinds that Pillow reads but cannot write.
"""

import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from PIL import Image, ImageOps

write_ppm = write_test_images = ""


def photograph(width, height, seed=1):
    """Smooth patches with noise."""
    random = np.random.default_rng(seed)
    patches = random.integers(0, 256, (height // 9 + 2, width // 9 + 2, 3), dtype=np.uint8)
    smooth = np.asarray(Image.fromarray(patches).resize((width, height), Image.Resampling.BICUBIC), dtype=int)
    return Image.fromarray((smooth + random.integers(-12, 13, smooth.shape)).clip(0, 255).astype(np.uint8))


def encode(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


class EqualsPillowTest(unittest.TestCase):
    def ours(self, file, *size):
        with tempfile.NamedTemporaryFile() as on_disk:
            on_disk.write(file)
            on_disk.flush()
            done = subprocess.run([write_ppm, on_disk.name, *map(str, size)], capture_output=True, check=True)
        return np.asarray(Image.open(io.BytesIO(done.stdout)), dtype=int)

    def check(self, file, *size):
        expected = ImageOps.exif_transpose(Image.open(io.BytesIO(file))).convert("RGB")
        if size:
            expected = expected.resize(size, Image.Resampling.BILINEAR)
        np.testing.assert_array_equal(self.ours(file, *size), np.asarray(expected, dtype=int))

    def test_resizing(self):
        sizes = [(1024, 768), (640, 480), (333, 217), (64, 64), (5, 300), (1, 1)]
        for width, height in sizes:
            file = encode(photograph(width, height), "PNG")
            for size in [(448, 448), (224, 224), (64, 64), (100, 37), (1, 1), (3, 500)]:
                with self.subTest(source=(width, height), size=size):
                    self.check(file, *size)

    def test_jpeg(self):
        for subsampling in ["4:4:4", "4:2:2", "4:2:0"]:
            for options in [{}, {"progressive": True}, {"quality": 30}, {"quality": 98}, {"optimize": True}]:
                for size in [(211, 157), (256, 256), (17, 9)]:
                    with self.subTest(subsampling=subsampling, size=size, **options):
                        self.check(encode(photograph(*size), "JPEG", subsampling=subsampling, **options))

    def test_other_jpeg_colours(self):
        image = photograph(120, 90)
        for mode in ["L", "CMYK"]:
            with self.subTest(mode):
                self.check(encode(image.convert(mode), "JPEG"))
        self.check(encode(image, "JPEG", keep_rgb=True))

    def test_png_colours(self):
        image = photograph(61, 47)
        alpha = Image.fromarray(np.random.default_rng(2).integers(0, 256, (47, 61), dtype=np.uint8))
        clear = image.copy()
        clear.putalpha(alpha)
        grey = image.convert("LA")
        grey.putalpha(alpha)
        cases = {
            "1": image.convert("1"),
            "L": image.convert("L"),
            "LA": grey,
            "RGBA": clear,
            "P": image.quantize(200),
            "P of 4 bits": image.quantize(16),
            "P of 2 bits": image.quantize(3),
        }
        for name, picture in cases.items():
            with self.subTest(name):
                self.check(encode(picture, "PNG"))
        with self.subTest("P with transparency"):
            self.check(encode(image.quantize(9), "PNG", transparency=3))

    def test_what_pillow_cannot_write(self):
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run([write_test_images, directory], check=True)
            files = sorted(pathlib.Path(directory).iterdir())
            self.assertGreater(len(files), 10)
            for file in files:
                with self.subTest(file.name):
                    self.check(file.read_bytes())

    def test_orientations(self):
        for orientation in range(1, 9):
            exif = Image.Exif()
            exif[0x0112] = orientation
            for kind in ["JPEG", "PNG"]:
                file = encode(photograph(97, 61), kind, exif=exif)
                with self.subTest(kind, orientation=orientation):
                    self.check(file)
                    self.check(file, 40, 50)


if __name__ == "__main__":
    write_ppm, write_test_images = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
