"""The real ladder-server in a process of its own, on free ports of the loopback.

Tests are started with paths: of the programs ladder-server, write_store and write_certificates, and of the descriptors
of ladder.v1.
"""

import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

# How long to wait for what has to happen; much longer than it takes.
LIMIT_SECONDS = 120

_paths = []


def main():
    """Runs the tests of the calling file."""
    _paths.extend(sys.argv[1:5])
    del sys.argv[1:5]
    unittest.main(module="__main__")


def ladder_server():
    return _paths[0]


def descriptors():
    return pathlib.Path(_paths[3]).read_bytes()


def write_bundle(store, model, version=1, kind="tensor"):
    """The folder of a new bundle, one that takes tensors of [6] or pictures."""
    command = [_paths[1], store, model, str(version), kind]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    return pathlib.Path(done.stdout.strip())


def write_certificates(folder):
    subprocess.run([_paths[2], folder], check=True, timeout=LIMIT_SECONDS)


def temporary_folder(test):
    """A folder that goes when the test, or the class of tests, is over."""
    folder = tempfile.TemporaryDirectory()
    (test.addClassCleanup if isinstance(test, type) else test.addCleanup)(folder.cleanup)
    return pathlib.Path(folder.name)


def store_with(test, *models):
    """A store with one bundle each of the kinds "tensor" and "image", which are also the models' names."""
    store = temporary_folder(test)
    for kind in models:
        write_bundle(store, kind, kind=kind)
    return store


def wait_until(happens, what):
    """What `happens` returns, once that is true."""
    end = time.monotonic() + LIMIT_SECONDS
    while True:
        result = happens()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"waited {LIMIT_SECONDS} s until {what}")
        time.sleep(0.02)


def environment(**more):
    """This process's own without what sets flags, and `more`."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("LADDER_")}
    # What AddressSanitizer keeps of memory that was freed would look like growth.
    own["ASAN_OPTIONS"] = own.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=16"
    return {**own, **more}


class RunningServer:
    """Killed when `test`, a test or a class of tests, is over. Waits until models are loaded, unless told not to.

    The log goes to a file of its own, or to `log_to`; what it prints can be waited for, or goes to `out_to`.
    """

    def __init__(self, test, store, *flags, variables=None, wait=True, log_to=None, out_to=None):
        folder = temporary_folder(test)
        self.line = ""  # That it prints when it serves.
        self.log_file = folder / "log"
        ports = ["--grpc-port=0", "--http-port=0", "--metrics-port=0"]
        addresses = ["--grpc-address=127.0.0.1", "--http-address=127.0.0.1"]
        repository = [f"--model-repository={store}"] if store else []
        with open(self.log_file, "wb") as log:
            self.process = subprocess.Popen(
                [ladder_server(), *ports, *addresses, *repository, *flags],
                stdout=out_to or subprocess.PIPE, stderr=log_to or log, env=environment(**(variables or {})))
        (test.addClassCleanup if isinstance(test, type) else test.addCleanup)(self.kill)
        if wait:
            self.wait_for_line()

    def wait_for_line(self):
        """Until it serves."""
        readable = select.select([self.process.stdout], [], [], LIMIT_SECONDS)[0]
        self.line = self.process.stdout.readline().decode() if readable else ""
        found = re.search(r"gRPC at 127\.0\.0\.1:(\d+)", self.line)
        if not found:
            raise AssertionError(f"no line with ports but {self.line!r}; {self.log()}")
        self.address = f"127.0.0.1:{found[1]}"
        probes = re.search(r"probes at 127\.0\.0\.1:(\d+)", self.line)
        metrics = re.search(r"metrics at 127\.0\.0\.1:(\d+)", self.line)
        self.probes = f"http://127.0.0.1:{probes[1]}" if probes else None
        self.metrics = f"http://127.0.0.1:{metrics[1]}/metrics" if metrics else None

    def log(self):
        return self.log_file.read_text()

    def ask_to_stop(self, number=signal.SIGTERM):
        self.send_signal(number)

    def send_signal(self, number):
        self.process.send_signal(number)

    def stop(self):
        """Expects that all ends well, which under AddressSanitizer means without leaks."""
        self.ask_to_stop()
        if code := self.wait():
            raise AssertionError(f"exit code {code}: {self.log()[-5000:]}")

    def wait(self):
        """Its exit code."""
        return self.process.wait(timeout=LIMIT_SECONDS)

    def kill(self):
        self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()

    def resident_bytes(self):
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def get(url):
    """Status and text of a page."""
    try:
        with urllib.request.urlopen(url, timeout=LIMIT_SECONDS) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
