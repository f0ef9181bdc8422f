"""The layers of docs/architecture.md are those of the code.

That page has a block that names every room with the rooms it may include from,
low ones first. A room that is missing, an include that the block does not allow,
a line that allows what nobody includes, or rooms or whole top-level folders that
would need each other fail.
"""

import collections
import os
import re
import sys
import unittest

ROOT = sys.argv.pop(1)
OUR_FOLDERS = (
    "base", "bench", "client", "examples", "experiments", "imaging",
    "model_store", "routing", "server", "trainer")
# Headers that are included by another name than their path.
INSTALLED = {"ladder/client/": "client/include"}
GENERATED = ("ladder/v1/", "inference/", "grpc/health/", "grpc/reflection/")


def room_of(path):
    """The folder of a file; all of client/include and client/examples are one."""
    folder = os.path.dirname(path)
    for whole in ("client/include", "client/examples"):
        if folder.startswith(whole):
            return whole
    return folder


def included_room(name):
    """The room of a header that is included as `name`; None if it is not ours."""
    for prefix, room in INSTALLED.items():
        if name.startswith(prefix) and not name.startswith(GENERATED):
            return room
    if name.startswith(GENERATED):
        return "proto"
    return room_of(name) if name.split("/")[0] in OUR_FOLDERS else None


def read_includes():
    """{room: {room included: {"file includes header", ...}}}"""
    includes = collections.defaultdict(lambda: collections.defaultdict(set))
    for top in OUR_FOLDERS:
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                if not name.endswith((".h", ".cc")):
                    continue
                path = os.path.relpath(os.path.join(folder, name), ROOT)
                with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                    found = re.findall(r'^#include ["<]([^">]+)[">]', file.read(), re.M)
                includes[room_of(path)]  # A room, though it may include nothing.
                for header in found:
                    room = included_room(header)
                    if room not in (None, room_of(path)):
                        includes[room_of(path)][room].add(f"{path} includes {header}")
    return includes


def read_layers():
    """[(room, [rooms that it may include from])], as the page has them."""
    with open(os.path.join(ROOT, "docs/architecture.md"), encoding="utf-8") as file:
        block = re.search(r"^```layers\n(.*?)^```", file.read(), re.M | re.S)
    layers = []
    for line in block.group(1).splitlines():
        room, _, allowed = line.partition(":")
        layers.append((room.strip(), allowed.split()))
    return layers


class LayersTest(unittest.TestCase):
    def setUp(self):
        self.includes = read_includes()
        self.layers = read_layers()

    def test_every_room_is_listed_once(self):
        listed = sorted(room for room, _ in self.layers if room != "proto")
        self.assertEqual(listed, sorted(self.includes))

    def test_a_room_uses_only_rooms_above_it_in_the_list(self):
        seen = set()
        for room, allowed in self.layers:
            self.assertLessEqual(set(allowed), seen, f"{room} is listed too early")
            seen.add(room)

    def test_top_level_folders_do_not_need_each_other(self):
        needs = collections.defaultdict(set)
        for room, targets in self.includes.items():
            needs[room.split("/")[0]] |= {target.split("/")[0] for target in targets}
        for folder, needed in needs.items():
            needed.discard(folder)
        # What is left when nobody can be taken away any more is in a cycle, or
        # above one.
        left = dict(needs)
        while free := [folder for folder in left if not left[folder] & left.keys()]:
            for folder in free:
                del left[folder]
        self.assertEqual(left, {}, "top-level folders that need each other")

    def test_every_include_is_allowed(self):
        allowed = dict(self.layers)
        wrong = [
            edge
            for room, targets in self.includes.items()
            for target, edges in targets.items()
            if target not in allowed.get(room, [])
            for edge in sorted(edges)
        ]
        self.assertEqual(wrong, [], "\n".join(["not in docs/architecture.md:"] + wrong))

    def test_every_allowed_edge_is_used(self):
        unused = [
            f"{room}: {target}"
            for room, allowed in self.layers
            for target in allowed
            if target not in self.includes[room]
        ]
        self.assertEqual(unused, [])


if __name__ == "__main__":
    unittest.main()
