"""A run of ladder-train that is killed or interrupted goes on to the bytes that it would have written without that.

Usage: resumes_to_the_same_bytes_test.py LADDER_TRAIN, the program.
"""

import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ladder_train = ""

# How long to wait for what has to happen; much longer than it takes.
LIMIT_SECONDS = 300
COMPARED = ["encoder.onnx", "heads.onnx", "fingerprints.safetensors"]
OPTIONS = """
backbone = "mlp"
content-dimension = 4
style-dimension = 3
epochs = 1
steps-per-epoch = 600
head-epochs = 2
batch-size = 16
max-style-samples = 16
device = "cpu"
threads = 1
loader-threads = 1
"""


def write_table(path):
    """Four sources, three classes."""
    draws = random.Random(5)
    lines = ["x0,x1,x2,label,domain,split"]
    for domain in range(4):
        for sample in range(36):
            label = sample % 3
            x = [label + draws.random(), draws.random() - label, 2 * domain + draws.random()]
            lines.append(f"{x[0]},{x[1]},{x[2]},{label},site-{domain},{'train' if sample < 24 else 'id_val'}")
    path.write_text("\n".join(lines) + "\n")


class Run:
    """A run in a folder of its own."""

    def __init__(self, folder, name):
        self.store = folder / f"store-{name}"
        self.run = folder / f"run-{name}"
        self.command = [ladder_train, "fit", "--config", folder / "options.toml", "--data", folder / "data.csv"]
        self.command += ["--out", self.store / "model", "--run", self.run]

    def finish(self, *more):
        """The bytes of what it writes."""
        command = [*self.command, *more]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS)
        if done.returncode != 0:
            raise AssertionError(f"exit code {done.returncode}: {done.stderr}")
        return {name: (pathlib.Path(done.stdout.strip()) / name).read_bytes() for name in COMPARED}

    def stop_at_checkpoint(self, number, *more):
        """Sends a signal once the run has made a checkpoint of its own; its exit code and what it said."""
        command = [*self.command, "--checkpoint-steps", "5", *more]
        before = self.checkpoint_time()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            try:
                end = time.monotonic() + LIMIT_SECONDS
                while self.checkpoint_time() == before and process.poll() is None and time.monotonic() < end:
                    time.sleep(0.001)
                process.send_signal(number)
                err = process.communicate(timeout=LIMIT_SECONDS)[1]
            finally:
                process.kill()
        return process.returncode, err

    def checkpoint_time(self):
        """When the checkpoint was written; 0 if there is none."""
        checkpoint = self.run / "checkpoint.safetensors"
        return checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0

    def written(self):
        """All that is in the store."""
        return list(self.store.rglob("*"))


class ResumesToTheSameBytesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.folder = pathlib.Path(cls.directory.name)
        write_table(cls.folder / "data.csv")
        (cls.folder / "options.toml").write_text(OPTIONS)
        cls.expected = Run(cls.folder, "whole").finish()

    def check(self, found):
        for name in COMPARED:
            self.assertTrue(found[name] == self.expected[name], f"{name} differs")

    def test_five_steps_less_give_other_bytes(self):
        other = Run(self.folder, "shorter").finish("--steps-per-epoch", "595")
        for name in COMPARED:
            self.assertFalse(other[name] == self.expected[name], f"{name} is the same")

    def test_killed(self):
        run = Run(self.folder, "killed")
        for more in [(), ("--resume",)]:
            code, err = run.stop_at_checkpoint(signal.SIGKILL, *more)
            self.assertEqual(code, -signal.SIGKILL, err)
            self.assertGreater(run.checkpoint_time(), 0)
            self.assertEqual(run.written(), [])
        self.check(run.finish("--resume"))

    def test_interrupted(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            with self.subTest(number.name):
                run = Run(self.folder, number.name)
                code, err = run.stop_at_checkpoint(number)
                self.assertEqual(code, 130, err)
                self.assertGreater(run.checkpoint_time(), 0)
                self.assertIn("--resume", err)
                self.assertIn(str(run.run), err)
                self.assertEqual(run.written(), [])
                self.check(run.finish("--resume"))


if __name__ == "__main__":
    ladder_train = sys.argv.pop(1)
    unittest.main()
