"""`ladder predict` against the real server: every sample exactly once, whatever is killed half-way.

Usage: predict_test.py LADDER_SERVER WRITE_STORE WRITE_CERTIFICATES DESCRIPTORS, with LADDER in the environment.
"""

import collections
import csv
import io
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import unittest

import numpy as np
from PIL import Image

import running_server
from running_server import (LIMIT_SECONDS, RunningServer, environment, store_with, temporary_folder, wait_until,
                            write_certificates)

LADDER = os.environ["LADDER"]


def jpeg(seed):
    file = io.BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 255, (8, 10, 3), np.uint8)
    Image.fromarray(pixels).save(file, "JPEG")
    return file.getvalue()


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class PredictTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.store = store_with(cls, "tensor", "image")
        cls.server = RunningServer(cls, cls.store)

    def setUp(self):
        self.folder = temporary_folder(self)
        self.output = self.folder / "out.csv"

    def command(self, *arguments, server=None):
        return [LADDER, "predict", *map(str, arguments), "--server", server or self.server.address,
                "--output", str(self.output)]

    def predict(self, *arguments, server=None, code=0, variables=None):
        """Standard output and error."""
        done = subprocess.run(self.command(*arguments, server=server), capture_output=True, text=True,
                              timeout=LIMIT_SECONDS, env=environment(**(variables or {})))
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def write_table(self, groups, samples, name="table.csv"):
        """Numbers for the model "tensor", in a shuffled order."""
        random = np.random.default_rng(7)
        rows = [(f"site {group}", f"{group}/{i}", *random.normal(size=6)) for group in range(groups)
                for i in range(samples)]
        random.shuffle(rows)
        path = self.folder / name
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["site", "name", *(f"x{i}" for i in range(6))])
            writer.writerows(rows)
        return [path, "--group-by", "site", "--id-column", "name", "--features", "x*", "--model", "tensor"]

    def check_complete(self, groups, samples):
        ids = collections.Counter((row["group"], row["id"]) for row in rows_of(self.output))
        self.assertEqual(ids, {(f"site {group}", f"{group}/{i}"): 1 for group in range(groups)
                               for i in range(samples)})
        routed = [row["group"] for row in rows_of(self.folder / "out.routing.csv")]
        self.assertEqual(sorted(routed), sorted(f"site {group}" for group in range(groups)))

    def test_folders_of_pictures_are_groups(self):
        for group in ["meadow", "forest/north"]:
            (self.folder / "photos" / group).mkdir(parents=True)
            for i in range(5):
                (self.folder / "photos" / group / f"{i}.jpg").write_bytes(jpeg(i))
        out, err = self.predict(self.folder / "photos", "--model", "image")
        rows = rows_of(self.output)
        self.assertEqual(collections.Counter(row["group"] for row in rows), {"meadow": 5, "forest/north": 5})
        self.assertEqual({row["error"] for row in rows}, {""})
        self.assertIn("2 groups with 10 samples", out)
        self.assertRegex(err, r"2/2 groups")

    def test_a_broken_picture_is_a_row_with_an_error(self):
        (self.folder / "photos").mkdir()
        for i in range(3):
            (self.folder / "photos" / f"{i}.jpg").write_bytes(jpeg(i))
        (self.folder / "photos" / "1.jpg").write_bytes(jpeg(1)[:60])
        self.predict(self.folder / "photos", "--model", "image")
        errors = {row["id"]: row["error"] for row in rows_of(self.output)}
        self.assertEqual([errors["0.jpg"], errors["2.jpg"]], ["", ""])
        self.assertIn("corrupt", errors["1.jpg"])

    def test_rejected_pictures_are_counted(self):
        for name, bad in [("meadow", 1), ("forest", 0)]:
            (self.folder / "photos" / name).mkdir(parents=True)
            for i in range(4):
                data = b"no picture" if i < bad else jpeg(i)
                (self.folder / "photos" / name / f"{i}.jpg").write_bytes(data)
        out, err = self.predict(self.folder / "photos", "--model", "image")
        self.assertIn("2 groups with 8 samples, 1 of them rejected: ", out)
        self.assertRegex(out, r"group +n +rejected +coverage")
        self.assertRegex(out, r"meadow +4 +1 ")
        self.assertIn("1 samples rejected", err)
        counts = {row["group"]: (row["n"], row["rejected"]) for row in rows_of(self.folder / "out.routing.csv")}
        self.assertEqual(counts, {"meadow": ("4", "1"), "forest": ("4", "0")})

    def test_a_group_of_bad_pictures_says_so(self):
        (self.folder / "photos").mkdir()
        for i in range(3):
            (self.folder / "photos" / f"{i}.jpg").write_bytes(b"no picture")
        _, err = self.predict(self.folder / "photos", "--model", "image", code=1)
        self.assertRegex(err, r"group photos: .*the server rejected 3 of 3 pictures, such as 0\.jpg: unsupported: ")

    def test_predictions_may_go_to_standard_output(self):
        arguments = self.write_table(3, 10)
        self.output = "-"
        out, err = self.predict(*arguments)
        ids = collections.Counter((row["group"], row["id"]) for row in csv.DictReader(io.StringIO(out)))
        self.assertEqual(ids, {(f"site {group}", f"{group}/{i}"): 1 for group in range(3) for i in range(10)})
        self.assertIn("3 groups with 30 samples", err)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["table.csv"])
        self.assertIn("--resume", self.predict(*arguments, "--resume", code=1)[1])
        self.assertFalse(pathlib.Path("-").exists())

    def test_a_full_disk_ends_the_run_and_is_not_the_servers(self):
        arguments = self.write_table(40, 10)

        def limit_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

        done = subprocess.run(self.command(*arguments, "--concurrency", 2), capture_output=True, text=True,
                              timeout=LIMIT_SECONDS, env=environment(), preexec_fn=limit_files)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        tried = int(re.search(r"(\d+) groups with", done.stdout)[1])
        self.assertLess(tried, 40)
        self.assertIn("cannot write", done.stderr)
        self.assertIn("--resume", done.stderr)
        self.predict(*arguments, "--resume")
        self.check_complete(40, 10)
        self.output = self.folder / "full.csv"
        self.output.symlink_to("/dev/full")
        _, err = self.predict(*arguments, "--overwrite", code=1)
        self.assertIn("the disk is full", err)
        self.assertNotIn("The server is full", err)

    def test_wrong_options_are_told_once(self):
        table = self.write_table(5, 10)
        for arguments, said in [
                ([*table, "--k", "99"], "k"),
                ([*table, "--sources", "nowhere"], '"nowhere"'),
                ([*table[:-3], "x0,x1", *table[-2:]], "expected samples of shape [6], got [2]")]:
            with self.subTest(said):
                out, err = self.predict(*arguments, code=1)
                self.assertEqual((out, err.count("\n")), ("", 1), err)
                self.assertIn(said, err)
                self.assertFalse(self.output.exists())
        self.predict(*table, "--top", 99)

    def test_tables_of_numbers_and_json_lines(self):
        arguments = self.write_table(3, 40)
        self.output = self.folder / "out.jsonl"
        self.predict(*arguments, "--format", "jsonl", "--probabilities", "--top", 2)
        rows = [json.loads(line) for line in self.output.read_text().splitlines()]
        self.assertEqual(len(rows), 120)
        for row in rows:
            self.assertAlmostEqual(sum(row["probabilities"]), 1, places=5)
            self.assertEqual(len(row["top"]), 2)

    def test_large_groups_are_predicted_alike(self):
        arguments = self.write_table(2, 3000)
        self.predict(*arguments, "--probabilities")
        whole = {row["id"]: row for row in rows_of(self.output)}
        weights = rows_of(self.folder / "out.routing.csv")
        self.predict(*arguments, "--probabilities", "--large-group", 1000, "--overwrite")
        cut = {row["id"]: row for row in rows_of(self.output)}
        self.check_complete(2, 3000)
        self.assertEqual(whole.keys(), cut.keys())
        columns = [column for column in rows_of(self.output)[0] if column.startswith("p_")]
        for name, row in whole.items():
            self.assertEqual(row["index"], cut[name]["index"])
            for column in columns:
                self.assertAlmostEqual(float(row[column]), float(cut[name][column]), places=5)
        by_group = {row["group"]: row for row in rows_of(self.folder / "out.routing.csv")}
        for row in weights:
            for column in row:
                if column.startswith("w_"):
                    self.assertEqual(row[column], by_group[row["group"]][column])

    def test_a_killed_client_goes_on_where_it_was(self):
        arguments = self.write_table(60, 50)
        journal = pathlib.Path(str(self.output) + ".journal")
        killed = 0
        for _ in range(200):
            client = subprocess.Popen(self.command(*arguments, "--resume", "--concurrency", 2),
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
            before = len(journal.read_text().splitlines()) if journal.exists() else 0
            wait_until(lambda: client.poll() is not None or
                       (journal.exists() and len(journal.read_text().splitlines()) > before + 7), "it has got on")
            if client.poll() == 0:
                break
            client.kill()
            client.wait()
            killed += 1
        self.assertGreater(killed, 3)
        self.check_complete(60, 50)
        out, err = self.predict(*arguments, "--resume")
        self.assertIn("nothing was left to do", out)
        self.assertIn("60 groups were finished before", err)
        self.check_complete(60, 50)

    def test_a_killed_server_is_waited_for(self):
        port = free_port()
        arguments = self.write_table(60, 50)
        server = RunningServer(self, self.store, f"--grpc-port={port}")
        client = subprocess.Popen(self.command(*arguments, "--attempts", 100, server=f"127.0.0.1:{port}"),
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        wait_until(lambda: self.output.exists() and len(rows_of(self.output)) > 200, "it has got on")
        server.kill()
        RunningServer(self, self.store, f"--grpc-port={port}")
        out, err = client.communicate(timeout=LIMIT_SECONDS)
        self.assertEqual(client.returncode, 0, out + err)
        self.check_complete(60, 50)

    def test_a_server_that_is_gone_loses_nothing(self):
        port = free_port()
        arguments = self.write_table(60, 50)
        server = RunningServer(self, self.store, f"--grpc-port={port}")
        address = f"127.0.0.1:{port}"
        client = subprocess.Popen(self.command(*arguments, "--attempts", 1, server=address), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, env=environment())
        wait_until(lambda: self.output.exists() and len(rows_of(self.output)) > 200, "it has got on")
        server.kill()
        out, err = client.communicate(timeout=LIMIT_SECONDS)
        self.assertEqual(client.returncode, 3, out + err)
        self.assertIn("--resume", err)
        RunningServer(self, self.store, f"--grpc-port={port}")
        self.predict(*arguments, "--resume", server=address)
        self.check_complete(60, 50)

    def test_an_interrupt_ends_between_groups(self):
        arguments = self.write_table(200, 50)
        client = subprocess.Popen(self.command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=environment())
        wait_until(lambda: self.output.exists() and len(rows_of(self.output)) > 200, "it has got on")
        client.send_signal(signal.SIGINT)
        out, err = client.communicate(timeout=LIMIT_SECONDS)
        self.assertEqual(client.returncode, 130, out + err)
        self.assertIn("--resume", err)
        self.predict(*arguments, "--resume")
        self.check_complete(200, 50)

    def test_another_run_is_not_mixed_in(self):
        arguments = self.write_table(2, 10)
        self.predict(*arguments)
        _, err = self.predict(*arguments, code=1)
        self.assertIn("--resume", err)
        _, err = self.predict(*arguments, "--method", "uniform", "--resume", code=1)
        self.assertIn("routing", err)
        self.check_complete(2, 10)

    def test_errors_name_the_group_and_the_others_go_on(self):
        arguments = self.write_table(3, 20)
        text = arguments[0].read_text().splitlines(keepends=True)
        lone = 'alone,alone/0,' + ",".join(["0.5"] * 6) + "\n"
        arguments[0].write_text("".join([*text, lone]))
        out, err = self.predict(*arguments, "--min-samples", 5, code=1)
        self.assertRegex(err, r"group alone: .*expected at least 5")
        self.assertRegex(out, r"alone .*failed")
        self.check_complete(3, 20)

    def test_wrong_uses_say_what_was_expected(self):
        table = self.write_table(1, 10)
        for arguments, code, said in [
                ([self.folder / "missing"], 1, "missing"),
                ([*table[:-1], "unknown"], 1, "ladder models"),
                ([*table, "--method", "magic"], 2, "magic not in {ladder"),
                ([*table, "--k", "many"], 2, "k: expected a number"),
                ([*table, "--bogus"], 2, "--bogus")]:
            with self.subTest(said):
                self.assertIn(said, self.predict(*arguments, code=code)[1])
        self.assertFalse(self.output.exists())

    def test_nobody_at_the_address(self):
        _, err = self.predict(*self.write_table(1, 10), "--attempts", 1, server=f"127.0.0.1:{free_port()}", code=3)
        self.assertIn("--server", err)

    def test_tokens_and_mutual_tls(self):
        write_certificates(self.folder)
        (self.folder / "tokens").write_text("# Ours.\na-secret-token-of-ours\n")
        server = RunningServer(self, self.store, f"--auth-token-file={self.folder / 'tokens'}",
                               f"--tls-certificate={self.folder / 'ours-server-1.pem'}",
                               f"--tls-key={self.folder / 'ours-server-1.key'}",
                               f"--tls-client-ca={self.folder / 'ours.pem'}")
        tls = ["--tls-ca", self.folder / "ours.pem", "--tls-certificate", self.folder / "ours-client.pem",
               "--tls-key", self.folder / "ours-client.key"]
        arguments = [*self.write_table(2, 10), *tls]
        ours, strangers = self.folder / "ours.pem", self.folder / "others.pem"
        for wrong in [["--tls-ca", strangers, *tls[2:]], ["--tls-ca", ours, "--tls-server-name", "elsewhere", *tls[2:]],
                      ["--tls-ca", ours], []]:
            with self.subTest(wrong):
                _, err = self.predict(*arguments[:-6], *wrong, "--attempts", 1, server=server.address, code=1)
                self.assertIn("--tls-ca", err)
                self.assertNotIn("Is the server running", err)
        _, err = self.predict(*arguments, server=server.address, code=1)
        self.assertIn("--token-file", err)
        self.predict(*arguments, "--token-file", self.folder / "tokens", server=server.address)
        self.check_complete(2, 10)
        self.predict(*arguments, "--overwrite", server=server.address, variables={"LADDER_TOKEN": "a-secret-token-of-ours"})

    def test_memory_does_not_grow_with_the_upload(self):
        peaks = []
        for copies in [1, 8]:
            photos = self.folder / f"photos{copies}"
            for group in range(copies * 5):
                (photos / str(group)).mkdir(parents=True)
                for i in range(40):
                    (photos / str(group) / f"{i}.jpg").write_bytes(jpeg(i) + bytes(100_000))
            done = subprocess.run(["/usr/bin/env", "python3", "-c", PEAK, *self.command(photos, "--model", "image",
                                                                                       "--overwrite")],
                                  capture_output=True, text=True, timeout=LIMIT_SECONDS, env=environment())
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            peaks.append(int(re.search(r"peak (\d+)", done.stdout)[1]))
        # 140 MB more were uploaded.
        self.assertLess(peaks[1] - peaks[0], 60_000_000)


# Runs a command and prints what it had in memory at most.
PEAK = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
sys.exit(code)
"""

if __name__ == "__main__":
    running_server.main()
