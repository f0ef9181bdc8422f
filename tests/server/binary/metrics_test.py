"""What /metrics and the access log say of groups that were served.

Usage: metrics_test.py LADDER_SERVER WRITE_STORE WRITE_CERTIFICATES DESCRIPTORS
"""

import io
import json
import re
import threading
import unittest
from collections import Counter

import numpy as np
import tritonclient.grpc as triton
from PIL import Image

import running_server
from ladder_client import LadderClient
from running_server import RunningServer, get, store_with, wait_until

STAGES = ["decode", "encode", "style", "route", "heads"]
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
MANY = 100_000
PER_STREAM = 10_000
MEBIBYTE = 1 << 20


class Page:
    """What is read from /metrics at one moment."""

    def __init__(self, server):
        status, text = get(server.metrics)
        if status != 200:
            raise AssertionError(f"status {status}: {text}")
        self.values = {}
        for line in text.splitlines():
            if line.startswith("#"):
                continue
            name, labels, value = re.fullmatch(r"([a-z_]+)(?:\{(.*)\})? (\S+)", line).groups()
            key = name, frozenset(re.findall(r'([a-z0-9_]+)="((?:[^"\\]|\\.)*)"', labels or ""))
            if key in self.values:
                raise AssertionError(f"twice: {line}")
            self.values[key] = float(value)

    def get(self, name, **labels):
        return self.values[name, frozenset(labels.items())]

    def labels(self, name):
        return [dict(labels) for found, labels in self.values if found == name]


def rows(count, seed):
    return np.random.default_rng(seed).normal(size=(count, 6))


def png():
    file = io.BytesIO()
    Image.new("RGB", (8, 8), (10, 100, 200)).save(file, "PNG")
    return file.getvalue()


class MetricsTest(unittest.TestCase):
    def routings(self, answers):
        return {a.group: a.routing for a in answers if a.WhichOneof("answer") == "routing"}

    def test_served_groups_are_counted(self):
        server = RunningServer(self, store_with(self, "tensor", "image"))
        client = LadderClient(self, server.address)
        too_few = {"min_samples": 5, "fallback": "FALLBACK_UNIFORM"}
        answers = client.predict([
            client.request("four", "tensor", rows(4, 1), continue_on_group_error=True),
            client.request("six", "tensor", rows(6, 2) + 1),
            client.request("few", "tensor", rows(3, 3), options=too_few),
            client.request("wrong", "tensor", np.ones((2, 7)))])
        routings = self.routings(answers)
        self.assertEqual(set(routings), {"four", "six", "few"})
        self.assertEqual(len(client.predict([client.request("pictures", "image", [png(), b"no picture", png()])])), 3)
        triton_client = triton.InferenceServerClient(server.address)
        self.addCleanup(triton_client.close)
        x = triton.InferInput("x", [2, 6], "FP32")
        x.set_data_from_numpy(np.ones((2, 6), np.float32))
        triton_client.infer("tensor", [x], parameters={"method": "uniform"})

        page = Page(server)
        self.check_calls(page)
        self.check_groups(page)
        self.check_routing(page, routings)
        self.check_models_and_process(page, server)

    def check_calls(self, page):
        self.assertEqual(page.get("ladder_requests_total", rpc="PredictDomain", code="OK"), 2)
        self.assertEqual(page.get("ladder_requests_total", rpc="ModelInfer", code="OK"), 1)
        self.assertEqual(page.get("ladder_request_duration_seconds_count", rpc="PredictDomain"), 2)
        self.assertGreater(page.get("ladder_request_duration_seconds_sum", rpc="PredictDomain"), 0)
        self.assertEqual(page.get("ladder_in_flight_requests", rpc="PredictDomain"), 0)
        self.assertEqual(page.get("ladder_queue_depth_samples"), 0)
        self.assertEqual(page.get("ladder_queue_limit_samples"), 16384)
        self.assertEqual(page.get("ladder_admitted_limit_requests"), 256)
        self.assertGreater(page.get("ladder_in_flight_limit_bytes"), 0)

    def check_groups(self, page):
        self.assertEqual(page.get("ladder_groups_total", model="tensor", version="1", code="OK"), 4)
        self.assertEqual(page.get("ladder_groups_total", model="tensor", version="1", code="INVALID_ARGUMENT"), 1)
        self.assertEqual(page.get("ladder_groups_total", model="image", version="1", code="OK"), 1)
        self.assertEqual(page.get("ladder_samples_total", model="tensor", version="1"), 4 + 6 + 3 + 2)
        self.assertEqual(page.get("ladder_samples_total", model="image", version="1"), 2)
        self.assertEqual(page.get("ladder_images_rejected_total", reason="unsupported"), 1)
        self.assertEqual(page.get("ladder_batch_size_samples_sum", model="tensor"), 4 + 6 + 3 + 2)
        self.assertEqual(page.get("ladder_batch_size_samples_sum", model="image"), 2)
        self.assertGreater(page.get("ladder_queue_wait_seconds_count"), 0)
        for stage in STAGES:
            self.assertGreater(page.get("ladder_stage_duration_seconds_count", stage=stage), 0, stage)
            self.assertGreater(page.get("ladder_stage_duration_seconds_sum", stage=stage), 0, stage)

    def check_routing(self, page, routings):
        for group, routing in routings.items():
            for source in routing.sources:
                if source.weight > 0:
                    found = page.get("ladder_group_weight", model="tensor", group=group, source=source.source)
                    self.assertAlmostEqual(found, source.weight, places=6)
        sums = Counter({f"source-{e}": 1 / 3 for e in range(3)})  # Of ModelInfer.
        for routing in routings.values():
            sums.update({source.source: source.weight for source in routing.sources})
        for source, weight in sums.items():
            found = page.get("ladder_source_weight_total", model="tensor", version="1", source=source)
            self.assertAlmostEqual(found, weight, places=5)
        self.assertEqual(page.get("ladder_routed_groups_total", model="tensor", version="1"), 4)
        self.assertAlmostEqual(page.get("ladder_effective_experts_sum", model="tensor", version="1"),
                               3 + sum(routing.effective_experts for routing in routings.values()), places=5)
        distances = [r.coverage.nearest_distance for r in routings.values() if r.has_distances]
        self.assertEqual(page.get("ladder_nearest_distance_count", model="tensor", version="1"), len(distances))
        self.assertAlmostEqual(page.get("ladder_nearest_distance_sum", model="tensor", version="1"), sum(distances),
                               places=5)
        verdicts = Counter(r.coverage.Verdict.Name(r.coverage.verdict) for r in routings.values())
        verdicts["UNKNOWN"] += 1  # Of ModelInfer.
        for verdict in ["UNKNOWN", "IN", "EDGE", "OUT"]:
            self.assertEqual(page.get("ladder_coverage_verdicts_total", model="tensor", version="1", verdict=verdict),
                             verdicts[verdict], verdict)
        self.assertEqual(page.get("ladder_out_of_coverage_groups_total", model="tensor", version="1"), verdicts["OUT"])
        self.assertEqual(page.get("ladder_fallbacks_total", model="tensor", version="1", fallback="uniform",
                                  reason="too_few_samples"), 1)
        coverage = routings["four"].coverage
        for verdict, threshold in [("EDGE", coverage.in_threshold), ("OUT", coverage.out_threshold)]:
            self.assertAlmostEqual(page.get("ladder_coverage_threshold_distance", model="tensor", version="1",
                                            verdict=verdict, sample_size="4"), threshold)

    def check_models_and_process(self, page, server):
        for model in ["tensor", "image"]:
            self.assertEqual(page.get("ladder_model_loads_total", model=model, result="ok"), 1)
            self.assertEqual(page.get("ladder_model_served_versions", model=model), 1)
        self.assertEqual({(l["model"], l["version"]) for l in page.labels("ladder_model_info")},
                         {("tensor", "1"), ("image", "1")})
        found = page.get("ladder_process_resident_memory_bytes")
        self.assertLess(abs(found - server.resident_bytes()), 50 * MEBIBYTE)
        self.assertTrue(all(name.startswith("ladder_") for name, _ in page.values))

    def test_what_a_stream_takes_of_the_limits_is_given_back(self):
        server = RunningServer(self, store_with(self, "tensor"), "--max-queued-samples=100",
                               "--max-concurrent-streams=2", "--max-inflight-bytes=1MiB")
        page = Page(server)
        self.assertEqual([page.get(f"ladder_{limit}") for limit in (
            "queue_limit_samples", "admitted_limit_requests", "in_flight_limit_bytes")], [100, 2, MEBIBYTE])
        client = LadderClient(self, server.address)
        more = threading.Event()
        self.addCleanup(more.set)

        def requests():
            yield client.request("open", "tensor", rows(4, 1), end=False)
            more.wait(running_server.LIMIT_SECONDS)

        answers = client.method("PredictDomain")(requests(), timeout=running_server.LIMIT_SECONDS)

        def in_use():
            page = Page(server)
            return page.get("ladder_admitted_requests"), page.get("ladder_in_flight_bytes") > 0

        wait_until(lambda: in_use() == (1, True), "the stream is let in and takes memory")
        more.set()
        self.assertEqual(len(list(answers)), 3)
        wait_until(lambda: in_use() == (0, False), "all is given back")

    def test_failed_and_new_versions_are_counted(self):
        store = store_with(self, "tensor")
        server = RunningServer(self, store, "--repository-poll-secs=0.1")
        (store / "tensor" / "2").mkdir()
        (store / "tensor" / "2" / "manifest.json").write_text("{}")
        wait_until(lambda: Page(server).get("ladder_model_loads_total", model="tensor", result="failed") == 1,
                   "version 2 has failed")
        running_server.write_bundle(store, "tensor", version=3)
        wait_until(lambda: Page(server).labels("ladder_model_info")[0]["version"] == "3", "version 3 is served")
        wait_until(lambda: ("ladder_model_unloads_total", frozenset({("model", "tensor")})) in Page(server).values,
                   "version 1 is unloaded")

    def test_many_group_names_leave_few_series_and_little_memory(self):
        server = RunningServer(self, store_with(self, "tensor"), "--access-log=false")
        client = LadderClient(self, server.address)
        x = np.ones((1, 6))
        options = {"routing": {"skip_diagnostics": True}}
        method = client.channel.stream_stream("/ladder.v1.DomainRouting/PredictDomain")

        template = client.request("", "tensor", x, options=options).SerializeToString()

        def serve(first):
            """Groups of new names, as many as a stream may have open."""
            # A message's parts may be joined in any order.
            names = (client.message("PredictDomainRequest", group=f"group-{first + i}") for i in range(PER_STREAM))
            requests = (template + name.SerializeToString() for name in names)
            count = sum(1 for _ in method(requests, timeout=running_server.LIMIT_SECONDS))
            self.assertEqual(count, 3 * PER_STREAM)

        def count_series():
            return Counter(name for name, _ in Page(server).values)

        serve(0)
        series, resident = count_series(), server.resident_bytes()
        for first in range(PER_STREAM, MANY, PER_STREAM):
            serve(first)
        self.assertEqual(Page(server).get("ladder_groups_total", model="tensor", version="1", code="OK"), MANY)
        self.assertEqual(count_series(), series)
        self.assertLessEqual(len({l["group"] for l in Page(server).labels("ladder_group_weight")}), 50)
        self.assertLess(server.resident_bytes() - resident, 64 * MEBIBYTE)
        server.stop()

    def test_recent_groups_expire(self):
        server = RunningServer(self, store_with(self, "tensor"), "--metrics-group-expiry-secs=0.05",
                               "--metrics-recent-groups=2")
        client = LadderClient(self, server.address)
        client.predict([client.request("short-lived", "tensor", rows(3, 1))])
        wait_until(lambda: not Page(server).labels("ladder_group_weight"), "the group is forgotten")


class AccessLogTest(unittest.TestCase):
    def serve(self, *flags):
        server = RunningServer(self, store_with(self, "tensor"), *flags)
        client = LadderClient(self, server.address)
        answers = client.predict(
            [client.request("one", "tensor", rows(4, 1), continue_on_group_error=True),
             client.request("a name\nof two lines", "tensor", rows(5, 2)),
             client.request("wrong", "tensor", np.ones((2, 7)))],
            metadata=[("x-request-id", "my-request"), ("traceparent", f"00-{TRACE}-00f067aa0ba902b7-01")])
        server.stop()
        return server.log().splitlines(), answers

    def test_json_has_one_line_for_each_group(self):
        lines, answers = self.serve("--log-format=json")
        entries = [json.loads(line) for line in lines]
        groups = {entry["group"]: entry for entry in entries if entry["message"] == "group"}
        self.assertEqual(len([entry for entry in entries if entry["message"] == "group"]), 3)
        self.assertEqual(set(groups), {"one", "a name\nof two lines", "wrong"})
        for entry in groups.values():
            self.assertEqual((entry["request_id"], entry["trace_id"]), ("my-request", TRACE))
            self.assertEqual((entry["rpc"], entry["model"], entry["version"]), ("PredictDomain", "tensor", 1))
            self.assertGreater(entry["duration_seconds"], 0)
        one = groups["one"]
        routing = next(a.routing for a in answers if a.group == "one" and a.WhichOneof("answer") == "routing")
        self.assertEqual((one["n"], one["method"], one["code"]), (4, "ladder", "OK"))
        self.assertEqual(one["coverage"], routing.coverage.Verdict.Name(routing.coverage.verdict))
        weights = {source.source: round(source.weight, 4) for source in routing.sources if source.weight > 0}
        self.assertEqual(one["top_weights"], weights)
        self.assertLessEqual({"encode", "route", "heads"}, set(one["stage_seconds"]))
        self.assertEqual(groups["wrong"]["code"], "INVALID_ARGUMENT")
        self.assertIn("7", groups["wrong"]["error"])

    def test_text_has_one_line_for_each_group(self):
        lines, _ = self.serve()
        groups = [line for line in lines if " INFO group " in line]
        self.assertEqual(len(groups), 3, lines)
        one = next(line for line in groups if " group=one " in line)
        for part in ["request_id=my-request", f"trace_id={TRACE}", "model=tensor", "n=4", "method=ladder", "code=OK"]:
            self.assertIn(f" {part} ", one)
        self.assertTrue(any('group="a name\\nof two lines"' in line for line in groups), groups)

    def test_it_can_be_turned_off(self):
        lines, _ = self.serve("--access-log=false")
        self.assertEqual([line for line in lines if " group " in line], [])


if __name__ == "__main__":
    running_server.main()
