"""Groups become spans in an OpenTelemetry collector.

Usage: traces_test.py LADDER_SERVER WRITE_STORE WRITE_CERTIFICATES DESCRIPTORS TracesTest|WithoutTracesTest
"""

import concurrent.futures
import subprocess
import unittest

import grpc
import numpy as np
import tritonclient.grpc as triton
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.trace.v1 import trace_pb2
from tritonclient.utils import InferenceServerException

import running_server
from ladder_client import LadderClient
from running_server import LIMIT_SECONDS, RunningServer, ladder_server, store_with, temporary_folder, wait_until

TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLER = "b7ad6b7169203331"


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Keeps what it is sent."""

    def __init__(self, test):
        self.resources = []
        self.spans = []
        server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
        trace_service_pb2_grpc.add_TraceServiceServicer_to_server(self, server)
        port = server.add_insecure_port("127.0.0.1:0")
        self.url = f"http://127.0.0.1:{port}"
        server.start()
        test.addCleanup(lambda: server.stop(None).wait())

    def Export(self, request, context):
        for part in request.resource_spans:
            self.resources.append(values(part.resource.attributes))
            self.spans.extend(span for scope in part.scope_spans for span in scope.spans)
        return trace_service_pb2.ExportTraceServiceResponse()


def values(attributes):
    return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in attributes}


class TracesTest(unittest.TestCase):
    def setUp(self):
        self.collector = Collector(self)
        self.store = store_with(self, "tensor")

    def start(self, **variables):
        return RunningServer(self, self.store, f"--otlp-endpoint={self.collector.url}", variables=variables)

    def predict(self, server, traceparent=None, samples=40, options=None):
        client = LadderClient(self, server.address)
        metadata = [("x-request-id", "my-request")] + ([("traceparent", traceparent)] if traceparent else [])
        return client.predict([client.request("lake", "tensor", np.ones((samples, 6)), options=options)],
                              metadata=metadata)

    def spans_after_stop(self, server):
        """By their names."""
        server.stop()
        names = [span.name for span in self.collector.spans]
        self.assertEqual(len(names), len(set(names)), names)
        return dict(zip(names, self.collector.spans))

    def test_a_group_is_a_span_of_the_callers_trace_with_a_child_for_every_stage(self):
        server = self.start()
        self.predict(server, f"00-{TRACE}-{CALLER}-01")
        spans = self.spans_after_stop(server)

        group = spans.pop("PredictDomain")
        self.assertEqual((group.trace_id.hex(), group.parent_span_id.hex()), (TRACE, CALLER))
        self.assertEqual(group.kind, trace_pb2.Span.SPAN_KIND_SERVER)
        attributes = values(group.attributes)
        expected = {"rpc.system": "grpc", "rpc.method": "PredictDomain", "rpc.grpc.status_code": 0,
                    "ladder.request_id": "my-request", "ladder.group": "lake", "ladder.model": "tensor",
                    "ladder.version": 1, "ladder.samples": 40, "ladder.rejected": 0, "ladder.method": "ladder"}
        self.assertEqual({key: attributes.get(key) for key in expected}, expected)
        self.assertEqual(set(spans), {"queue", "encode", "style", "route", "heads"})
        for name, span in spans.items():
            with self.subTest(name):
                self.assertEqual((span.trace_id, span.parent_span_id), (group.trace_id, group.span_id))
                self.assertGreaterEqual(span.start_time_unix_nano, group.start_time_unix_nano)
                self.assertGreaterEqual(span.end_time_unix_nano, span.start_time_unix_nano)
                self.assertLessEqual(span.end_time_unix_nano, group.end_time_unix_nano)
                self.assertGreater(values(span.attributes)["ladder.busy_seconds"], 0)
        order = [spans[name].start_time_unix_nano for name in ["queue", "encode", "style", "route", "heads"]]
        self.assertEqual(order, sorted(order))
        self.assertEqual(self.collector.resources[0]["service.name"], "ladder-server")

    def test_a_group_without_a_trace_begins_one(self):
        server = self.start(OTEL_SERVICE_NAME="my-ladder")
        self.predict(server)
        group = self.spans_after_stop(server)["PredictDomain"]
        self.assertEqual(len(group.trace_id), 16)
        self.assertEqual(group.parent_span_id, b"")
        self.assertEqual(self.collector.resources[0]["service.name"], "my-ladder")

    def test_a_trace_that_is_not_sampled_is_not_exported(self):
        server = self.start()
        self.predict(server, f"00-{TRACE}-{CALLER}-00")
        self.assertEqual(self.spans_after_stop(server), {})

    def test_a_failed_group_is_a_failed_span(self):
        server = self.start()
        with self.assertRaises(grpc.RpcError):
            self.predict(server, options={"min_samples": 100, "fallback": "FALLBACK_ERROR"})
        group = self.spans_after_stop(server)["PredictDomain"]
        self.assertEqual(group.status.code, trace_pb2.Status.STATUS_CODE_ERROR)
        self.assertEqual(group.status.message, "expected at least 100 samples, got 40")
        self.assertEqual(values(group.attributes)["rpc.grpc.status_code"],
                         grpc.StatusCode.FAILED_PRECONDITION.value[0])

    def test_a_groups_name_need_not_be_utf_8(self):
        server = self.start()
        client = triton.InferenceServerClient(server.address)
        self.addCleanup(client.close)
        inputs = [triton.InferInput("x", [2, 6], "FP32"), triton.InferInput("group", [2], "BYTES")]
        inputs[0].set_data_from_numpy(np.ones((2, 6), np.float32))
        inputs[1].set_data_from_numpy(np.array([b"caf\xe9", b"caf\xe9"], object))
        with self.assertRaisesRegex(InferenceServerException, r'group "caf\\xE9": expected at least 5 samples, got 2'):
            client.infer("tensor", inputs, parameters={"min_samples": 5})
        group = self.spans_after_stop(server)["ModelInfer"]
        self.assertEqual(values(group.attributes)["ladder.group"], r"caf\xE9")

    def test_spans_come_while_it_serves(self):
        server = self.start()
        self.predict(server)
        wait_until(lambda: self.collector.spans, "spans have come")

    def test_without_a_collector_groups_are_served_and_the_log_says_so(self):
        server = RunningServer(self, self.store, "--otlp-endpoint=http://127.0.0.1:9")
        self.predict(server)
        server.stop()
        self.assertIn("OpenTelemetry", server.log())
        self.assertEqual(server.process.stdout.read(), b"")


class WithoutTracesTest(unittest.TestCase):
    def test_a_server_without_opentelemetry_says_so_and_stops(self):
        done = subprocess.run([ladder_server(), f"--model-repository={temporary_folder(self)}",
                               "--otlp-endpoint=http://localhost:4317"], capture_output=True, text=True,
                              timeout=LIMIT_SECONDS)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "ladder-server: --otlp-endpoint: expected a ladder-server that was built with "
                                      "OpenTelemetry, got one without\n")


if __name__ == "__main__":
    running_server.main()
