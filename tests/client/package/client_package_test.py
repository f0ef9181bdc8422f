"""The installed C++ package, and the example that is built against it.

Started with the paths that running_server asks for, then with those of cmake, the compiler, the project's build folder
and the example.
"""

import pathlib
import random
import subprocess
import sys
import unittest

import running_server

CMAKE, COMPILER, BUILD, EXAMPLE = sys.argv[5:9]
del sys.argv[5:9]


def samples(count, shift=0.0):
    """Lines of numbers, near the first sources of the tiny model unless they are shifted."""
    numbers = random.Random(1)
    return "\n".join(" ".join(str(0.3 * numbers.gauss(0, 1) - 0.5 + shift) for _ in range(6)) for _ in range(count))


class ClientPackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.prefix = running_server.temporary_folder(cls)
        build = running_server.temporary_folder(cls)
        cls.run_cmake("--install", BUILD, "--prefix", cls.prefix, "--component", "client")
        cls.run_cmake("-S", EXAMPLE, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={COMPILER}",
                      f"-DCMAKE_PREFIX_PATH={cls.prefix}")
        cls.run_cmake("--build", build)
        cls.program = build / "predict_group"
        cls.server = running_server.RunningServer(cls, running_server.store_with(cls, "tensor"))

    @classmethod
    def run_cmake(cls, *arguments):
        done = subprocess.run([CMAKE, *map(str, arguments)], capture_output=True, text=True,
                              timeout=running_server.LIMIT_SECONDS)
        if done.returncode != 0:
            raise AssertionError(f"cmake {arguments}: {done.stdout[-5000:]}{done.stderr[-5000:]}")

    def predict(self, lines, model="tensor"):
        return subprocess.run([self.program, self.server.address, model], input=lines, capture_output=True, text=True,
                              timeout=running_server.LIMIT_SECONDS)

    def test_headers_protocol_and_package_are_installed(self):
        installed = {path.relative_to(self.prefix).as_posix() for path in self.prefix.rglob("*") if path.is_file()}
        for file in ("include/ladder/client/client.h", "include/ladder/client/predict_group.h",
                     "include/ladder/v1/domain_routing.pb.h", "share/ladder/proto/ladder/v1/domain_routing.proto"):
            self.assertIn(file, installed)
        self.assertFalse({file for file in installed if "health" in file and file.endswith(".h")})

    def test_nothing_that_is_installed_names_the_folders_it_was_built_in(self):
        source = pathlib.Path(EXAMPLE).parents[2]
        for file in [*self.prefix.rglob("*.cmake"), *self.prefix.rglob("*.h")]:
            text = file.read_text()
            self.assertNotIn(str(source), text, file)
            self.assertNotIn(str(BUILD), text, file)

    def test_the_example_prints_weights_and_a_class_for_each_sample(self):
        done = self.predict(samples(20))
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        classes = [line for line in lines if line.startswith("class ")]
        weights = [float(line.rsplit(": ", 1)[1]) for line in lines if ": " in line]
        self.assertEqual(len(classes), 20)
        self.assertEqual(len(weights), 3)
        self.assertAlmostEqual(sum(weights), 1, places=4)

    def test_the_example_cancels_a_group_that_is_out_of_coverage(self):
        done = self.predict(samples(20, shift=20.0))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("CANCELLED", done.stderr)

    def test_the_example_says_what_the_server_had_against_it(self):
        done = self.predict(samples(3), model="unknown")
        self.assertEqual(done.returncode, 1)
        self.assertIn("NOT_FOUND", done.stderr)
        self.assertIn("unknown", done.stderr)

    def test_the_example_says_what_is_wrong_with_its_input(self):
        done = self.predict(samples(3) + "\nno number\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("INVALID_ARGUMENT: shape", done.stderr)


if __name__ == "__main__":
    running_server.main()
