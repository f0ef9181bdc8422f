"""What the tests of deploy/ start: real replicas of ladder-server on free ports of the loopback, and other programs."""

import os
import pathlib
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]

# How long to wait for what has to happen; much longer than it takes.
LIMIT_SECONDS = 120


def wait_until(happens, what):
    """What `happens` returns, once that is true."""
    end = time.monotonic() + LIMIT_SECONDS
    while not (result := happens()):
        if time.monotonic() > end:
            raise AssertionError(f"waited {LIMIT_SECONDS} s until {what}")
        time.sleep(0.02)
    return result


def environment():
    """This process's own without what sets flags."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LADDER_")}


def start(stack, command, log):
    """A process that is killed when `stack` is closed; its output goes to the file `log`."""
    with open(log, "w") as output:
        process = subprocess.Popen(list(map(str, command)), stdout=output, stderr=subprocess.STDOUT, env=environment())
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def answers(url):
    """Whether a page is there, and says that all is well."""
    try:
        with urllib.request.urlopen(url, timeout=LIMIT_SECONDS):
            return True
    except OSError:
        return False


def tiny_store(folder):
    """A store with the tests' own bundle, whose samples are six numbers."""
    shutil.copytree(ROOT / "tests/testdata/bundles/v1/tiny", folder / "store/tiny")
    return folder / "store"


class Replica:
    """Serves when the constructor returns; killed when `stack` is closed."""

    def __init__(self, stack, ladder_server, store, log, *flags):
        self._log = pathlib.Path(log)
        ports = ["--grpc-port=0", "--http-port=0", "--metrics-port=0"]
        addresses = ["--grpc-address=127.0.0.1", "--http-address=127.0.0.1"]
        self.process = start(stack, [ladder_server, f"--model-repository={store}", *ports, *addresses, *flags], log)
        wanted = r"gRPC at ([\d.:]+\d)(?: \(TLS\))?, probes at ([\d.:]+\d), metrics at ([\d.:]+\d)"
        found = wait_until(lambda: self.process.poll() is not None or re.search(wanted, self.log()), "a replica serves")
        if found is True:
            raise AssertionError(f"the replica has ended: {self.log()[-2000:]}")
        self.address, self._probes, self.metrics_address = found.groups()

    def log(self):
        return self._log.read_text()

    def is_ready(self):
        return answers(f"http://{self._probes}/v2/health/ready")

    def metric(self, name):
        """The sum over all labels."""
        with urllib.request.urlopen(f"http://{self.metrics_address}/metrics", timeout=LIMIT_SECONDS) as page:
            found = re.findall(rf"^{name}(?:{{.*}})? (\S+)$", page.read().decode(), re.MULTILINE)
        return sum(map(float, found))
