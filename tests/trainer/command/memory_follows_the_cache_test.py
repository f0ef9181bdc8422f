"""The memory of ladder-train is bounded by the batch and the cache, not by the data set.

Usage: memory_follows_the_cache_test.py LADDER_TRAIN, the program.
"""

import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

ladder_train = ""

SIDE = 32
SAMPLE_MIB = SIDE * SIDE * 3 * 4 / 2**20
FILES = 20
SOURCES = 4
FEW = 1_000  # Frames per source, about as many as a fingerprint keeps.
MANY = 4_000
ALL_PIXELS_MIB = SOURCES * (MANY - FEW) * SAMPLE_MIB  # What more frames take in memory.
# What they may add without a cache: their names, and one source's codes.
ALLOWED_MIB = 0.25 * ALL_PIXELS_MIB


def png(draws):
    """A picture of noise."""

    def chunk(name, contents):
        return struct.pack(">I", len(contents)) + name + contents + struct.pack(">I", zlib.crc32(name + contents))

    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + draws.randbytes(3 * SIDE) for _ in range(SIDE))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class MemoryFollowsTheCacheTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name)
        draws = random.Random(5)
        for number in range(FILES):
            (self.folder / f"{number}.png").write_bytes(png(draws))

    def peak_mib(self, frames, cache_gib):
        """The largest resident set of a short training on that many frames per source."""
        # The same few files over and over: to the trainer, samples are rows of the list.
        lines = ["path,label,domain,split"]
        for row in range(SOURCES * frames):
            lines.append(f"{row % FILES}.png,{row % 3},site-{row % SOURCES},train")
        (self.folder / "frames.csv").write_text("\n".join(lines) + "\n")
        command = [ladder_train, "fit", "--data", self.folder / "frames.csv", "--cache-gib", str(cache_gib)]
        command += ["--image-size", str(SIDE), "--backbone", "small-cnn", "--head-epochs", "1"]
        command += ["--epochs", "1", "--steps-per-epoch", "2", "--threads", "1"]
        command += ["--out", self.folder / "store" / "model", "--run", self.folder / f"run-{frames}-{cache_gib}"]
        with open(self.folder / "log", "w+") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            log.seek(0)
            self.assertEqual(process.returncode, 0, log.read())
        return usage.ru_maxrss / 1024

    def test_more_frames_take_memory_only_up_to_the_cache(self):
        few = self.peak_mib(FEW, cache_gib=0)
        self.assertLess(self.peak_mib(MANY, cache_gib=0) - few, ALLOWED_MIB)
        # The measurement would see them: a cache that has room holds them all.
        cached = self.peak_mib(MANY, cache_gib=1)
        self.assertGreater(cached - few, 0.75 * ALL_PIXELS_MIB)
        half = self.peak_mib(MANY, cache_gib=0.5 * ALL_PIXELS_MIB / 1024)
        self.assertLess(half - few, 0.5 * ALL_PIXELS_MIB + ALLOWED_MIB)


if __name__ == "__main__":
    ladder_train = sys.argv.pop(1)
    unittest.main()
