"""The package installs from the tree and from a source distribution, is typed, and is left installed for other tests.

Usage: python_package_test.py SOURCE_DIR INSTALLED
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
INSTALLED = pathlib.Path(sys.argv[2])
PROTO = "proto/ladder/v1/domain_routing.proto"
LIMIT_SECONDS = 300


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_SECONDS,
                          **more)
    if done.returncode:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def install(package, target):
    """Without the network: what it takes to build is here already."""
    shutil.rmtree(target, ignore_errors=True)
    run(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps",
        "--no-build-isolation", "--no-compile", "--target", target, package)


def files_of(target):
    return {str(file.relative_to(target)) for file in target.rglob("*") if file.is_file()}


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        # A copy is installed, because installing leaves files beside the sources.
        cls.tree = cls.folder / "tree"
        for file in ["CMakeLists.txt", PROTO]:
            (cls.tree / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / file, cls.tree / file)
        cls.package = cls.tree / "client" / "python"
        shutil.copytree(SOURCE / "client" / "python", cls.package, ignore=shutil.ignore_patterns(
            "build", "*.egg-info", "*_pb2.py*", "__pycache__"))
        install(cls.package, INSTALLED)

    def test_all_modules_types_and_messages_are_installed(self):
        files = files_of(INSTALLED)
        sources = self.package / "src"
        written = {str(file.relative_to(sources)) for file in sources.rglob("*.py")}
        self.assertGreater(len(written), 10)
        self.assertLessEqual(written, files)
        for name in ["ladder/client/py.typed", "ladder/v1/py.typed", "ladder/v1/domain_routing_pb2.py",
                     "ladder/v1/domain_routing_pb2.pyi"]:
            self.assertIn(name, files)
        # Other packages may put their own parts into the namespace.
        self.assertNotIn("ladder/__init__.py", files)

    def test_its_version_is_the_projects(self):
        metadata = next(INSTALLED.glob("ladder_client-*.dist-info/METADATA")).read_text()
        project = re.search(r"project\(ladder VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text())
        self.assertIn(f"\nVersion: {project[1]}\n", metadata)

    def test_a_source_distribution_installs_away_from_the_tree(self):
        run(sys.executable, "-c", "from setuptools import build_meta; build_meta.build_sdist('../../../dist')",
            cwd=self.package)
        (archive,) = (self.folder / "dist").glob("*.tar.gz")
        target = self.folder / "from-sdist"
        install(archive, target)
        changing = re.compile(r"\.dist-info/(RECORD|direct_url\.json)$")
        self.assertEqual({file for file in files_of(target) if not changing.search(file)},
                         {file for file in files_of(INSTALLED) if not changing.search(file)})

    def test_types_are_strict(self):
        for what in [("-p", "ladder.client"), (self.package / "examples" / "predict_folders.py",)]:
            with self.subTest(what):
                run(sys.executable, "-m", "mypy", "--config-file", self.package / "pyproject.toml",
                    "--cache-dir", self.folder / "mypy", *what, cwd=INSTALLED)

    def test_every_public_name_is_explained(self):
        program = """
import inspect, ladder.client as package
bare = [name for name in package.__all__ if inspect.isclass(value := getattr(package, name)) and not value.__doc__]
for kind in [package.Client, package.Stream, package.aio.Client, package.aio.Stream]:
    bare += [f"{kind}.{name}" for name, value in vars(kind).items()
             if inspect.isfunction(value) and not name.startswith("_") and name != "close" and not value.__doc__]
print(bare)
"""
        self.assertEqual(run(sys.executable, "-c", program, cwd=INSTALLED).strip(), "[]")

    def test_both_clients_have_the_same_methods(self):
        program = """
import inspect
from ladder.client import Client, Stream, aio
for blocking, twin in [(Client, aio.Client), (Stream, aio.Stream)]:
    for name in {name for kind in (blocking, twin) for name in vars(kind) if not name.startswith("_")}:
        left, right = (list(inspect.signature(getattr(kind, name)).parameters.items()) for kind in (blocking, twin))
        assert [(n, p.kind, p.default) for n, p in left] == [(n, p.kind, p.default) for n, p in right], name
    left, right = (inspect.signature(kind.__init__).parameters for kind in (Client, aio.Client))
    assert list(left) == list(right)
print("same")
"""
        self.assertEqual(run(sys.executable, "-c", program, cwd=INSTALLED).strip(), "same")


if __name__ == "__main__":
    del sys.argv[1:]
    unittest.main()
