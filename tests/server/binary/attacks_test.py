"""After each attack a healthy client still gets answers, and memory is under a bound.

Usage: attacks_test.py LADDER_SERVER WRITE_STORE WRITE_CERTIFICATES DESCRIPTORS
"""

import io
import random
import resource
import socket
import struct
import unittest
import zlib

import grpc
import numpy as np
import tritonclient.grpc as triton
from PIL import Image
from tritonclient.grpc import service_pb2
from tritonclient.utils import InferenceServerException

import raw_http2
import running_server
from ladder_client import Conversation, LadderClient
from running_server import LIMIT_SECONDS, RunningServer, get, store_with, wait_until

MEBIBYTE = 1 << 20
PREDICT = "/ladder.v1.DomainRouting/PredictDomain"
BAD_NAMES = ["../tensor", "..", ".", "", "/etc/passwd", "a/b", "a\\b", "a\0b", "tensor/1", "x" * 129, "y" * 500_000]
MAX_CALLS = 8
# Resident memory may grow by this. An attack costs a gigabyte where nothing is done about it.
MAX_GROWTH = 256 * MEBIBYTE


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def wide_png(side=20_000):
    """All black; a gigabyte when it is decoded."""
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    pixels = zlib.compress(bytes((side // 8 + 1) * side))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def jpeg_of_many_scans(count=400):
    """A progressive one whose last scan is repeated."""
    file = io.BytesIO()
    Image.new("RGB", (2000, 2000), (10, 100, 200)).save(file, "JPEG", progressive=True)
    data = file.getvalue()
    last_scan = data[data.rindex(b"\xff\xda"):-2]
    return data[:-2] + last_scan * count + data[-2:]


def triton_request(model, x):
    """A ModelInfer request's bytes."""
    tensor = triton.InferInput("x", list(x.shape), "FP32")
    tensor.set_data_from_numpy(x)
    request = service_pb2.ModelInferRequest(model_name=model)
    request.inputs.extend([tensor._get_tensor()])
    request.raw_input_contents.extend([tensor._get_content()])
    return request.SerializeToString()


class AttacksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.store = store_with(cls, "tensor", "image")
        cls.server = RunningServer(cls, cls.store, "--max-message-bytes=1MiB", "--allow-model-control",
                                   "--allow-label-control", f"--max-concurrent-streams={MAX_CALLS}")
        LadderClient(cls, cls.server.address).check_serves()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.before = self.server.resident_bytes()
        self.client = LadderClient(self, self.server.address)

    def check_survived(self):
        LadderClient(self, self.server.address).check_serves()
        self.assertEqual(get(self.server.probes + "/v2/health/ready"), (200, "ok\n"))
        self.assertLess(self.server.resident_bytes() - self.before, MAX_GROWTH)

    def serves(self):
        return LadderClient(self, self.server.address).is_served()

    def check_fails(self, code, requests, client=None, **call):
        """What the error says."""
        with self.assertRaises(grpc.RpcError) as caught:
            (client or self.client).predict(requests, **call)
        self.assertEqual(caught.exception.code(), code, caught.exception.details())
        return caught.exception.details()

    def metric(self, name):
        """Of PredictDomain, the sum over all codes."""
        lines = get(self.server.metrics)[1].splitlines()
        chosen = [line for line in lines if line.startswith(name) and 'rpc="PredictDomain"' in line]
        return sum(float(line.split()[-1]) for line in chosen)

    def test_compressed_messages_are_refused(self):
        zeros = self.client.request("bomb", "tensor", np.zeros((100 * MEBIBYTE // 24, 6)))
        self.check_fails(grpc.StatusCode.UNIMPLEMENTED, [zeros], compression=grpc.Compression.Gzip)
        self.check_survived()

    def test_oversize_messages_are_refused(self):
        for mebibytes in [1.04, 1.5, 40]:
            with self.subTest(mebibytes):
                rows = np.zeros((int(mebibytes * MEBIBYTE) // 24, 6))
                client = LadderClient(self, self.server.address)
                details = self.check_fails(grpc.StatusCode.RESOURCE_EXHAUSTED,
                                           [client.request("large", "tensor", rows)], client)
                if mebibytes < 1.06:
                    self.assertIn("--max-message-bytes", details)
        self.check_survived()

    def test_oversize_requests_of_inference_are_refused(self):
        client = triton.InferenceServerClient(self.server.address)
        self.addCleanup(client.close)
        x = triton.InferInput("x", [45000, 6], "FP32")
        x.set_data_from_numpy(np.zeros((45000, 6), np.float32))
        with self.assertRaises(InferenceServerException) as caught:
            client.infer("tensor", [x])
        self.assertEqual(caught.exception.status(), "StatusCode.RESOURCE_EXHAUSTED")
        self.assertIn("--max-message-bytes", caught.exception.message())
        self.check_survived()

    def test_calls_beyond_the_limit_are_refused_at_once(self):
        held = [Conversation(self.client) for _ in range(MAX_CALLS)]
        for stream in held:
            self.addCleanup(stream.hang_up)
            stream.ask("held", "tensor", np.ones((2, 6)))
        other = LadderClient(self, self.server.address)
        with self.assertRaises(grpc.RpcError) as caught:
            other.predict([other.request("more", "tensor", np.ones((2, 6)))])
        self.assertEqual(caught.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        self.assertIn("--max-concurrent-streams: expected at most 8 calls at once", caught.exception.details())
        self.assertGreater(int(dict(caught.exception.trailing_metadata())["grpc-retry-pushback-ms"]), 0)
        for stream in held:
            stream.ask("held", "tensor", np.ones((2, 6)))
            stream.hang_up()
            self.assertEqual(stream.hear_all(), [])
        self.check_survived()

    def test_streams_of_one_that_confirms_no_settings_are_limited(self):
        ended = self.metric("ladder_requests_total")
        connection = raw_http2.connect(self, self.server.address, LIMIT_SECONDS)
        connection.sendall(raw_http2.PREFACE + raw_http2.frame(raw_http2.SETTINGS))
        for stream in range(1, 1001, 2):
            connection.sendall(raw_http2.call_headers(stream, PREDICT))
        refused = 500 - MAX_CALLS
        wait_until(lambda: self.metric("ladder_requests_total") - ended == refused, "all but those allowed have ended")
        self.assertEqual(self.metric("ladder_in_flight_requests"), MAX_CALLS)
        connection.close()
        wait_until(lambda: self.metric("ladder_in_flight_requests") == 0, "the others have ended, too")
        self.check_survived()

    def test_calls_that_are_given_up_leave_nothing_behind(self):
        for _ in range(200):
            stream = Conversation(self.client)
            stream.say("given up", "tensor", np.ones((1000, 6)), end=False)
            stream.cancel()
        wait_until(lambda: self.metric("ladder_in_flight_requests") == 0, "all calls have ended")
        self.check_survived()

    # A bare gRPC 1.51 stands only so many of the three attacks below (SECURITY.md).

    def test_calls_that_are_reset_at_once_leave_nothing_behind(self):
        connection = raw_http2.connect(self, self.server.address, LIMIT_SECONDS)
        connection.sendall(raw_http2.PREFACE + raw_http2.frame(raw_http2.SETTINGS))
        for stream in range(1, 10_001, 2):
            raw_http2.send(connection, raw_http2.call_headers(stream, PREDICT)
                           + raw_http2.frame(raw_http2.RST_STREAM, 0, stream, raw_http2.CANCEL))
        connection.shutdown(socket.SHUT_WR)
        raw_http2.read_to_end(connection)  # The server hangs up once it has read all of it.
        wait_until(lambda: self.metric("ladder_in_flight_requests") == 0, "all calls have ended")
        wait_until(self.serves, "there is room for others")
        self.check_survived()

    def test_headers_without_end_are_borne(self):
        fields = b"".join(raw_http2.literal(f"x-{number}", "v" * 100) for number in range(100))
        connection = raw_http2.connect(self, self.server.address, LIMIT_SECONDS)
        connection.sendall(raw_http2.PREFACE + raw_http2.frame(raw_http2.SETTINGS))
        raw_http2.send(connection, raw_http2.frame(raw_http2.HEADERS, 0, 1))
        for _ in range(10 * MEBIBYTE // len(fields)):
            raw_http2.send(connection, raw_http2.frame(raw_http2.CONTINUATION, 0, 1, fields))
        self.check_survived()

    def test_a_header_of_a_gibibyte_is_borne(self):
        connection = raw_http2.connect(self, self.server.address, LIMIT_SECONDS)
        connection.sendall(raw_http2.PREFACE + raw_http2.frame(raw_http2.SETTINGS))
        raw_http2.send(connection, raw_http2.frame(raw_http2.HEADERS, 0, 1,
                                                   raw_http2.begin_of_long_value("x", 1 << 30)))
        for _ in range(64):
            raw_http2.send(connection, raw_http2.frame(raw_http2.CONTINUATION, 0, 1, b"v" * 16_000))
        self.check_survived()

    def test_messages_of_very_many_parts_are_refused_unread(self):
        ids = self.client.request("g", "tensor", np.ones((2, 6)))
        ids.samples.ids.extend([""] * (MEBIBYTE // 2 - 1000))
        details = self.check_fails(grpc.StatusCode.RESOURCE_EXHAUSTED, [ids])
        self.assertIn("--max-message-bytes: expected a message of at most 4194304 bytes in memory", details)
        unknown = b"\xfa\x7f\x00" * 300_000
        for method in ["/ladder.v1.DomainRouting/GetModel", "/inference.GRPCInferenceService/ServerLive"]:
            with self.subTest(method):
                with self.assertRaises(grpc.RpcError) as caught:
                    self.client.channel.unary_unary(method)(unknown, timeout=LIMIT_SECONDS)
                self.assertEqual(caught.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        self.check_survived()

    def test_a_flood_of_pings_ends_the_connection(self):
        connection = raw_http2.connect(self, self.server.address, LIMIT_SECONDS)
        connection.sendall(raw_http2.PREFACE + raw_http2.frame(raw_http2.SETTINGS))
        for _ in range(100):
            if not raw_http2.send(connection, raw_http2.frame(raw_http2.PING, payload=bytes(8)) * 100):
                break
        found = raw_http2.frames(raw_http2.read_to_end(connection))
        self.assertIn(raw_http2.GOAWAY, [kind for kind, *_ in found])
        self.check_survived()

    def test_what_is_no_http2_is_hung_up_on(self):
        draws = random.Random(1)
        for data in [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", draws.randbytes(10_000),
                     raw_http2.PREFACE + draws.randbytes(10_000),
                     raw_http2.PREFACE + raw_http2.frame(raw_http2.SETTINGS, payload=b"\0" * 5),
                     raw_http2.PREFACE + raw_http2.frame(raw_http2.CONTINUATION, 0, 1, b"x")]:
            with self.subTest(data[:30]):
                connection = raw_http2.connect(self, self.server.address, LIMIT_SECONDS)
                raw_http2.send(connection, data)
                raw_http2.read_to_end(connection)
        self.check_survived()

    def test_paths_in_names_of_models_reach_no_file(self):
        inference = triton.InferenceServerClient(self.server.address)
        self.addCleanup(inference.close)
        for name in BAD_NAMES:
            reload = self.client.message("ReloadModelRequest", name=name)
            get_model = self.client.message("GetModelRequest", model={"name": name})
            set_label = self.client.message("SetModelLabelRequest", name=name, label="stable", version=1)
            calls = [
                lambda: self.client.predict([self.client.request("g", samples=np.ones((2, 6)), options={
                    "model": {"name": name}})]),
                lambda: self.client.method("ReloadModel")(reload, timeout=LIMIT_SECONDS),
                lambda: self.client.method("GetModel")(get_model, timeout=LIMIT_SECONDS),
                lambda: self.client.method("SetModelLabel")(set_label, timeout=LIMIT_SECONDS),
                lambda: inference.get_model_metadata(name),
                lambda: inference.load_model(name),
                lambda: inference.unload_model(name),
            ]
            for number, call in enumerate(calls):
                with self.subTest(name=name[:20], call=number):
                    with self.assertRaises((grpc.RpcError, InferenceServerException)) as caught:
                        call()
                    error = caught.exception
                    rpc = isinstance(error, grpc.RpcError)
                    code = str(error.code()) if rpc else error.status()
                    details = error.details() if rpc else error.message()
                    self.assertEqual(code, "StatusCode.INVALID_ARGUMENT", details)
                    self.assertLessEqual(len(details), 2048)
                    self.assertNotIn(str(self.store), details)
        self.check_survived()

    def test_messages_that_cannot_be_parsed_are_errors(self):
        for data in [b"\xff" * 100, b"\x0a\xff\xff\xff\xff\x0f", random.Random(2).randbytes(1000)]:
            for kind, method in [("stream_stream", PREDICT), ("stream_unary", "/ladder.v1.DomainRouting/RouteDomain"),
                                 ("unary_unary", "/ladder.v1.DomainRouting/GetModel"),
                                 ("unary_unary", "/inference.GRPCInferenceService/ModelInfer"),
                                 ("stream_stream", "/inference.GRPCInferenceService/ModelStreamInfer")]:
                with self.subTest(method=method, data=data[:5]):
                    call = getattr(self.client.channel, kind)(method)
                    with self.assertRaises(grpc.RpcError) as caught:
                        answer = call(iter([data]) if kind.startswith("stream") else data, timeout=LIMIT_SECONDS)
                        if kind == "stream_stream":
                            list(answer)
                    self.assertNotEqual(caught.exception.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        self.check_survived()

    def test_unknown_methods_are_not_implemented(self):
        for method in ["/ladder.v1.DomainRouting/Other", "/other.Service/Get", "/../../etc/passwd",
                       "/inference.GRPCInferenceService/SystemSharedMemoryRegister"]:
            with self.subTest(method):
                with self.assertRaises(grpc.RpcError) as caught:
                    self.client.channel.unary_unary(method)(b"", timeout=LIMIT_SECONDS)
                self.assertEqual(caught.exception.code(), grpc.StatusCode.UNIMPLEMENTED)
        self.check_survived()

    def test_pictures_that_cost_too_much_are_rejected_unread(self):
        for name, picture in [("png", wide_png()), ("jpeg", jpeg_of_many_scans())]:
            with self.subTest(name):
                self.assertLess(len(picture), MEBIBYTE)
                before = self.server.cpu_seconds()
                answers = self.client.predict([self.client.request("costly", "image", [picture], options={
                    "min_samples": 0, "fallback": "FALLBACK_UNIFORM"}, continue_on_group_error=True)])
                rejected = [r for answer in answers for r in answer.predictions.rejected]
                self.assertEqual([r.reason for r in rejected], ["too_large"], answers)
                # Decoding takes tens of seconds.
                self.assertLess(self.server.cpu_seconds() - before, 2)
        self.check_survived()

    def test_metadata_that_proxies_let_pass_do_not_disturb_others_of_the_connection(self):
        calm = Conversation(self.client)
        self.addCleanup(calm.hang_up)
        calm.say("calm", "tensor", np.ones((2, 6)), end=False)
        request = self.client.message("ListModelsRequest")
        large = [(f"x-{number}", "v" * 1000) for number in range(40)]
        answer = self.client.method("ListModels")(request, metadata=large, timeout=LIMIT_SECONDS)
        self.assertEqual(len(answer.models), 2)
        calm.say("calm", samples=np.ones((2, 6)))
        calm.hang_up()
        self.assertEqual([a.WhichOneof("answer") for a in calm.hear_all()], ["routing", "predictions", "end"])
        self.check_survived()

    def test_larger_metadata_are_refused(self):
        large = [(f"x-{number}", "v" * 1000) for number in range(1000)]
        with self.assertRaises(grpc.RpcError):
            self.client.method("ListModels")(self.client.message("ListModelsRequest"), metadata=large,
                                             timeout=LIMIT_SECONDS)
        self.check_survived()


class ConnectionsTest(unittest.TestCase):
    def test_there_may_be_more_connections_than_the_shell_allows(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        server = RunningServer(self, store_with(self, "tensor"))
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(400):
            raw_http2.connect(self, server.address, LIMIT_SECONDS)
        LadderClient(self, server.address).check_serves()


class MemoryTest(unittest.TestCase):
    """Messages of 50 MiB, of which none ever arrives as a whole, or none is asked for."""

    SIZE = 50 * MEBIBYTE

    def start(self, *flags):
        self.server = RunningServer(self, store_with(self, "tensor"), *flags)
        self.before = self.server.resident_bytes()

    def check_grown_by_at_most(self, mebibytes):
        self.assertLess(self.server.resident_bytes() - self.before, mebibytes * MEBIBYTE)

    def test_who_has_no_token_is_not_read(self):
        tokens = running_server.temporary_folder(self) / "tokens"
        tokens.write_text("batch-jobs 0123456789abcdef\n")
        self.start(f"--auth-token-file={tokens}")
        for method in ["/inference.GRPCInferenceService/ModelInfer", PREDICT]:
            sender = raw_http2.Sender(raw_http2.connect(self, self.server.address, LIMIT_SECONDS))
            for stream in range(1, 49, 2):
                sender.begin(stream, method)
                sender.send(stream, raw_http2.message(bytes(8 * MEBIBYTE), self.SIZE))
            wait_until(lambda: sender.listen(1) is False or len(sender.ended) == 24, "all are sent away")
            self.assertEqual(len(sender.ended), 24)
        self.check_grown_by_at_most(128)
        client = LadderClient(self, self.server.address, token="0123456789abcdef")
        client.check_serves()

    def test_half_sent_messages_have_a_bound(self):
        self.start()
        senders = [raw_http2.Sender(raw_http2.connect(self, self.server.address, LIMIT_SECONDS)) for _ in range(3)]
        for sender in senders:
            for stream in range(1, 17, 2):
                sender.begin(stream, PREDICT)
                sender.send(stream, raw_http2.message(bytes(self.SIZE - 1), self.SIZE))
        # Twice --max-message-bytes is what gRPC may keep of them.
        self.check_grown_by_at_most(256)
        wait_until(lambda: LadderClient(self, self.server.address).is_served(), "others are served")

    def test_an_answer_that_nobody_takes_is_given_up(self):
        self.start("--max-idle-seconds=0.5")
        connection = raw_http2.connect(self, self.server.address, LIMIT_SECONDS)
        no_window = struct.pack(">HI", raw_http2.INITIAL_WINDOW_SIZE, 0)
        request = triton_request("tensor", np.ones((1, 6), np.float32))
        connection.sendall(raw_http2.PREFACE + raw_http2.frame(raw_http2.SETTINGS, payload=no_window) +
                           raw_http2.call_headers(1, "/inference.GRPCInferenceService/ModelInfer") +
                           raw_http2.frame(raw_http2.DATA, raw_http2.END_STREAM, 1, raw_http2.message(request)))
        found = b""
        while not any(kind == raw_http2.RST_STREAM and stream == 1
                      for kind, _, stream, _ in raw_http2.frames(found)):
            data = connection.recv(65536)  # A time-out is an error.
            self.assertTrue(data, "hung up on without a word")
            found += data
        LadderClient(self, self.server.address).check_serves()


class SilenceTest(unittest.TestCase):
    def check_hung_up_on(self, address, *said):
        connections = [raw_http2.connect(self, address, LIMIT_SECONDS) for _ in said]
        for connection, data in zip(connections, said):
            connection.sendall(data)
        LadderClient(self, address).check_serves()
        for connection, data in zip(connections, said):
            with self.subTest(data):
                raw_http2.read_to_end(connection)  # A time-out is an error.
        LadderClient(self, address).check_serves()

    def test_those_who_do_not_finish_their_greeting_are_hung_up_on(self):
        server = RunningServer(self, store_with(self, "tensor"))
        self.check_hung_up_on(server.address, b"", raw_http2.PREFACE[:10], raw_http2.PREFACE)

    def test_those_who_make_no_calls_are_hung_up_on(self):
        server = RunningServer(self, store_with(self, "tensor"), "--max-idle-seconds=0.3")
        self.check_hung_up_on(server.address, raw_http2.PREFACE + raw_http2.frame(raw_http2.SETTINGS))

    def test_streams_on_which_nothing_comes_are_ended(self):
        server = RunningServer(self, store_with(self, "tensor"), "--max-idle-seconds=0.3")
        client = LadderClient(self, server.address)
        stream = Conversation(client)
        self.addCleanup(stream.hang_up)
        stream.say("slow", "tensor", np.ones((2, 6)), end=False)
        with self.assertRaises(grpc.RpcError) as caught:
            stream.hear()
        self.assertEqual(caught.exception.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        self.assertEqual(caught.exception.details(), "--max-idle-seconds: expected a message or a read within 300ms")
        client.check_serves()

    def test_streams_do_not_last_for_ever(self):
        server = RunningServer(self, store_with(self, "tensor"), "--max-stream-seconds=0.5")
        client = LadderClient(self, server.address)
        stream = Conversation(client)
        self.addCleanup(stream.hang_up)
        with self.assertRaises(grpc.RpcError) as caught:
            while True:
                stream.ask("again", "tensor", np.ones((2, 6)))
        self.assertEqual(caught.exception.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        self.assertEqual(caught.exception.details(), "--max-stream-seconds: expected a call to last at most 500ms")
        client.check_serves()


if __name__ == "__main__":
    running_server.main()
