"""What pyproject.toml cannot say: the version and the protocol come from the tree that this folder is part of.

Neither is copied into this folder. A source distribution carries both with it.
"""

import email.parser
import pathlib
import re
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
PROTO = pathlib.Path("ladder", "v1", "domain_routing.proto")


def proto_root() -> pathlib.Path:
    """Where imports start: in a source distribution, or else in the tree."""
    roots = [HERE / "proto", HERE.parents[1] / "proto"]
    for root in roots:
        if (root / PROTO).is_file():
            return root
    raise SystemExit(f"{PROTO}: expected in {' or '.join(map(str, roots))}; install from the tree or an sdist")


def version() -> str:
    """That of a source distribution, or else of the tree's project."""
    package = HERE / "PKG-INFO"
    if package.is_file():
        return str(email.parser.Parser().parsestr(package.read_text(encoding="utf-8"))["Version"])
    project = (HERE.parents[1] / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"project\(ladder VERSION ([0-9.]+)", project)
    if not found:
        raise SystemExit("CMakeLists.txt: expected project(ladder VERSION ...)")
    return found[1]


class BuildWithProtocol(build_py):
    """Puts ladder/v1/domain_routing_pb2.py and its types beside the package's own modules."""

    def run(self) -> None:
        super().run()
        # Needed to build only, so that metadata can be had without it.
        from grpc_tools import protoc

        # An editable installation reads modules where they are.
        target = HERE / "src" if self.editable_mode else pathlib.Path(self.build_lib)
        target.mkdir(parents=True, exist_ok=True)
        well_known = pathlib.Path(protoc.__file__).parent / "_proto"
        arguments = [f"-I{proto_root()}", f"-I{well_known}", f"--python_out={target}", f"--pyi_out={target}"]
        if protoc.main(["protoc", *arguments, str(PROTO)]) != 0:
            raise SystemExit(f"{PROTO}: protoc failed; its messages are above")


class SdistWithProtocol(sdist):
    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        copy = pathlib.Path(base_dir, "proto", PROTO)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(proto_root() / PROTO, copy)


setup(version=version(), cmdclass={"build_py": BuildWithProtocol, "sdist": SdistWithProtocol})
