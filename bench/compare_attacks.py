"""See compare_attacks. Usage: compare_attacks.py LADDER_SERVER STORE DESCRIPTORS [ATTACK...]"""

import io
import itertools
import multiprocessing
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

import grpc
import numpy as np
import tritonclient.grpc as triton
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests/server/binary"))
import raw_http2  # noqa: E402

SECONDS = 15  # That each row is measured for.
WARM_UP_SECONDS = 2
INFLIGHT_MEBIBYTES = 512
VICTIM, OTHER = "victim-0123456789abcdef", "other-0123456789abcdef"
SHAPE = (3, 32, 32)
MEBIBYTE = 1 << 20


class Client:
    """Calls of ladder.v1 under a token."""

    def __init__(self, address, descriptors, token):
        self._pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(descriptors).read_bytes()).file:
            self._pool.Add(file)
        self.metadata = [("authorization", f"Bearer {token}")]
        self.channel = grpc.insecure_channel(address, options=[
            ("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1)])

    def message(self, name, **fields):
        return message_factory.GetMessageClass(self._pool.FindMessageTypeByName(f"ladder.v1.{name}"))(**fields)

    def call(self, name, kind, answer):
        return getattr(self.channel, kind)(
            f"/ladder.v1.DomainRouting/{name}", request_serializer=lambda m: m.SerializeToString(),
            response_deserializer=message_factory.GetMessageClass(
                self._pool.FindMessageTypeByName(f"ladder.v1.{answer}")).FromString)

    def predict(self, requests, timeout=60):
        return list(self.call("PredictDomain", "stream_stream", "PredictDomainResponse")(
            iter(requests), metadata=self.metadata, timeout=timeout))

    def tensors(self, count, seed=0):
        x = np.random.default_rng(seed).standard_normal((count, *SHAPE), np.float32)
        return {"tensor": {"shape": x.shape, "float32": x.tobytes()}}

    def group(self, name, samples, **options):
        return self.message("PredictDomainRequest", group=name, samples=samples, end_of_group=True,
                            options={"model": {"name": "small"}, **options})


def repeat(work):
    """A load: `work` again and again, whatever comes of it."""
    def run(client, address):
        for number in itertools.count():
            try:
                work(client, number)
            except (grpc.RpcError, triton.InferenceServerException):
                time.sleep(0.05)
    return run


def well_behaved(client, number):
    client.predict([client.group(f"group-{number}", client.tensors(64))])


def many_questions(client, _):
    questions = [{"model": {"name": "small"}, "routing": {"k": 1 + i % 60, "tau": 0.1 + i / 100}} for i in range(1000)]
    request = client.message("RouteDomainRequest", group="g", questions=questions, samples=client.tensors(400))
    client.call("RouteDomain", "stream_unary", "RouteDomainResponse")(iter([request]), metadata=client.metadata,
                                                                   timeout=60)


def black_png(side=7000):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
            chunk(b"IDAT", zlib.compress(bytes((side * 3 + 1) * side), 9)) + chunk(b"IEND", b""))


def progressive_jpeg(side=7000):
    file = io.BytesIO()
    Image.new("RGB", (side, side), (10, 100, 200)).save(file, "JPEG", progressive=True)
    return file.getvalue()


def pictures(make):
    def work(client, number, cache=[]):  # noqa: B006: made once in each process.
        if not cache:
            cache.append(make())
        client.predict([client.group(f"g{number}", {"images": {"images": cache * 160}})])
    return work


def many_groups(client, _):
    count = 4000  # What fits into a message.
    inputs = [triton.InferInput("x", [count, *SHAPE], "FP32"), triton.InferInput("group", [count], "BYTES")]
    inputs[0].set_data_from_numpy(np.zeros((count, *SHAPE), np.float32))
    inputs[1].set_data_from_numpy(np.array([str(i).encode() for i in range(count)], object))
    triton.InferenceServerClient(client.address).infer("small", inputs, headers=dict(client.metadata))


def empty_groups(client, _):
    def requests():
        for number in range(80_000):
            yield client.message("PredictDomainRequest", group=f"empty-{number}", continue_on_group_error=True,
                                 options={"model": {"name": "small"}})
        time.sleep(5)
    client.predict(requests())


def long_errors(client, number):
    def requests():
        for group in range(2000):
            yield client.message("PredictDomainRequest", group=f"g{group}", continue_on_group_error=True,
                                 options={"model": {"name": "x" * 15_000}})
    client.predict(requests())


def questions_about_models(client, _):
    client.call("GetModel", "unary_unary", "GetModelResponse")(
        client.message("GetModelRequest", model={"name": "small"}), metadata=client.metadata)


def idle_streams(client, address):
    stop = threading.Event()
    calls = [client.call("PredictDomain", "stream_stream", "PredictDomainResponse")(
        iter(stop.wait, True), metadata=client.metadata) for _ in range(256)]
    time.sleep(3600)
    del calls


class Unending:
    """A test, as far as raw_http2 knows, that is never over."""

    def addCleanup(self, *_):
        pass


def half_messages(client, address):
    """24 of 60 MiB, less their last bytes."""
    while True:
        sender = raw_http2.Sender(raw_http2.connect(Unending(), address, 60))
        for stream in range(1, 49, 2):
            sender.begin(stream, "/ladder.v1.DomainRouting/PredictDomain", authorization=client.metadata[0][1])
            sender.send(stream, raw_http2.message(bytes(60 * MEBIBYTE - 1), 60 * MEBIBYTE))
        time.sleep(1)


def unread_answers(client, address):
    """ModelInfer calls whose answers find no window."""
    x = triton.InferInput("x", [64, *SHAPE], "FP32")
    x.set_data_from_numpy(np.zeros((64, *SHAPE), np.float32))
    request = triton.service_pb2.ModelInferRequest(model_name="small")
    request.inputs.extend([x._get_tensor()])
    request.raw_input_contents.extend([x._get_content()])
    no_window = struct.pack(">HI", raw_http2.INITIAL_WINDOW_SIZE, 0)
    while True:
        sender = raw_http2.Sender(raw_http2.connect(Unending(), address, 60))
        sender._connection.sendall(raw_http2.frame(raw_http2.SETTINGS, payload=no_window))
        for stream in range(1, 201, 2):
            sender.begin(stream, "/inference.GRPCInferenceService/ModelInfer", authorization=client.metadata[0][1])
            sender.send(stream, raw_http2.message(request.SerializeToString()))
        time.sleep(1)


# Name, how many callers, what each does.
LOADS = {
    "well-behaved": (4, repeat(well_behaved)),
    "1,000 questions": (2, repeat(many_questions)),
    "160 PNGs of 49 megapixels": (2, repeat(pictures(black_png))),
    "160 progressive JPEGs of 49 megapixels": (2, repeat(pictures(progressive_jpeg))),
    "4,000 groups of one row": (2, repeat(many_groups)),
    "80,000 empty groups": (2, repeat(empty_groups)),
    "2,000 long errors": (2, repeat(long_errors)),
    "GetModel without end": (4, repeat(questions_about_models)),
    "256 idle streams": (1, idle_streams),
    "half-sent messages": (1, half_messages),
    "answers that nobody takes": (1, unread_answers),
}


def run_load(load, address, descriptors):
    client = Client(address, descriptors, OTHER)
    client.address = address
    load(client, address)


def measure(address, descriptors, seconds, results):
    """The victim: a group of eight samples, routed, again and again."""
    client = Client(address, descriptors, VICTIM)
    samples = client.tensors(8)
    times, errors = [], 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.monotonic()
        try:
            client.predict([client.group("victim", samples, routing={"skip_diagnostics": True})], timeout=30)
            times.append(time.monotonic() - begin)
        except grpc.RpcError as error:
            errors += 1
            print(f"victim: {error.code()}: {error.details()}", file=sys.stderr)
            time.sleep(0.05)
    results.put((times, errors))


class Server:
    def __init__(self, program, store, folder):
        tokens = pathlib.Path(folder) / "tokens"
        tokens.write_text(f"victim {VICTIM}\nother {OTHER}\n")
        tokens.chmod(0o600)
        self.process = subprocess.Popen(
            [program, f"--model-repository={store}", "--grpc-address=127.0.0.1", "--grpc-port=0", "--allow-http=false",
             "--allow-metrics=false", f"--auth-token-file={tokens}", f"--max-inflight-bytes={INFLIGHT_MEBIBYTES}MiB",
             "--access-log=false"],
            stdout=subprocess.PIPE, stderr=open(pathlib.Path(folder) / "log", "wb"))
        line = self.process.stdout.readline().decode()
        self.address = "127.0.0.1:" + re.search(r"gRPC at 127\.0\.0\.1:(\d+)", line)[1]

    def mebibytes(self):
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / MEBIBYTE


def one_row(program, store, descriptors, name):
    """p50 and p99 of the victim in ms, its errors, and by how much memory grew at most."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, store, folder)
        before = server.mebibytes()
        callers = []
        if name in LOADS:
            count, load = LOADS[name]
            callers = [multiprocessing.Process(target=run_load, args=(load, server.address, descriptors), daemon=True)
                       for _ in range(count)]
        for caller in callers:
            caller.start()
        time.sleep(WARM_UP_SECONDS)
        results = multiprocessing.Queue()
        victim = multiprocessing.Process(target=measure, args=(server.address, descriptors, SECONDS, results))
        victim.start()
        most = before
        while victim.is_alive() and results.empty():
            most = max(most, server.mebibytes())
            time.sleep(0.1)
        times, errors = results.get()
        victim.join()
        for caller in callers:
            caller.kill()
        server.process.kill()
        server.process.wait()
        p50, p99 = np.percentile(np.array(times or [float("inf")]) * 1000, [50, 99])
        return p50, p99, len(times), errors, most - before


def main():
    program, store, descriptors, *chosen = sys.argv[1:]
    names = ["nobody", *LOADS]
    if chosen:
        names = ["well-behaved", *(name for name in LOADS if any(word in name for word in chosen))]
    print(f"A client's groups of eight samples, beside others; memory above the loaded server's, "
          f"of which {INFLIGHT_MEBIBYTES} MiB are --max-inflight-bytes.\n")
    print("| beside | p50, ms | p99, ms | p99 / well-behaved | calls | errors | memory, MiB |")
    print("|---|---|---|---|---|---|---|")
    well_behaved_p99 = None
    rows = []
    for name in sorted(names, key=lambda n: n != "well-behaved"):
        rows.append((name, *one_row(program, store, descriptors, name)))
        if name == "well-behaved":
            well_behaved_p99 = rows[-1][2]
        name, p50, p99, calls, errors, memory = rows[-1]
        print(f"| {name} | {p50:.1f} | {p99:.1f} | {p99 / well_behaved_p99:.2f} | {calls} | {errors} | {memory:.0f} |",
              flush=True)
    missed = [row[0] for row in rows if row[2] > 2 * well_behaved_p99 or row[4] or row[5] > INFLIGHT_MEBIBYTES + 256]
    print(f"\n{'all within the bar' if not missed else 'beyond the bar: ' + ', '.join(missed)}: p99 at most twice that "
          "beside the well-behaved, no errors, memory at most --max-inflight-bytes and 256 MiB")


if __name__ == "__main__":
    main()
