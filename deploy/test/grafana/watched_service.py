"""Two real replicas of ladder-server under load, and a real Prometheus that scrapes them with our configuration."""

import contextlib
import csv
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import numpy as np
import yaml
from PIL import Image

from dashboards import DEPLOY

sys.path.append(str(DEPLOY / "test"))
from processes import LIMIT_SECONDS, Replica, answers, environment, start, wait_until  # noqa: E402 (after its place)


class Prometheus:
    """Scrapes `targets` by deploy/prometheus, every second, with days made to seconds where rules look back."""

    def __init__(self, stack, folder, targets):
        config = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())
        config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config["scrape_configs"][0]["static_configs"] = [{"targets": targets}]
        (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
        (folder / "rules").mkdir()
        for path in (DEPLOY / "prometheus/rules").glob("*.yml"):
            (folder / "rules" / path.name).write_text(path.read_text().replace("offset 15m", "offset 3s"))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{probe.getsockname()[1]}"
        self._url = f"http://{address}"
        log = folder / "prometheus.log"
        process = start(stack, ["prometheus", f"--config.file={folder}/prometheus.yml",
                                f"--storage.tsdb.path={folder}/tsdb", f"--web.listen-address={address}"], log)
        wait_until(lambda: process.poll() is not None or answers(f"{self._url}/-/ready"), "Prometheus is ready")
        if process.poll() is not None:
            raise AssertionError(f"Prometheus has ended: {log.read_text()[-2000:]}")

    def _get(self, path, **parameters):
        try:
            url = f"{self._url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
            with urllib.request.urlopen(url, timeout=LIMIT_SECONDS) as reply:
                return json.load(reply)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path} {parameters}: {error.read().decode()}") from error

    def query(self, expression):
        """Labels and [[time, value]] of each series, as of now."""
        found = self._get("query", query=expression)["result"]
        return [(series["metric"], np.array([series["value"]], float)) for series in found]

    def query_range(self, expression, begin, end, step=1):
        """Labels and [[time, value], ...] of each series."""
        found = self._get("query_range", query=expression, start=begin, end=end, step=step)["result"]
        return [(series["metric"], np.array(series["values"], float)) for series in found]

    def label_values(self, selector, label):
        return self._get(f"label/{label}/values", **{"match[]": selector})

    def rules(self):
        return [rule for group in self._get("rules")["groups"] for rule in group["rules"]]


class WatchedService:
    """Everything at once; ends with its `with` block. `data` is the worked example's, `store` has its model."""

    def __init__(self, ladder_server, ladder, store, data):
        self._programs, self._store, self._data = (ladder_server, ladder), store, pathlib.Path(data).resolve()
        self._stack = contextlib.ExitStack()

    def __enter__(self):
        with self._stack:  # Closed if this fails.
            self._folder = pathlib.Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
            flags = self._write_secrets()
            logs = [self._folder / f"replica-{number}.log" for number in (1, 2)]
            replicas = [Replica(self._stack, self._programs[0], self._store, log, *flags) for log in logs]
            self._server = "ipv4:" + ",".join(replica.address for replica in replicas)
            self.prometheus = Prometheus(self._stack, self._folder, [replica.metrics_address for replica in replicas])
            self._write_pictures()
            self._stack = self._stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _write_secrets(self):
        """A certificate and a token, so that their metrics are there; what replicas need to use them."""
        certificate, key, token = (self._folder / name for name in ("tls.crt", "tls.key", "tokens"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc",
                        "-days", "90", "-subj", "/CN=ladder.test", "-addext", "subjectAltName=DNS:ladder.test",
                        "-out", certificate, "-keyout", key], check=True, capture_output=True)
        token.write_text("a-token-for-this-test\n")
        token.chmod(0o600)
        self._credentials = ["--tls-ca", certificate, "--tls-server-name", "ladder.test", "--token-file", token]
        return [f"--tls-certificate={certificate}", f"--tls-key={key}", f"--auth-token-file={token}"]

    def _write_pictures(self):
        (self._folder / "train").symlink_to(self._data / "train")
        (self._folder / "broken.jpg").write_bytes(b"no picture")
        random = np.random.default_rng(7)
        for i in range(30):
            Image.fromarray(random.integers(0, 255, (32, 32, 3), np.uint8)).save(self._folder / f"noise-{i}.jpg")
        with open(self._data / "metadata.csv", newline="") as file:
            self._locations = {}
            for row in csv.DictReader(file):
                if row["split"] == "test":
                    self._locations.setdefault(row["location_remapped"], []).append(f"train/{row['filename']}")

    def locations(self):
        return sorted(self._locations, key=int)

    def predict(self, cameras, *options, fails=False):
        """Sends groups: camera to the location whose pictures it took, or to "noise"."""
        table = self._folder / "table.csv"
        with open(table, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["camera", "filename"])
            for camera, location in cameras.items():
                noise = ["broken.jpg", *(f"noise-{i}.jpg" for i in range(30))]
                paths = noise if location == "noise" else self._locations[location][:60]
                writer.writerows([camera, path] for path in paths)
        done = subprocess.run([self._programs[1], "predict", table, "--image-root", self._folder, "--group-by", "camera",
                               "--server", self._server, *self._credentials, "--output", self._folder / "out.csv",
                               "--overwrite", *options],
                              capture_output=True, text=True, timeout=LIMIT_SECONDS, env=environment())
        if (done.returncode != 0) != fails:
            logs = "".join(path.read_text()[-1000:] for path in self._folder.glob("replica-*.log"))
            raise AssertionError(f"ladder predict ended with {done.returncode}: {done.stdout}{done.stderr}{logs}")

    def put_load(self, cameras):
        """One round of all that can be watched: groups in and out of coverage, fallbacks, bad pictures, errors."""
        self.predict(cameras)
        self.predict({"noise": "noise"}, "--fallback", "soften")
        self.predict({"small": self.locations()[0]}, "--min-samples", "1000", "--fallback", "uniform")
        self.predict(cameras, "--model", "unknown", fails=True)
