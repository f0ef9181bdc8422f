"""deploy/ray_batch.py on the real Ray, against two real replicas: every sample once, whatever fails half-way.

Usage: ray_test.py LADDER_SERVER LADDER WRITE_STORE. Ray and the Python client are installed.
"""

import collections
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from PIL import Image

from batch import FEATURES, Batch, PredictRun
from processes import LIMIT_SECONDS, ROOT, Replica, start, tiny_store, wait_until

_programs = []

GROUPS, SAMPLES = 60, 40


def children(pid):
    """Of a process, at any depth, with their command lines."""
    parents = {}
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # It has ended.
            parents[int(status.parent.name)] = int(status.read_text().rsplit(")", 1)[1].split()[1])
    found, new = {}, {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new}
        for child in new:
            with contextlib.suppress(OSError):
                found[child] = pathlib.Path(f"/proc/{child}/cmdline").read_text()
    return found


class RayTest(unittest.TestCase):
    def setUp(self):
        self.stack = self.enterContext(contextlib.ExitStack())
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.batch = Batch(self.folder / "table.csv", GROUPS, SAMPLES)
        self.store = tiny_store(self.folder)
        self.output = self.folder / "results"
        self.table = [self.batch.path, "--group-by", "site", "--id-column", "name", "--features", ",".join(FEATURES),
                      "--model", "tiny"]

    def start_replicas(self, *flags):
        """Their address, all in one."""
        self.replicas = [Replica(self.stack, _programs[0], self.store, self.folder / f"replica-{i}.log", *flags)
                         for i in range(2)]
        self.server = "ipv4:" + ",".join(replica.address for replica in self.replicas)

    def start(self, *arguments):
        """A job on its way."""
        os.environ["RAY_TMPDIR"] = str(self.folder)  # Nothing of Ray's is left behind.
        return start(self.stack, [sys.executable, ROOT / "deploy/ray_batch.py", *arguments, "--server", self.server,
                                  "--output", self.output, "--local-cpus", "2"], self.folder / "job.log")

    def finish(self, job, code=0):
        """What it has printed."""
        found = job.wait(timeout=LIMIT_SECONDS)
        text = (self.folder / "job.log").read_text()
        self.assertEqual(found, code, text)
        return text

    def results(self):
        return {path: json.loads(path.read_text()) for path in (self.output / "groups").glob("*.json")}

    def check_like_ladder_predict(self):
        expected = PredictRun(self.stack, _programs[1], self.batch, self.server, self.folder / "ladder.csv").predictions()
        found = self.results().values()
        self.assertEqual(expected.ids, self.batch.ids)
        self.assertEqual(collections.Counter((result["group"], sample["id"]) for result in found
                                             for sample in result["samples"]), self.batch.ids)
        rows = {row["id"]: row for row in expected.rows}
        for result in found:
            self.assertEqual(result["weights"], expected.weights[result["group"]])
            for sample in result["samples"]:
                row = rows[sample["id"]]
                self.assertEqual((sample["class"], str(sample["index"])), (row["class"], row["index"]))
                self.assertAlmostEqual(sample["probability"], float(row["probability"]), delta=1e-5)

    def test_a_table_is_predicted_as_ladder_predict_does_it_and_not_again(self):
        self.start_replicas()
        self.finish(self.start(*self.table))
        worked = [replica.metric("ladder_groups_total") for replica in self.replicas]
        self.assertEqual(sum(worked), GROUPS)
        self.assertTrue(all(worked), "one replica did all the work")
        self.assertIn(f"{GROUPS} of them finished before", self.finish(self.start(*self.table)))
        self.assertEqual([replica.metric("ladder_groups_total") for replica in self.replicas], worked)
        self.check_like_ladder_predict()

    def test_a_killed_worker_is_replaced_and_a_killed_job_goes_on(self):
        self.start_replicas()
        job = self.start(*self.table, "--concurrency", "2")
        wait_until(lambda: len(self.results()) > 5 or job.poll() is not None, "some groups are done")
        worker = next(pid for pid, command in children(job.pid).items() if command.startswith("ray::Worker"))
        os.kill(worker, signal.SIGKILL)
        done = len(self.results())
        wait_until(lambda: len(self.results()) > done + 5 or job.poll() is not None, "it goes on without that worker")
        self.assertIsNone(job.poll(), "the job was over too early")
        for pid in [job.pid, *children(job.pid)]:  # As when the machine stops.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        times = {path: path.stat().st_mtime_ns for path in self.results()}
        self.assertLess(len(times), GROUPS)
        self.finish(self.start(*self.table, "--concurrency", "2"))
        self.assertEqual({path: path.stat().st_mtime_ns for path in times}, times)
        self.check_like_ladder_predict()

    def test_groups_fail_without_a_service_and_are_tried_again(self):
        self.start_replicas()
        job = self.start(*self.table, "--attempts", "1", "--concurrency", "2")
        wait_until(lambda: len(self.results()) > 5 or job.poll() is not None, "some groups are done")
        for replica in self.replicas:
            replica.process.kill()
        self.assertRegex(self.finish(job, code=1), r"group site \d+: UNAVAILABLE")
        done = len(self.results())
        self.assertLess(done, GROUPS)
        self.start_replicas()
        self.assertIn(f"{done} of them finished before", self.finish(self.start(*self.table, "--attempts", "1")))
        self.assertEqual(sum(replica.metric("ladder_groups_total") for replica in self.replicas), GROUPS - done)
        self.check_like_ladder_predict()

    def test_folders_of_pictures_are_groups_and_a_broken_picture_is_a_sample_with_an_error(self):
        subprocess.run([_programs[2], self.store, "image", "1", "image"], check=True, capture_output=True)
        self.start_replicas()
        photos, random = self.folder / "photos", np.random.default_rng(3)
        for place in ["meadow", "forest/north"]:
            (photos / place).mkdir(parents=True)
            for i in range(5):
                Image.fromarray(random.integers(0, 255, (8, 10, 3), np.uint8)).save(photos / place / f"{i}.jpg")
        (photos / "meadow/2.jpg").write_bytes(b"no picture")
        self.finish(self.start(photos, "--model", "image:1"))
        results = {result["group"]: result["samples"] for result in self.results().values()}
        self.assertEqual({group: [sample["id"] for sample in samples] for group, samples in results.items()},
                         {place: [f"{place}/{i}.jpg" for i in range(5)] for place in ["meadow", "forest/north"]})
        errors = [sample["id"] for samples in results.values() for sample in samples if "error" in sample]
        self.assertEqual(errors, ["meadow/2.jpg"])

    def test_wrong_uses_are_one_line_that_says_what_was_expected(self):
        self.server = "localhost:1"
        for arguments, said in [
                ([self.folder / "missing"], "missing: expected a folder or a CSV file"),
                ([self.store], "expected JPEG or PNG files, got none"),
                ([self.batch.path], "--group-by: expected the column that names groups"),
                ([self.batch.path, "--group-by", "place"], 'expected a column "place", got site, name, x0'),
                ([self.batch.path, "--group-by", "site", "--features", "name"], "expected numbers, got"),
                ([*self.table, "--workers", "3"], "--workers: expected at most the 2 CPUs that Ray has, got 3"),
                ([*self.table, "--tau", "2"], "with tau None, got 2.0; take another --output")]:
            with self.subTest(said):
                text = self.finish(self.start(*arguments), code=2)
                self.assertIn(said, text)


if __name__ == "__main__":
    _programs.extend(sys.argv[1:4])
    del sys.argv[1:4]
    unittest.main()
