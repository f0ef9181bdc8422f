"""Bundles of every format version are still served, with the answers they gave when they were written.

Usage: keeps_old_bundles_test.py SERVE_GROUP BUNDLES [--write], where BUNDLES holds v1, v2, ..., each with a bundle, a
request and the answer. --write makes requests and answers that are missing, for a new format version.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from safetensors.numpy import load_file, save_file

serve_group = ""
bundles = pathlib.Path()


def answer(version, router, path):
    (bundle,) = version.glob("tiny/*")
    subprocess.run([serve_group, bundle, router, version / "request.safetensors", path], check=True)


class KeepsOldBundlesTest(unittest.TestCase):
    def test_every_version_is_served(self):
        versions = sorted(bundles.glob("v*"))
        self.assertTrue(versions)
        for version in versions:
            for router in ("native", "graph"):
                with self.subTest(version=version.name, router=router), tempfile.NamedTemporaryFile() as file:
                    answer(version, router, file.name)
                    found = load_file(file.name)
                    expected = load_file(version / "answer.safetensors")
                    self.assertEqual(expected.keys(), found.keys())
                    for name in expected:
                        np.testing.assert_allclose(found[name], expected[name], rtol=1e-5, atol=1e-5)


def write_missing():
    for version in sorted(bundles.glob("v*")):
        if not (version / "answer.safetensors").exists():
            x = np.random.default_rng(3).normal(size=(20, 6)).astype(np.float32)
            save_file({"x": x}, version / "request.safetensors")
            answer(version, "native", version / "answer.safetensors")


if __name__ == "__main__":
    serve_group, bundles = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
    if sys.argv[1:] == ["--write"]:
        write_missing()
    else:
        unittest.main()
