"""A bundle written by the outside authors' packages is served, and its answers equal a numpy reference.

Usage: serves_outside_bundle_test.py SERVE_GROUP, the program that answers one group with a bundle.
"""

import subprocess
import sys
import tempfile
import unittest

import numpy as np
from safetensors.numpy import load_file, save_file

from world import K, World

serve_group = ""


class ServesOutsideBundleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World()
        cls.expected = cls.world.expected()
        cls.store = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.store.cleanup)
        cls.bundle = cls.world.write_bundle(cls.store.name)

    def answer(self, router):
        request, answer = f"{self.store.name}/request.safetensors", f"{self.store.name}/answer.safetensors"
        save_file({"x": self.world.target}, request)
        subprocess.run([serve_group, self.bundle, router, request, answer], check=True)
        return load_file(answer)

    def check(self, answer):
        self.assertEqual(K, np.count_nonzero(answer["weights"]))
        for name, expected in self.expected.items():
            with self.subTest(name):
                np.testing.assert_allclose(answer[name], expected, rtol=1e-5, atol=1e-5)

    def test_native_router_equals_the_reference(self):
        self.check(self.answer("native"))

    def test_graph_router_equals_the_reference(self):
        self.check(self.answer("graph"))


if __name__ == "__main__":
    serve_group = sys.argv.pop(1)
    unittest.main()
