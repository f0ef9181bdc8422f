"""Python's own packages open the files that LADDER writes.

Usage: python_opens_bundles_test.py WRITE_TINY_BUNDLE, the program that writes the bundle.
"""

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime
from safetensors.numpy import load_file

write_tiny_bundle = ""


class PythonOpensBundlesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        store = tempfile.TemporaryDirectory()
        cls.addClassCleanup(store.cleanup)
        written = subprocess.run([write_tiny_bundle, store.name], check=True, capture_output=True, text=True)
        cls.bundle = pathlib.Path(written.stdout.strip())
        cls.manifest = json.loads((cls.bundle / "manifest.json").read_text())
        cls.num_sources = len(cls.manifest["sources"])

    def test_manifest_lists_the_files_with_size_and_checksum(self):
        for name, record in self.manifest["files"].items():
            with self.subTest(name):
                content = (self.bundle / name).read_bytes()
                self.assertEqual(record["size"], len(content))
                self.assertEqual(record["sha256"], hashlib.sha256(content).hexdigest())

    def test_safetensors_opens_the_fingerprints(self):
        tensors = load_file(self.bundle / "fingerprints.safetensors")

        counts = [source["fingerprint_samples"] for source in self.manifest["sources"]]
        style = self.manifest["style_dimension"]
        self.assertEqual(counts, tensors["counts"].tolist())
        self.assertEqual((self.num_sources, max(counts), style), tensors["fingerprints"].shape)
        self.assertEqual(np.float32, tensors["fingerprints"].dtype)
        self.assertEqual((style,), tensors["style_mean"].shape)
        self.assertEqual((style,), tensors["style_std"].shape)
        self.assertEqual((self.num_sources, 5), tensors["self_terms"].shape)
        self.assertEqual(np.float64, tensors["self_terms"].dtype)

    def test_onnx_checks_every_graph(self):
        for name in ("encoder.onnx", "heads.onnx", "router.onnx"):
            with self.subTest(name):
                onnx.checker.check_model(onnx.load(self.bundle / name), full_check=True)

    def test_graphs_run_one_after_the_other(self):
        def run(name, **inputs):
            session = onnxruntime.InferenceSession(self.bundle / name)
            outputs = [output.name for output in session.get_outputs()]
            return dict(zip(outputs, session.run(outputs, inputs)))

        n = 9
        x = np.random.default_rng(1).normal(size=(n, *self.manifest["input"]["shape"])).astype(np.float32)
        encoding = run("encoder.onnx", x=x)
        distances = run("router.onnx", z_s=encoding["z_s"])["distances"]
        weights = np.full((1, self.num_sources), 1 / self.num_sources, np.float32)
        together = run("heads.onnx", z_c=encoding["z_c"], weights=weights)["logits"]
        one_by_one = run("heads.onnx", z_c=encoding["z_c"], weights=np.repeat(weights, n, axis=0))["logits"]

        self.assertEqual((n, self.num_sources), encoding["gate"].shape)
        self.assertEqual((self.num_sources,), distances.shape)
        self.assertTrue(np.all(np.isfinite(distances)))
        self.assertEqual((n, len(self.manifest["classes"])), together.shape)
        np.testing.assert_allclose(together, one_by_one, rtol=1e-5, atol=1e-5)


if __name__ == "__main__":
    write_tiny_bundle = sys.argv.pop(1)
    unittest.main()
