"""Servers that die, are slow or turn callers away.

Usage: python_failures_test.py LADDER_SERVER WRITE_STORE WRITE_CERTIFICATES DESCRIPTORS
"""

import pickle
import threading
import unittest

import grpc
import numpy as np

import running_server
from both_clients import for_both
from fake_server import FakeServer
from ladder.client import Client, DeadlineError, LadderError, Retry, SampleError
from ladder.client._retries import Attempts
from running_server import LIMIT_SECONDS, RunningServer, store_with, wait_until

X = np.ones((4, 6), np.float32)
QUICK = Retry(attempts=4, first_wait=0.001, longest_wait=0.01)
PATIENT = Retry(attempts=1000, first_wait=0.05, longest_wait=0.2)


def refusing(code, *hint, times=1000, message="refused"):
    """For FakeServer: ends the first calls with a status."""

    def answer(number, context):
        if number < times:
            if hint:
                context.set_trailing_metadata([("grpc-retry-pushback-ms", *hint)])
            context.abort(code, f"{message} {number}")

    return answer


class KilledServerTest:
    """A server that dies while a group is being sent, and comes back at the same port."""

    def setUp(self):
        self.store = store_with(self, "tensor")
        self.server = RunningServer(self, self.store)

    def restart(self):
        self.server.kill()
        port = self.server.address.rpartition(":")[2]
        self.server = RunningServer(self, self.store, f"--grpc-port={port}")

    def samples(self, test):
        """In two pieces; the server is killed between them when they are read for the first time."""

        class Samples:
            times_read = 0

            def __iter__(self):
                self.times_read += 1
                yield X
                if self.times_read == 1:
                    test.restart()
                yield X

        return Samples()

    def test_a_group_that_can_be_read_again_is_sent_again(self):
        samples = self.samples(self)
        result = self.connect(self.server.address, retry=PATIENT).predict("group", samples, model="tensor")
        self.assertGreaterEqual(samples.times_read, 2)
        self.assertEqual(result.predictions.indices.tolist(), list(range(8)))

    def test_what_if_is_asked_again(self):
        samples = self.samples(self)
        result = self.connect(self.server.address, retry=PATIENT).route("group", samples)
        self.assertGreaterEqual(samples.times_read, 2)
        self.assertEqual(result.routings[0].num_samples, 8)

    def test_many_groups_all_end_well(self):
        samples = self.samples(self)
        pairs = [(f"group-{number}", X) for number in range(6)]
        pairs.insert(3, ("broken", samples))
        client = self.connect(self.server.address, retry=PATIENT)
        outcomes = {outcome.group: outcome for outcome in client.predict_groups(pairs, model="tensor", concurrency=2)}
        self.assertEqual(len(outcomes), 7)
        for group, outcome in outcomes.items():
            self.assertEqual(len(outcome.predictions.labels), 8 if group == "broken" else 4)

    def test_a_generator_is_not_read_again(self):
        samples = self.samples(self)
        with self.assertRaises(LadderError) as caught:
            self.connect(self.server.address, retry=PATIENT).predict("group", iter(samples), model="tensor")
        self.assertEqual((caught.exception.code, caught.exception.group), (grpc.StatusCode.UNAVAILABLE, "group"))
        self.assertEqual(samples.times_read, 1)

    def test_a_stream_ends_with_an_error_where_one_sends_and_where_one_reads(self):
        with self.connect(self.server.address).stream() as stream:
            stream.begin("group", model="tensor")
            stream.send("group", X)
            stream.end("group")
            self.assertEqual(next(stream).routing.num_samples, 4)
            stream.begin("other", model="tensor")
            self.server.kill()
            with self.assertRaises(LadderError) as caught:
                list(stream)
            self.assertEqual(caught.exception.code, grpc.StatusCode.UNAVAILABLE)
            with self.assertRaises(LadderError) as caught:
                stream.send("other", X)
            self.assertEqual(caught.exception.code, grpc.StatusCode.UNAVAILABLE)

    def test_a_client_outlives_its_server(self):
        client = self.connect(self.server.address, retry=PATIENT)
        self.assertEqual(len(client.models()), 1)
        self.restart()
        self.assertEqual(len(client.models()), 1)

    def test_nobody_there_is_an_error_after_the_last_attempt(self):
        self.server.kill()
        client = self.connect(self.server.address, retry=QUICK)
        for call in [client.models, client.health, lambda: client.predict("group", X)]:
            with self.assertRaises(LadderError) as caught:
                call()
            self.assertEqual(caught.exception.code, grpc.StatusCode.UNAVAILABLE)


class RefusingServerTest:
    def outcome(self, answer, retry=QUICK, samples=X, **options):
        """How often a group was sent, and the status it ended with or None."""
        server = FakeServer(self, answer)
        try:
            result = self.connect(server.address, retry=retry, **options).predict("group", samples)
        except LadderError as error:
            return server.calls, error
        self.assertEqual(len(result.predictions.labels), len(X))
        return server.calls, None

    def test_only_what_may_get_better_is_tried_again(self):
        for code in [grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.INTERNAL, grpc.StatusCode.NOT_FOUND,
                     grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.RESOURCE_EXHAUSTED,
                     grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.ABORTED]:
            with self.subTest(code):
                calls, error = self.outcome(refusing(code, times=2))
                self.assertEqual((calls, error.code), (1, code))
                self.assertEqual((error.message, error.group, error.retry_after), ("refused 0", "group", None))
        self.assertEqual(self.outcome(refusing(grpc.StatusCode.UNAVAILABLE, times=2)), (3, None))

    def test_what_the_server_cancels_is_unavailable_and_tried_again(self):
        cancelling = refusing(grpc.StatusCode.CANCELLED, times=2)
        self.assertEqual(self.outcome(cancelling), (3, None))
        for call in ["models", "route"]:
            with self.subTest(call):
                server = FakeServer(self, cancelling)
                arguments = ("group", X) if call == "route" else ()
                getattr(self.connect(server.address, retry=QUICK), call)(*arguments)
                self.assertEqual(server.calls, 3)

    def test_what_the_server_cancels_is_unavailable_where_nothing_is_tried_again(self):
        calls, error = self.outcome(refusing(grpc.StatusCode.CANCELLED), samples=iter([X]))
        self.assertEqual((calls, error.code), (1, grpc.StatusCode.UNAVAILABLE))
        self.assertEqual(error.message, "the server has cancelled the call: refused 0")
        server = FakeServer(self, refusing(grpc.StatusCode.CANCELLED))
        with self.connect(server.address).stream() as stream:
            with self.assertRaises(LadderError) as caught:
                stream.begin("group")  # Or this already fails.
                next(stream)
            self.assertEqual(caught.exception.code, grpc.StatusCode.UNAVAILABLE)

    def test_what_is_cut_off_is_unavailable_and_tried_again(self):
        cutting = dict(code=grpc.StatusCode.INTERNAL, message="Received RST_STREAM with error code")
        self.assertEqual(self.outcome(refusing(**cutting, times=2)), (3, None))
        calls, error = self.outcome(refusing(**cutting), samples=iter([X]))
        self.assertEqual((calls, error.code), (1, grpc.StatusCode.UNAVAILABLE))
        self.assertEqual(error.message, "the call was cut off: Received RST_STREAM with error code 0")

    def test_the_servers_hint_is_followed(self):
        calls, error = self.outcome(refusing(grpc.StatusCode.RESOURCE_EXHAUSTED, "1", times=2))
        self.assertEqual((calls, error), (3, None))
        calls, error = self.outcome(refusing(grpc.StatusCode.UNAVAILABLE, "-1"))
        self.assertEqual((calls, error.retry_after < 0), (1, True))
        # Longer than there is time for, so that waiting would be for nothing.
        calls, error = self.outcome(refusing(grpc.StatusCode.RESOURCE_EXHAUSTED, "90000000"), timeout=LIMIT_SECONDS)
        self.assertEqual((calls, error.retry_after), (1, 90000.0))

    def test_attempts_are_limited(self):
        calls, error = self.outcome(refusing(grpc.StatusCode.UNAVAILABLE))
        self.assertEqual((calls, error.message), (4, "refused 3"))
        calls, error = self.outcome(refusing(grpc.StatusCode.UNAVAILABLE), Retry(attempts=1))
        self.assertEqual((calls, error.message), (1, "refused 0"))

    def test_the_servers_reason_is_told_however_much_was_being_sent(self):
        server = FakeServer(self, refusing(grpc.StatusCode.NOT_FOUND))
        client = self.connect(server.address)
        for number in range(200):
            # Between them they end in all moments of a message's life.
            samples = [np.ones((number + 1, 6))] * 5
            for call in [client.predict, client.route]:
                with self.assertRaisesRegex(LadderError, "refused") as caught:
                    call("group", samples)
                self.assertEqual(caught.exception.code, grpc.StatusCode.NOT_FOUND)


class SlowServerTest:
    def setUp(self):
        self.over = threading.Event()
        self.addCleanup(self.over.set)
        self.server = FakeServer(self, lambda number, context: self.over.wait(LIMIT_SECONDS))

    def test_the_deadline_ends_every_kind_of_call(self):
        client = self.connect(self.server.address, timeout=0.2, retry=QUICK)

        def read_stream():
            with client.stream() as stream:
                stream.begin("group")
                next(stream)

        for name, call in [("predict", lambda: client.predict("group", X)), ("models", client.models),
                           ("stream", read_stream)]:
            with self.subTest(name):
                with self.assertRaises(DeadlineError) as caught:
                    call()
                self.assertIsInstance(caught.exception, TimeoutError)
                self.assertEqual(caught.exception.code, grpc.StatusCode.DEADLINE_EXCEEDED)

    def test_a_call_says_how_long_it_may_take(self):
        given = []
        server = FakeServer(self, lambda number, context: given.append(context.time_remaining()))
        client = self.connect(server.address, timeout=LIMIT_SECONDS)
        client.models()
        client.models(timeout=10 * LIMIT_SECONDS)
        # gRPC rounds up what it sends.
        self.assertLess(given[0], 2 * LIMIT_SECONDS)
        self.assertGreater(given[1], 5 * LIMIT_SECONDS)


class SeveralServersTest:
    def test_calls_take_turns(self):
        servers = [FakeServer(self) for _ in range(2)]
        target = "ipv4:" + ",".join(server.address for server in servers)
        client = self.connect(target)

        def both_were_asked():
            client.models()
            return all(server.calls for server in servers)

        wait_until(both_were_asked, "both servers are connected to")
        before = [server.calls for server in servers]
        for _ in range(10):
            client.models()
        self.assertEqual([server.calls - count for server, count in zip(servers, before)], [5, 5])

    def test_one_that_is_gone_is_not_missed(self):
        gone = running_server.RunningServer(self, store_with(self, "tensor"))
        gone.kill()
        there = FakeServer(self)
        client = self.connect(f"ipv4:{gone.address},{there.address}", retry=QUICK)
        for _ in range(5):
            client.models()
        self.assertEqual(there.calls, 5)


for cases in [KilledServerTest, RefusingServerTest, SlowServerTest, SeveralServersTest]:
    for_both(globals(), cases)
del cases, KilledServerTest, RefusingServerTest, SlowServerTest, SeveralServersTest


class ClosedClientTest(unittest.TestCase):
    def test_calls_under_way_are_cancelled_and_not_tried_again(self):
        over = threading.Event()
        self.addCleanup(over.set)
        client = None

        def answer(number, context):
            client.close()
            over.wait(LIMIT_SECONDS)

        server = FakeServer(self, answer)
        for call in ["predict", "models", "stream"]:
            with self.subTest(call):
                client = Client(server.address, retry=QUICK)
                before = server.calls
                with self.assertRaises(LadderError) as caught:
                    if call == "predict":
                        client.predict("group", X)
                    elif call == "models":
                        client.models()
                    else:
                        stream = client.stream()
                        stream.begin("group")
                        next(stream)
                self.assertEqual(caught.exception.code, grpc.StatusCode.CANCELLED)
                self.assertEqual(server.calls, before + 1)


class AttemptsTest(unittest.TestCase):
    def test_waits_double_up_to_the_longest_and_are_jittered(self):
        unavailable = LadderError(grpc.StatusCode.UNAVAILABLE, "gone")
        retry = Retry(attempts=6, first_wait=1.0, longest_wait=4.0)
        drawn = []
        for _ in range(200):
            attempts = Attempts(retry, None)
            drawn.append([attempts.wait_after(unavailable) for _ in range(5)])
            self.assertIsNone(attempts.wait_after(unavailable))
        waits = np.array(drawn)
        full = np.array([1, 2, 4, 4, 4])
        self.assertTrue((waits >= full / 2).all() and (waits <= full).all())
        self.assertTrue((waits.max(axis=0) - waits.min(axis=0) > full / 4).all())

    def test_a_hint_is_waited_for_at_least(self):
        hinted = LadderError(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", None, 0.5)
        waits = [Attempts(Retry(), None).wait_after(hinted) for _ in range(200)]
        self.assertGreaterEqual(min(waits), 0.5)
        self.assertLessEqual(max(waits), 0.6)
        self.assertGreater(max(waits), min(waits))

    def test_options_out_of_range_are_errors(self):
        for options in [{"attempts": 0}, {"first_wait": 0}, {"first_wait": 2, "longest_wait": 1}]:
            with self.assertRaisesRegex(ValueError, "retry"):
                Retry(**options)


class ErrorTest(unittest.TestCase):
    def test_errors_survive_pickling(self):
        for error in [LadderError(grpc.StatusCode.UNAVAILABLE, "gone", "group", 0.5),
                      DeadlineError(grpc.StatusCode.DEADLINE_EXCEEDED, "late"), SampleError("bad", "group")]:
            copy = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(copy), str(copy), copy.group, copy.retry_after),
                             (type(error), str(error), error.group, error.retry_after))


if __name__ == "__main__":
    running_server.main()
