"""Three real replicas, one batch: nothing is lost or done twice when one of them is killed and another one drained.

Usage: replicas_test.py LADDER_SERVER LADDER. Envoy is in PATH, the Python client installed.
"""

import contextlib
import json
import pathlib
import signal
import sys
import tempfile
import unittest
import urllib.request

import grpc
import numpy as np
import yaml
from ladder.client import Client, LadderError

from batch import Batch, PredictRun
from processes import LIMIT_SECONDS, ROOT, Replica, answers, start, tiny_store, wait_until

_programs = []

# Enough to be half-way for a while.
GROUPS, SAMPLES = 1000, 40


class Envoy:
    """In front of `replicas`, by deploy/envoy: only its own ports and their addresses are others."""

    def __init__(self, stack, folder, replicas):
        config = yaml.safe_load((ROOT / "deploy/envoy/envoy.yaml").read_text())
        config["admin"]["address"] = self._loopback(0)
        [listener] = config["static_resources"]["listeners"]
        listener["address"] = self._loopback(0)
        [cluster] = config["static_resources"]["clusters"]
        [endpoints] = cluster["load_assignment"]["endpoints"]
        endpoints["lb_endpoints"] = [{"endpoint": {"address": self._loopback(replica.address.split(":")[1])}}
                                     for replica in replicas]
        (folder / "envoy.yaml").write_text(yaml.safe_dump(config))
        admin, log = folder / "envoy.admin", folder / "envoy.log"
        process = start(stack, ["envoy", "--config-path", folder / "envoy.yaml", "--log-level", "warning",
                                "--concurrency", "2", "--disable-hot-restart", "--admin-address-path", admin], log)
        wait_until(lambda: process.poll() is not None or admin.exists() and answers(f"http://{admin.read_text()}/ready"),
                   "Envoy is ready")
        if process.poll() is not None:
            raise AssertionError(f"Envoy has ended: {log.read_text()[-2000:]}")
        self._admin = f"http://{admin.read_text()}"
        [listening] = self._get("listeners")["listener_statuses"]
        self.address = f"127.0.0.1:{listening['local_address']['socket_address']['port_value']}"
        with Client(self.address) as client:
            wait_until(lambda: client.health() and all(self._count(replica, "rq_success") for replica in replicas),
                       "Envoy sends calls to all replicas")

    @staticmethod
    def _loopback(port):
        return {"socket_address": {"address": "127.0.0.1", "port_value": int(port)}}

    def _get(self, path):
        with urllib.request.urlopen(f"{self._admin}/{path}{'&' if '?' in path else '?'}format=json",
                                    timeout=LIMIT_SECONDS) as page:
            return json.load(page)

    def _count(self, replica, name):
        [cluster] = self._get("clusters")["cluster_statuses"]
        [stats] = [host["stats"] for host in cluster["host_statuses"]
                   if replica.address.endswith(f":{host['address']['socket_address']['port_value']}")]
        [value] = [int(stat.get("value", 0)) for stat in stats if stat["name"] == name]
        return value

    def calls_under_way(self, replica):
        return self._count(replica, "rq_active")

    def calls_saved(self):
        """Those that one replica failed and another one answered, without the client's knowledge."""
        return self._get("stats?filter=^cluster.ladder.upstream_rq_retry_success$")["stats"][0]["value"]


class ReplicasTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.batch = Batch(cls.folder / "table.csv", GROUPS, SAMPLES)
        cls.store = tiny_store(cls.folder)
        with contextlib.ExitStack() as stack:
            replica = Replica(stack, _programs[0], cls.store, cls.folder / "alone-replica.log")
            cls.alone = PredictRun(stack, _programs[1], cls.batch, replica.address, cls.folder / "alone.csv").predictions()

    def setUp(self):
        self.stack = self.enterContext(contextlib.ExitStack())
        self.replicas = [Replica(self.stack, _programs[0], self.store, self.folder / f"replica-{i}.log", "--log-format=json")
                         for i in range(3)]
        self.killed, self.drained, _ = self.replicas

    def start(self, name, address):
        self.run_under_way = PredictRun(self.stack, _programs[1], self.batch, address, self.folder / f"{name}.csv")

    def wait_half_way(self, happens, what):
        """Until it happens, which has to be before the run is over."""
        run = self.run_under_way
        wait_until(lambda: happens() or run.is_over(), what)
        self.assertFalse(run.is_over() or run.num_done() >= GROUPS, f"the run was over before {what}")

    def wait_for_progress(self):
        wanted = self.run_under_way.num_done() + 100
        self.wait_half_way(lambda: self.run_under_way.num_done() >= wanted, "more groups were done")

    def wait_until_both_have_worked(self):
        self.wait_half_way(lambda: all(replica.metric("ladder_groups_total") > 30 for replica in
                                       (self.killed, self.drained)), "both victims had worked")

    def drain(self):
        """Stops a replica by SIGTERM, in the middle of the run and of a group that was half sent to it."""
        samples = np.random.default_rng(5).normal(size=(60, 6))
        with Client(self.drained.address) as client, client.stream() as stream:
            stream.begin("half", model="tiny", route_after=30)
            stream.send("half", samples[:30])
            self.assertIsNotNone(next(iter(stream)).routing)
            self.drained.process.send_signal(signal.SIGTERM)
            self.wait_half_way(lambda: not self.drained.is_ready(), "the replica drained")
            self.wait_for_progress()
            self.assertIsNone(self.drained.process.poll(), "it left a group that it had begun")
            stream.send("half", samples[30:])
            stream.done()
            predicted = [len(answer.predictions.labels) for answer in stream if answer.predictions]
        self.assertEqual(sum(predicted), len(samples))
        self.assertEqual(self.drained.process.wait(timeout=LIMIT_SECONDS), 0, self.drained.log()[-2000:])

    def check_drained_finished_what_it_had_begun(self):
        lines = [json.loads(line) for line in self.drained.log().splitlines() if line.startswith("{")]
        self.assertEqual({line["code"] for line in lines if line["message"] == "group"}, {"OK"})

    def check_like_alone(self):
        found = self.run_under_way.predictions()
        self.assertEqual(found.ids, self.batch.ids)
        self.assertEqual(found.weights, self.alone.weights)
        np.testing.assert_allclose(found.probabilities(), self.alone.probabilities(), rtol=0, atol=1e-5)

    def test_behind_envoy_nothing_is_lost(self):
        envoy = Envoy(self.stack, self.folder, self.replicas)
        self.start("envoy", envoy.address)
        self.wait_until_both_have_worked()
        # Frozen first, so that it dies with calls that it has not answered.
        self.killed.process.send_signal(signal.SIGSTOP)
        self.wait_half_way(lambda: envoy.calls_under_way(self.killed), "the frozen replica had calls")
        self.killed.process.kill()
        self.wait_for_progress()
        self.drain()
        self.check_like_alone()
        self.check_drained_finished_what_it_had_begun()
        self.assertGreater(envoy.calls_saved(), 0)

    def test_an_answer_that_envoy_has_to_cut_off_is_unavailable_so_that_its_group_is_sent_again(self):
        envoy = Envoy(self.stack, self.folder, self.replicas)
        with Client(envoy.address) as client, client.stream() as stream:
            stream.begin("cut off", model="tiny", route_after=30)
            stream.send("cut off", np.zeros((30, 6)))
            self.assertIsNotNone(next(iter(stream)).routing)
            for replica in self.replicas:
                replica.process.kill()
            with self.assertRaises(LadderError) as caught:
                list(stream)
        self.assertEqual(caught.exception.code, grpc.StatusCode.UNAVAILABLE)

    def test_with_turns_of_the_client_itself_nothing_is_lost(self):
        self.start("turns", "ipv4:" + ",".join(replica.address for replica in self.replicas))
        self.wait_until_both_have_worked()
        self.killed.process.kill()
        self.wait_for_progress()
        self.drain()
        self.check_like_alone()
        self.check_drained_finished_what_it_had_begun()


if __name__ == "__main__":
    _programs.extend(sys.argv[1:3])
    del sys.argv[1:3]
    unittest.main()
