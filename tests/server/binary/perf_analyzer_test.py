"""Triton's load generator runs unchanged.

Usage: perf_analyzer_test.py LADDER_SERVER WRITE_STORE WRITE_CERTIFICATES DESCRIPTORS

Expects .deps/perf_analyzer, which scripts/setup makes.
"""

import csv
import json
import os
import pathlib
import subprocess
import unittest

import running_server
from running_server import LIMIT_SECONDS, RunningServer, get, store_with, temporary_folder, wait_until

FOLDER = pathlib.Path(__file__).parents[3] / ".deps/perf_analyzer"


class PerfAnalyzerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = RunningServer(cls, store_with(cls, "tensor"))

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def requests(self, rpc):
        """How many have ended, however they did."""
        lines = get(self.server.metrics)[1].splitlines()
        chosen = [line for line in lines if line.startswith("ladder_requests_total") and f'rpc="{rpc}"' in line]
        return sum(float(line.split()[-1]) for line in chosen)

    def run_load(self, *flags):
        """One row of its report for each concurrency."""
        folder = temporary_folder(self)
        report, data = folder / "report.csv", folder / "data.json"
        # Its own random bytes are numbers of up to 1e38.
        data.write_text(json.dumps({"data": [{"x": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5], "group": ["lake"]}]}))
        command = [FOLDER / "perf_analyzer", "-m", "tensor", "-i", "grpc", "-u", self.server.address, "-f", report,
                   "--input-data", data,
                   "--measurement-mode=count_windows", "--measurement-request-count=50", "--stability-percentage=999",
                   "--max-trials=3", *flags]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS,
                              env={**os.environ, "LD_LIBRARY_PATH": str(FOLDER)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(report, newline="") as file:
            return list(csv.DictReader(file))

    def test_unary_calls_are_measured_with_what_the_server_says_of_them(self):
        rows = self.run_load("--concurrency-range=2", "-b", "4")
        self.assertEqual([row["Concurrency"] for row in rows], ["2"])
        self.assertGreater(float(rows[0]["Inferences/Second"]), 0)
        # It asks for these by ModelStatistics.
        self.assertGreater(float(rows[0]["Server Compute Infer"]), 0)
        self.assertGreater(self.requests("ModelInfer"), 50)

    def test_streams_are_measured(self):
        rows = self.run_load("--concurrency-range=2", "--streaming")
        self.assertGreater(float(rows[0]["Inferences/Second"]), 0)
        # It hangs up without waiting for the end.
        wait_until(lambda: self.requests("ModelStreamInfer") > 0, "its stream has ended")


if __name__ == "__main__":
    running_server.main()
