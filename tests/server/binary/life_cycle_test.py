"""Starting, being ready, following the store and stopping.

Usage: life_cycle_test.py LADDER_SERVER WRITE_STORE WRITE_CERTIFICATES DESCRIPTORS
"""

import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest

import grpc
import numpy as np
from grpc_health.v1 import health_pb2, health_pb2_grpc

import running_server
from ladder_client import Conversation, LadderClient
from running_server import (LIMIT_SECONDS, RunningServer, environment, get, store_with, temporary_folder, wait_until,
                            write_bundle)

X = np.ones((2, 6))


class StartTest(unittest.TestCase):
    def run_to_end(self, *flags, variables=None):
        """Exit code, what is printed, and the lines of the log."""
        done = subprocess.run([running_server.ladder_server(), *flags], capture_output=True, text=True,
                              timeout=LIMIT_SECONDS, env=environment(**(variables or {})))
        return done.returncode, done.stdout, done.stderr.splitlines()

    def check_refused(self, code, line, *flags, **more):
        found, out, lines = self.run_to_end(*flags, **more)
        self.assertEqual(lines, [line])
        self.assertEqual((found, out), (code, ""))

    def test_one_line_says_what_is_served_where(self):
        server = RunningServer(self, store_with(self, "tensor", "image"))
        self.assertRegex(server.line, r"^ladder-server \d+\.\d+\.\d+ serves gRPC at 127\.0\.0\.1:\d+, "
                         r"probes at 127\.0\.0\.1:\d+, metrics at 127\.0\.0\.1:\d+; device cpu; "
                         r"models: image 1, tensor 1\n$")
        server.stop()
        self.assertEqual(server.process.stdout.read(), b"")

    def test_a_wrong_flag_is_one_line_and_exit_code_2(self):
        store = "--model-repository=."
        cases = [
            ((), "--model-repository: expected a directory with models, got none"),
            ((store, "--grpc-port=70000"), '--grpc-port: expected a port from 0 to 65535, got "70000"'),
            ((store, "--grpc-prot=1"), 'expected a known flag, perhaps --grpc-port, got "--grpc-prot"'),
            ((store, "--device"), "--device: expected auto, cpu, cuda or cuda:N, got nothing"),
            ((store, "extra"), 'expected a flag, got "extra"'),
        ]
        for flags, message in cases:
            with self.subTest(message):
                self.check_refused(2, f"ladder-server: {message}", *flags)

    def test_a_wrong_variable_is_one_line_and_exit_code_2(self):
        self.check_refused(2, 'ladder-server: LADDER_GRPC_PORT: expected a port from 0 to 65535, got "many"',
                           "--model-repository=.", variables={"LADDER_GRPC_PORT": "many"})

    def test_a_wrong_line_of_a_flag_file_is_named(self):
        file = temporary_folder(self) / "flags"
        file.write_text("# Ports.\n--grpc-port=0\n--http-port=none\n")
        self.check_refused(2, f'ladder-server: {file}:3: --http-port: expected a port from 0 to 65535, got "none"',
                           f"--flagfile={file}")

    def test_help_and_version_are_printed(self):
        code, out, lines = self.run_to_end("--help")
        self.assertEqual((code, lines), (0, []))
        self.assertIn("--model-repository", out)
        code, out, lines = self.run_to_end("--version")
        self.assertEqual((code, lines), (0, []))
        self.assertRegex(out, r"\d+\.\d+\.\d+")

    def test_a_store_that_is_not_there_is_one_line(self):
        missing = temporary_folder(self) / "nowhere"
        code, out, lines = self.run_to_end(f"--model-repository={missing}", "--grpc-port=0", "--http-port=0",
                                           "--metrics-port=0")
        self.assertEqual((code, out), (1, ""))
        errors = [line for line in lines if line.startswith("ladder-server: ")]
        self.assertEqual(len(errors), 1, lines)
        self.assertIn(str(missing), errors[0])

    def test_a_port_in_use_is_one_line_that_names_it(self):
        taken = socket.socket()
        self.addCleanup(taken.close)
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        store = store_with(self, "tensor")
        for flag in ["--grpc-port", "--http-port", "--metrics-port"]:
            with self.subTest(flag):
                ports = {"--grpc-port": 0, "--http-port": 0, "--metrics-port": 0, flag: port}
                flags = [f"{name}={value}" for name, value in ports.items()]
                code, out, lines = self.run_to_end(f"--model-repository={store}", "--grpc-address=127.0.0.1",
                                                   "--http-address=127.0.0.1", *flags)
                self.assertEqual((code, out), (1, ""))
                errors = [line for line in lines if line.startswith("ladder-server: ")]
                self.assertEqual(len(errors), 1, lines)
                self.assertIn(f"{flag}: cannot listen at 127.0.0.1:{port}", errors[0])

    def test_two_servers_do_not_share_a_port(self):
        store = store_with(self, "tensor")
        first = RunningServer(self, store)
        code, _, lines = self.run_to_end(f"--model-repository={store}", "--grpc-address=127.0.0.1", "--http-port=0",
                                         "--metrics-port=0", f"--grpc-port={first.address.split(':')[1]}")
        self.assertEqual(code, 1)
        self.assertIn(f"ladder-server: --grpc-port: cannot listen at {first.address}", lines)

    def test_variables_and_flag_files_set_flags(self):
        file = temporary_folder(self) / "flags"
        file.write_text("--allow-metrics=false\n--http-address 127.0.0.1\n")
        store = store_with(self, "tensor")
        server = RunningServer(self, None, f"--flagfile={file}",
                               variables={"LADDER_MODEL_REPOSITORY": str(store), "LADDER_LOG_FORMAT": "json",
                                          "LADDER_ALLOW_METRICS": "true", "LADDER_GRPC_PROT": "1"})
        self.assertIn("models: tensor 1", server.line)
        self.assertIsNone(server.metrics)
        self.assertIn("LADDER_GRPC_PROT: no such variable, ignored; is it LADDER_GRPC_PORT?", server.log())
        self.assertTrue(all(line.startswith("{") for line in server.log().splitlines()), server.log())


class LogTest(unittest.TestCase):
    def test_it_serves_on_when_nobody_reads_its_log_any_more(self):
        reader, writer = os.pipe()
        # It has no HTTP, whose library happens to ignore the signal of a broken pipe.
        server = RunningServer(self, store_with(self, "tensor"), "--allow-http=false", "--allow-metrics=false",
                               log_to=writer)
        os.close(writer)
        os.close(reader)
        client = LadderClient(self, server.address)
        for _ in range(3):
            client.check_serves()
        server.stop()

    def stuck_pipe(self):
        """The end of a full pipe that nobody reads."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        size = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        os.write(writer, size * b"-")
        return writer

    def test_it_serves_and_stops_while_the_reader_of_its_log_is_stuck(self):
        server = RunningServer(self, store_with(self, "tensor"), "--log-level=debug", log_to=self.stuck_pipe())
        client = LadderClient(self, server.address)
        for _ in range(3):
            client.check_serves()
        server.stop()

    def test_it_stops_while_the_reader_of_what_it_prints_is_stuck(self):
        server = RunningServer(self, store_with(self, "tensor"), out_to=self.stuck_pipe(), wait=False)
        wait_until(lambda: "model version served" in server.log(), "the model is served")
        server.stop()

    def test_lines_that_a_full_disk_does_not_take_are_counted(self):
        with open("/dev/full", "wb") as full:
            server = RunningServer(self, store_with(self, "tensor"), log_to=full)
        LadderClient(self, server.address).check_serves()

        def dropped():
            found = re.search(r"^ladder_log_lines_dropped_total (\S+)$", get(server.metrics)[1], re.MULTILINE)
            return float(found[1])

        wait_until(lambda: dropped() > 0, "lines are counted")
        server.stop()

    def test_in_json_every_line_is_json_also_those_of_libraries(self):
        server = RunningServer(self, store_with(self, "tensor"), "--log-format=json", "--log-level=debug",
                               variables={"GRPC_VERBOSITY": "DEBUG"})
        client = LadderClient(self, server.address)
        # A name that is no UTF-8, of which protobuf has something to say.
        ask = client.channel.unary_unary("/inference.GRPCInferenceService/ModelReady")
        with self.assertRaises(grpc.RpcError) as caught:
            ask(b"\x0a\x01\xff", timeout=LIMIT_SECONDS)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)
        server.stop()
        lines = [json.loads(line) for line in server.log().splitlines()]
        for library in ["gRPC", "protobuf"]:
            said = [line for line in lines if line["message"] == library]
            self.assertTrue(said and all(line["says"] and line["at"] for line in said), (library, server.log()))

    def test_in_json_a_failure_to_start_is_json_too(self):
        missing = temporary_folder(self) / "nowhere"
        done = subprocess.run([running_server.ladder_server(), f"--model-repository={missing}", "--log-format=json"],
                              capture_output=True, text=True, timeout=LIMIT_SECONDS, env=environment())
        self.assertEqual(done.returncode, 1)
        last = [json.loads(line) for line in done.stderr.splitlines()][-1]
        self.assertEqual((last["level"], last["message"]), ("error", "cannot start"))
        self.assertIn(str(missing), last["reason"])


class ReadinessTest(unittest.TestCase):
    def test_probes_say_live_and_ready(self):
        server = RunningServer(self, store_with(self, "tensor"))
        for page in ["/v2/health/live", "/v2/health/ready", "/livez", "/readyz"]:
            self.assertEqual(get(server.probes + page), (200, "ok\n"), page)
        self.assertEqual(get(server.probes + "/other")[0], 404)
        self.assertEqual(get(server.probes + "/metrics")[0], 404)

    def test_a_missing_required_model_keeps_it_from_being_ready(self):
        store = store_with(self, "tensor")
        server = RunningServer(self, store, "--required-models=tensor,later", "--repository-poll-secs=0.1")
        self.assertEqual(get(server.probes + "/v2/health/live"), (200, "ok\n"))
        status, reason = get(server.probes + "/v2/health/ready")
        self.assertEqual(status, 503)
        self.assertIn("later", reason)
        self.assertNotIn("tensor\" has", reason)
        LadderClient(self, server.address).check_serves()

        write_bundle(store, "later")
        wait_until(lambda: get(server.probes + "/v2/health/ready") == (200, "ok\n"), "it is ready")


class StoreTest(unittest.TestCase):
    def start(self, *flags):
        store = store_with(self, "tensor")
        server = RunningServer(self, store, "--repository-poll-secs=0.1", *flags)
        return store, server, LadderClient(self, server.address)

    def served(self, client):
        models = client.method("ListModels")(client.message("ListModelsRequest"), timeout=LIMIT_SECONDS).models
        return {model.name: list(model.served) for model in models}

    def states(self, client):
        models = client.method("ListModels")(client.message("ListModelsRequest"), timeout=LIMIT_SECONDS).models
        return {version.version: version.state for version in models[0].versions}

    def test_a_new_version_is_picked_up_and_the_old_one_retired(self):
        store, server, client = self.start()
        old = Conversation(client)
        self.assertEqual(old.ask("before", "tensor", X), (["routing", "predictions", "end"], 1))

        write_bundle(store, "tensor", version=2)
        wait_until(lambda: self.served(client) == {"tensor": [2]}, "version 2 is served alone")
        new = Conversation(client)
        self.assertEqual(new.ask("new", "tensor", X)[1], 2)
        # A stream stays with the version that it began with.
        self.assertEqual(old.ask("after", "tensor", X)[1], 1)
        self.assertEqual(self.states(client)[1], "DRAINING")
        old.hang_up()
        self.assertEqual(old.hear_all(), [])
        wait_until(lambda: self.states(client).get(1) == "UNLOADED", "version 1 is unloaded")
        new.hang_up()
        self.assertEqual(new.hear_all(), [])

    def test_a_bad_version_does_not_disturb_the_good_one(self):
        store, server, client = self.start()
        stream = Conversation(client)
        stream.ask("before", "tensor", X)
        outside = temporary_folder(self)
        bad = write_bundle(outside, "tensor", version=2)
        encoder = bad / "encoder.onnx"
        encoder.write_bytes(encoder.read_bytes()[:-1] + b"!")
        bad.rename(store / "tensor" / "2")

        wait_until(lambda: self.states(client).get(2) == "FAILED", "version 2 has failed")
        self.assertEqual(self.served(client), {"tensor": [1]})
        self.assertEqual(stream.ask("after", "tensor", X)[1], 1)
        self.assertEqual(Conversation(client).ask("new", "tensor", X)[1], 1)
        self.assertEqual(get(server.probes + "/v2/health/ready"), (200, "ok\n"))
        self.assertIn("encoder.onnx", server.log())
        with self.assertRaises(grpc.RpcError) as caught:
            client.predict([client.request("g", samples=X, options={"model": {"name": "tensor", "version": 2}})])
        self.assertEqual(caught.exception.code(), grpc.StatusCode.FAILED_PRECONDITION)

        # And the next good one takes over.
        write_bundle(store, "tensor", version=3)
        wait_until(lambda: self.served(client) == {"tensor": [3]}, "version 3 is served alone")
        stream.hang_up()

    def test_mode_none_does_not_follow_the_store(self):
        store = store_with(self, "tensor")
        server = RunningServer(self, store, "--model-control-mode=none", "--repository-poll-secs=0.1",
                               "--allow-model-control")
        client = LadderClient(self, server.address)
        write_bundle(store, "tensor", version=2)
        with self.assertRaises(grpc.RpcError) as caught:
            client.method("ReloadModel")(client.message("ReloadModelRequest", name="tensor"), timeout=LIMIT_SECONDS)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.FAILED_PRECONDITION)
        self.assertIn("mode none", caught.exception.details())
        self.assertEqual(self.served(client), {"tensor": [1]})


class StopTest(unittest.TestCase):
    def test_a_call_in_flight_finishes_while_new_ones_are_refused(self):
        server = RunningServer(self, store_with(self, "tensor"))
        client = LadderClient(self, server.address)
        health = health_pb2_grpc.HealthStub(client.channel)
        watch = health.Watch(health_pb2.HealthCheckRequest(), timeout=LIMIT_SECONDS)
        while next(watch).status != health_pb2.HealthCheckResponse.SERVING:
            pass
        stream = Conversation(client)
        stream.say("first", "tensor", X, end=False)
        stream.ask("whole", "tensor", X)

        server.ask_to_stop()
        self.assertEqual(next(watch).status, health_pb2.HealthCheckResponse.NOT_SERVING)
        self.assertEqual(get(server.probes + "/v2/health/live"), (200, "ok\n"))
        self.assertEqual(get(server.probes + "/v2/health/ready"), (503, "the server is shutting down\n"))
        for address in ["the same connection", "a new one"]:
            with self.subTest(address):
                late = client if address == "the same connection" else LadderClient(self, server.address)
                with self.assertRaises(grpc.RpcError) as caught:
                    late.predict([late.request("late", "tensor", X)])
                self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAVAILABLE)
                self.assertEqual(caught.exception.details(), "the server is shutting down")
        self.assertIsNone(server.process.poll())

        # Both an open group and a new one of the open stream are served.
        stream.say("first", samples=X, end=True)
        self.assertEqual(stream.hear().routing.num_samples, 4)
        self.assertEqual(len(stream.hear().predictions.labels), 4)
        self.assertEqual(stream.hear().end.num_predicted, 4)
        stream.hang_up()
        self.assertEqual(stream.hear_all(), [])
        self.assertEqual(server.wait(), 0)
        self.assertRegex(server.log(), r"INFO stopping[^\n]*\n(.*\n)*.*INFO stopped")

    def test_a_call_that_does_not_finish_is_ended_after_the_exit_timeout(self):
        server = RunningServer(self, store_with(self, "tensor"), "--exit-timeout-secs=0.2")
        stream = Conversation(LadderClient(self, server.address))
        stream.ask("whole", "tensor", X)
        stream.say("open", "tensor", X, end=False)
        server.ask_to_stop()
        with self.assertRaises(grpc.RpcError) as caught:
            stream.hear()
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAVAILABLE)
        self.assertEqual(caught.exception.details(), "the server is shutting down")
        self.assertEqual(server.wait(), 0)
        self.assertIn("calls did not finish in time calls=1", server.log())

    def test_interrupt_stops_it_too(self):
        server = RunningServer(self, store_with(self, "tensor"))
        server.ask_to_stop(signal.SIGINT)
        self.assertEqual(server.wait(), 0)

    def test_it_stops_while_models_load(self):
        store = temporary_folder(self)
        for number in range(40):
            write_bundle(store, f"model-{number}")
        for _ in range(10):  # It may be too late to see this.
            server = RunningServer(self, store, "--log-level=debug", wait=False)
            wait_until(lambda: "to=LOADING" in server.log(), "a model is being loaded")
            server.stop()
            if len(re.findall(r"model version served", server.log())) < 40:
                self.assertEqual(server.process.stdout.read(), b"")
                return
        self.fail("expected a stop while models load, got all of them loaded ten times")


class ClockTest(unittest.TestCase):
    def test_a_clock_that_is_set_ends_no_call(self):
        hours = temporary_folder(self) / "hours"
        server = RunningServer(self, store_with(self, "tensor"), "--max-idle-seconds=60", "--max-stream-seconds=60",
                               variables={"LD_PRELOAD": os.environ["JUMP_CLOCK"], "CLOCK_JUMP_FILE": str(hours),
                                          "ASAN_OPTIONS": "verify_asan_link_order=0"})
        stream = Conversation(LadderClient(self, server.address))
        self.addCleanup(stream.hang_up)
        whole = ["routing", "predictions", "end"]
        self.assertEqual(stream.ask("before", "tensor", X)[0], whole)
        with open(hours, "wb") as file:
            file.truncate(2 * 3600)
        # Limits are looked at five times a second.
        time.sleep(1)
        self.assertEqual(stream.ask("two hours later", "tensor", X)[0], whole)
        hours.unlink()
        self.assertEqual(stream.ask("and back", "tensor", X)[0], whole)
        server.stop()
        durations = [float(found) for found in re.findall(r"duration_seconds=(\S+)", server.log())]
        self.assertEqual(len(durations), 3)
        self.assertTrue(all(0 <= duration < 60 for duration in durations), durations)


if __name__ == "__main__":
    running_server.main()
