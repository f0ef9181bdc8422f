"""What the Python clients answer, against the real server.

Usage: python_client_test.py LADDER_SERVER WRITE_STORE WRITE_CERTIFICATES DESCRIPTORS
"""

import concurrent.futures
import io
import math
import pathlib
import subprocess
import sys
import threading
import unittest

import grpc
import numpy as np
from PIL import Image

import running_server
from both_clients import for_both
from bundle_reference import BundleReference
from ladder.client import (Client, Fallback, LadderError, Method, Model, Outputs, Question, RoutingOptions, SampleError,
                           Verdict)
from running_server import LIMIT_SECONDS, RunningServer, get, store_with, temporary_folder, wait_until

EXAMPLE = pathlib.Path(__file__).parents[3] / "client" / "python" / "examples" / "predict_folders.py"


def rows(n, seed=1):
    return np.random.default_rng(seed).normal(size=(n, 6)).astype(np.float32)


def png(seed):
    file = io.BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 256, size=(8, 8, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def setUpModule():
    global store, server, reference
    store = store_with(ModuleOwner, "tensor", "image")
    server = RunningServer(ModuleOwner, store)
    reference = BundleReference(store / "tensor" / "1")


def tearDownModule():
    ModuleOwner.doClassCleanups()


class ModuleOwner(unittest.TestCase):
    """What the module's server and store belong to."""


def in_flight():
    """Calls that the server has begun and not ended."""
    lines = get(server.metrics)[1].splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith("ladder_in_flight_requests"))


class GatedSamples:
    """One chunk, and then no more until it is open."""

    def __init__(self):
        self.open = threading.Event()
        self.was_waited_for = False

    def __iter__(self):
        yield rows(3)
        self.was_waited_for = not self.open.wait(LIMIT_SECONDS)


class PredictTest:
    def setUp(self):
        self.client = self.connect(server.address)

    def check_equal(self, result, expected):
        np.testing.assert_allclose(result.predictions.probabilities, expected.predictions.probabilities, atol=1e-5)
        self.assertEqual(result.predictions.labels.tolist(), expected.predictions.labels.tolist())
        self.assertEqual(result.predictions.indices.tolist(), expected.predictions.indices.tolist())
        self.assertEqual(result.routing.weights, expected.routing.weights)

    def test_a_group_is_predicted_as_the_bundle_would(self):
        x = rows(50)
        result = self.client.predict("camera-7", x, model="tensor")

        defaults = reference.manifest["routing"]
        weights = reference.ladder_weights(x, defaults["k"], defaults["tau"])
        probabilities = reference.probabilities(x, weights)
        routing, predictions = result.routing, result.predictions
        self.assertEqual((result.group, routing.model, routing.version), ("camera-7", "tensor", 1))
        self.assertEqual(list(routing.weights), reference.sources)
        np.testing.assert_allclose(list(routing.weights.values()), weights, atol=1e-5)
        np.testing.assert_allclose(list(routing.distances.values()), reference.distances(x), atol=1e-4)
        self.assertAlmostEqual(routing.effective_experts, math.exp(-sum(w * math.log(w) for w in weights if w > 0)), 4)
        self.assertEqual((routing.method, routing.num_samples), (Method.LADDER, 50))
        self.assertIsInstance(routing.coverage.verdict, Verdict)
        self.assertGreaterEqual(routing.stability.max_total_variation, routing.stability.mean_total_variation)
        self.assertIsNone(routing.fallback)
        self.assertIn("encode", routing.timings)
        np.testing.assert_allclose(predictions.probabilities, probabilities, atol=1e-5)
        self.assertEqual(predictions.labels.tolist(), probabilities.argmax(axis=1).tolist())
        self.assertEqual(predictions.indices.tolist(), list(range(50)))
        self.assertEqual(predictions.class_names, [reference.classes[label] for label in predictions.labels])
        self.assertEqual((predictions.ids, predictions.rejected), ((), ()))
        self.assertIsNone(predictions.logits)

    def test_samples_may_come_in_any_form(self):
        x = rows(40)
        expected = self.client.predict("group", x, model="tensor")
        forms = {
            "doubles": x.astype(np.float64),
            "columns": np.asfortranarray(x),
            "list": [x[:7], x[7:7], x[7:]],
            "tuple": (x[:39], x[39:]),
            "generator": (x[i:i + 1] for i in range(40)),
        }
        for name, samples in forms.items():
            with self.subTest(name):
                self.check_equal(self.client.predict("group", samples, model="tensor"), expected)

    def test_outputs_are_those_asked_for(self):
        x = rows(9)
        outputs = Outputs(probabilities=False, logits=True, expert_probabilities=True, top_n=2)
        predictions = self.client.predict("group", x, model="tensor", outputs=outputs).predictions
        everything = self.client.predict("group", x, model="tensor").predictions.probabilities
        num_sources, num_classes = len(reference.sources), len(reference.classes)
        self.assertIsNone(predictions.probabilities)
        exponentials = np.exp(predictions.logits)
        np.testing.assert_allclose(exponentials / exponentials.sum(axis=1, keepdims=True), everything, atol=1e-5)
        self.assertEqual(predictions.expert_probabilities.shape, (9, num_sources, num_classes))
        for source in range(num_sources):
            np.testing.assert_allclose(predictions.expert_probabilities[:, source],
                                       reference.probabilities(x, np.eye(num_sources)[source]), atol=1e-5)
        self.assertEqual(predictions.top_classes.tolist(), np.argsort(-everything)[:, :2].tolist())
        np.testing.assert_allclose(predictions.top_probabilities, -np.sort(-everything)[:, :2], atol=1e-5)

    def test_routing_options_choose_the_weights(self):
        x = rows(12)
        sources = reference.sources
        fixed = dict(zip(sources, [0.5, 0.25, 0.25]))
        nearest = reference.ladder_weights(x, 1, 1)
        cases = [
            (RoutingOptions(method=Method.UNIFORM), [1 / 3] * 3),
            (RoutingOptions(method=Method.NEAREST), nearest),
            (RoutingOptions(k="all", tau=2.0), reference.ladder_weights(x, 3, 2.0)),
            (RoutingOptions(k=1), nearest),
            (RoutingOptions(fixed=fixed), [0.5, 0.25, 0.25]),
            (RoutingOptions(fixed=[0.0, 0.75, 0.25]), [0, 0.75, 0.25]),
            (RoutingOptions(sources=sources[1:2]), [0, 1, 0]),
            (RoutingOptions(min_samples=13, fallback=Fallback.UNIFORM), [1 / 3] * 3),
        ]
        for options, weights in cases:
            with self.subTest(options):
                routing = self.client.predict("group", x, model="tensor", routing=options).routing
                np.testing.assert_allclose(list(routing.weights.values()), weights, atol=1e-5)
                fell_back = options.fallback is Fallback.UNIFORM
                self.assertEqual(routing.fallback.reason if fell_back else routing.fallback,
                                 "too_few_samples" if fell_back else None)
        quick = self.client.predict("group", x, model="tensor", routing=RoutingOptions(diagnostics=False)).routing
        self.assertIsNone(quick.stability)

    def test_weights_of_a_part_predict_the_rest_as_one_stream_would(self):
        x = rows(3000)
        whole = self.client.predict("group", x, model="tensor", route_after=500)
        routing = self.client.route("group", x[:500], questions=[Question("tensor")]).routings[0]
        fixed = RoutingOptions(fixed=routing.weights)
        parts = [self.client.predict("part", part, model="tensor", routing=fixed) for part in np.array_split(x, 3)]
        together = np.concatenate([part.predictions.probabilities for part in parts])
        np.testing.assert_allclose(together, whole.predictions.probabilities, atol=1e-5)

    def test_a_large_group_is_cut_into_messages_that_the_server_takes(self):
        small = RunningServer(self, store, "--max-message-bytes=256KiB")
        client = self.connect(small.address, max_message_bytes=256 << 10)
        x = rows(100_000)
        result = client.predict("large", x, model="tensor", ids=[f"s{i}" for i in range(len(x))])
        self.assertEqual(result.predictions.indices.tolist(), list(range(len(x))))
        self.assertEqual((result.predictions.ids[0], result.predictions.ids[-1]), ("s0", "s99999"))
        expected = reference.probabilities(x, list(result.routing.weights.values()))
        np.testing.assert_allclose(result.predictions.probabilities, expected, atol=1e-4)

    def test_pictures_may_be_bytes_and_paths(self):
        folder = temporary_folder(self)
        files = [png(seed) for seed in range(5)]
        paths = []
        for number, data in enumerate(files):
            paths.append(folder / f"{number}.png")
            paths[-1].write_bytes(data)
        expected = self.client.predict("group", files, model="image")
        self.assertEqual(len(expected.predictions.labels), 5)
        for samples in [paths, [str(path) for path in paths], [files[0], [paths[1], files[2]], (paths[3], paths[4])],
                        iter(paths)]:
            self.check_equal(self.client.predict("group", samples, model="image"), expected)

    def test_a_picture_that_cannot_be_read_is_told_and_the_others_are_predicted(self):
        samples = [png(1), b"no picture", png(2), png(3)]
        predictions = self.client.predict("group", samples, model="image", ids=["a", "b", "c", "d"]).predictions
        self.assertEqual(predictions.indices.tolist(), [0, 2, 3])
        self.assertEqual(predictions.ids, ("a", "c", "d"))
        self.assertEqual(predictions.probabilities.shape[0], 3)
        (rejected,) = predictions.rejected
        self.assertEqual((rejected.index, rejected.id, rejected.reason), (1, "b", "unsupported"))
        with self.assertRaises(LadderError) as caught:
            self.client.predict("group", samples, model="image", fail_on_bad_sample=True)
        self.assertEqual((caught.exception.code, caught.exception.group), (grpc.StatusCode.INVALID_ARGUMENT, "group"))

    def test_what_cannot_be_sent_is_an_error_that_says_why(self):
        folder = temporary_folder(self)
        cases = [
            (np.ones(6), None, "expected numbers of shape"),
            (np.array([["a"]]), None, "expected numbers of shape"),
            ([folder / "missing.png"], None, "missing.png: expected a file to read, got: No such file"),
            ([3], None, "expected an array, a picture's bytes or path"),
            (rows(3), ["a", "b"], "ids: expected one for each sample"),
            (rows(3), ["a", "b", "c", "d"], "ids: expected 3, one for each sample, got 4"),
            ([bytes(70 << 20)], None, "sample 0: expected at most"),
        ]
        for samples, ids, message in cases:
            with self.subTest(message):
                with self.assertRaisesRegex(SampleError, message) as caught:
                    self.client.predict("group", samples, model="tensor", ids=ids)
                self.assertEqual((caught.exception.group, caught.exception.code),
                                 ("group", grpc.StatusCode.INVALID_ARGUMENT))

    def test_what_a_generator_raises_reaches_the_caller(self):
        def samples():
            yield rows(3)
            raise KeyError("lost")

        with self.assertRaisesRegex(KeyError, "lost"):
            self.client.predict("group", samples(), model="tensor")
        with self.assertRaisesRegex(KeyError, "lost"):
            self.client.route("group", samples(), questions=[Question("tensor")])
        wait_until(lambda: in_flight() == 0, "the calls have ended")

    def test_errors_have_the_servers_code_and_words(self):
        cases = [
            ({"model": "other"}, grpc.StatusCode.NOT_FOUND, 'model "other" is not in the store'),
            ({"model": Model("tensor", version=9)}, grpc.StatusCode.NOT_FOUND, "version 9 does not exist"),
            ({"model": "tensor", "routing": RoutingOptions(min_samples=3)}, grpc.StatusCode.FAILED_PRECONDITION,
             "expected at least 3 samples, got 2"),
            ({"model": "image"}, grpc.StatusCode.INVALID_ARGUMENT, "shape"),
        ]
        for arguments, code, message in cases:
            with self.subTest(message):
                with self.assertRaises(LadderError) as caught:
                    self.client.predict("small", rows(2), **arguments)
                self.assertEqual((caught.exception.code, caught.exception.group), (code, "small"))
                self.assertIn(message, caught.exception.message)
                self.assertIn("small", str(caught.exception))

    def test_one_upload_answers_many_questions(self):
        x = rows(30)
        questions = [Question("tensor", RoutingOptions(k=1)),
                     Question("tensor", RoutingOptions(method=Method.UNIFORM)),
                     Question(Model("tensor", 1), RoutingOptions(k="all", tau=0.5))]
        result = self.client.route("camera-7", x, questions=questions)
        expected = [reference.ladder_weights(x, 1, 1), [1 / 3] * 3, reference.ladder_weights(x, 3, 0.5)]
        self.assertEqual((result.group, result.rejected, len(result.routings)), ("camera-7", (), 3))
        for routing, weights in zip(result.routings, expected):
            np.testing.assert_allclose(list(routing.weights.values()), weights, atol=1e-5)
        bad = self.client.route("camera-7", [b"no picture", png(1)], questions=[Question("image")])
        self.assertEqual([rejected.index for rejected in bad.rejected], [0])
        with self.assertRaisesRegex(LadderError, "questions.0."):
            self.client.route("camera-7", x, questions=[Question("tensor", RoutingOptions(k=99))])

    def test_many_groups_end_each_with_its_own_result(self):
        groups = {f"group-{number}": rows(20, seed=number) for number in range(30)}
        found = {result.group: result for result in self.client.predict_groups(groups, model="tensor", concurrency=4)}
        self.assertEqual(set(found), set(groups))
        for group in ["group-0", "group-17", "group-29"]:
            self.check_equal(found[group], self.client.predict(group, groups[group], model="tensor"))

    def test_a_group_that_fails_does_not_disturb_the_others(self):
        missing = temporary_folder(self) / "missing.png"
        pairs = [("good", rows(4)), ("wide", np.ones((2, 7))), ("missing", [missing]), ("also good", rows(5))]
        outcomes = {outcome.group: outcome for outcome in self.client.predict_groups(pairs, model="tensor")}
        self.assertEqual(len(outcomes["good"].predictions.labels), 4)
        self.assertEqual(len(outcomes["also good"].predictions.labels), 5)
        self.assertEqual(outcomes["wide"].code, grpc.StatusCode.INVALID_ARGUMENT)
        self.assertIsInstance(outcomes["missing"], SampleError)

    def test_groups_are_read_only_as_there_is_room(self):
        read = []

        def pairs():
            for number in range(20):
                read.append(number)
                yield str(number), rows(3)

        for ended, _ in enumerate(self.client.predict_groups(pairs(), model="tensor", concurrency=3)):
            self.assertLessEqual(len(read), ended + 3)
        self.assertEqual(len(read), 20)

    def test_leaving_the_groups_early_cancels_the_others(self):
        gate = GatedSamples()
        self.addCleanup(gate.open.set)
        outcomes = self.client.predict_groups([("quick", rows(3)), ("held", gate)], model="tensor")
        self.assertEqual(next(outcomes).group, "quick")
        wait_until(lambda: in_flight() == 1, "the held group is with the server")
        outcomes.close()
        wait_until(lambda: in_flight() == 0, "it has been given up")
        self.assertFalse(gate.was_waited_for)

    def test_groups_of_a_stream_are_interleaved(self):
        a, b = rows(10, seed=5), rows(8, seed=6) + 3
        with self.client.stream() as stream:
            stream.begin("a", model="tensor")
            stream.begin("b", model="tensor", routing=RoutingOptions(k=1), outputs=Outputs(probabilities=False))
            stream.send("a", a[:4], ids=list("0123"))
            stream.send("b", b[:2])
            stream.send("a", a[4:], ids=list("456789"))
            stream.end("a")
            answers = [next(stream) for _ in range(3)]
            self.assertEqual({answer.group for answer in answers}, {"a"})
            self.assertEqual(answers[0].routing.num_samples, 10)
            np.testing.assert_allclose(answers[1].predictions.probabilities,
                                       self.client.predict("a", a, model="tensor").predictions.probabilities, atol=1e-5)
            self.assertEqual(answers[1].predictions.ids, tuple("0123456789"))
            self.assertEqual(set(answers[1].predictions.class_names) - set(reference.classes), set())
            self.assertTrue(answers[2].end)
            stream.send("b", b[2:])
            stream.done()
            answers = list(stream)
            self.assertEqual([answer.group for answer in answers], ["b"] * 3)
            self.assertEqual(answers[0].routing.k, 1)
            self.assertIsNone(answers[1].predictions.probabilities)
            self.assertEqual(len(answers[1].predictions.labels), 8)
            self.assertEqual(list(stream), [])
            with self.assertRaisesRegex(ValueError, "after done"):
                stream.send("c", a)

    def test_a_failing_group_of_a_stream_leaves_the_others_alone(self):
        with self.client.stream() as stream:
            for group, samples in [("wide", np.ones((2, 7))), ("good", rows(3))]:
                stream.begin(group, model="tensor")
                stream.send(group, samples)
                stream.end(group)
            stream.done()
            answers = list(stream)
        (error,) = [answer.error for answer in answers if answer.group == "wide"]
        self.assertEqual((error.code, error.group), (grpc.StatusCode.INVALID_ARGUMENT, "wide"))
        self.assertEqual([answer.end for answer in answers if answer.group == "good"], [False, False, True])

    def test_all_may_be_sent_before_anything_is_read(self):
        n = 200_000
        outputs = Outputs(logits=True, expert_probabilities=True)
        with self.client.stream() as stream:
            stream.begin("large", model="tensor", outputs=outputs, route_after=10)
            stream.send("large", rows(n))
            stream.done()
            places = [answer.predictions.indices for answer in stream if answer.predictions is not None]
        np.testing.assert_array_equal(np.concatenate(places), np.arange(n))

    def test_a_cancelled_stream_stops_the_servers_work(self):
        with self.client.stream() as stream:
            stream.begin("open", model="tensor")
            stream.send("open", rows(5))
            wait_until(lambda: in_flight() == 1, "the stream is with the server")
            stream.cancel()
            with self.assertRaises(LadderError) as caught:
                next(stream)
            self.assertEqual(caught.exception.code, grpc.StatusCode.CANCELLED)
            with self.assertRaises(LadderError):
                stream.send("open", rows(5))
        wait_until(lambda: in_flight() == 0, "it has ended")

    def test_leaving_a_stream_by_an_error_cancels_it(self):
        with self.assertRaises(KeyError):
            with self.client.stream() as stream:
                stream.begin("open", model="tensor")
                wait_until(lambda: in_flight() == 1, "the stream is with the server")
                raise KeyError
        wait_until(lambda: in_flight() == 0, "it has ended")

    def test_models_are_described(self):
        by_name = {model.name: model for model in self.client.models()}
        self.assertEqual(set(by_name), {"tensor", "image"})
        self.assertEqual(by_name["tensor"].served, (1,))
        self.assertEqual([v.state for v in by_name["tensor"].versions], ["SERVING"])
        description = self.client.model("tensor")
        self.assertEqual(list(description.classes), reference.classes)
        self.assertEqual([source.name for source in description.sources], reference.sources)
        self.assertEqual((description.takes_images, description.sample_shape), (False, (6,)))
        self.assertEqual(description.routing.tau, reference.manifest["routing"]["tau"])
        self.assertTrue(self.client.model(Model("image", 1)).takes_images)
        with self.assertRaises(LadderError) as caught:
            self.client.model("other")
        self.assertEqual(caught.exception.code, grpc.StatusCode.NOT_FOUND)

    def test_health_is_asked_of_the_server_and_its_services(self):
        wait_until(self.client.health, "it is ready")
        self.assertTrue(self.client.health("ladder.v1.DomainRouting"))
        waiting = RunningServer(self, store, "--required-models=later")
        self.assertFalse(self.connect(waiting.address).health())

    def test_reload_needs_the_servers_leave(self):
        with self.assertRaises(LadderError) as caught:
            self.client.reload("tensor")
        self.assertEqual(caught.exception.code, grpc.StatusCode.PERMISSION_DENIED)

    def test_reload_loads_a_new_version(self):
        own_store = store_with(self, "tensor")
        other = RunningServer(self, own_store, "--model-control-mode=explicit", "--load-model=tensor",
                              "--allow-model-control")
        running_server.write_bundle(own_store, "tensor", version=2)
        client = self.connect(other.address)
        self.assertIn(2, client.reload("tensor").served)
        self.assertEqual(client.predict("group", rows(3), model="tensor").routing.version, 2)


for_both(globals(), PredictTest)


class ThreadsTest(unittest.TestCase):
    def test_one_client_serves_many_threads(self):
        with Client(server.address) as client, concurrent.futures.ThreadPoolExecutor(8) as threads:
            x = [rows(10, seed) for seed in range(40)]
            results = threads.map(lambda samples: client.predict("group", samples, model="tensor"), x)
            for samples, result in zip(x, results):
                expected = reference.probabilities(samples, list(result.routing.weights.values()))
                np.testing.assert_allclose(result.predictions.probabilities, expected, atol=1e-5)


def run_example(*arguments):
    command = [sys.executable, EXAMPLE, server.address, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS)


class ExampleTest(unittest.TestCase):
    def test_it_predicts_folders_of_pictures(self):
        folder = temporary_folder(self)
        for group in ["hill", "lake"]:
            (folder / group).mkdir()
            for seed in range(3):
                (folder / group / f"{seed}.png").write_bytes(png(seed))
        (folder / "lake" / "broken.jpg").write_bytes(b"no picture")
        done = run_example("image", folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"hill: 3 predicted, 0 rejected, coverage [A-Z]+, mostly \S+ \(0\.\d\d\)")
        self.assertIn("lake: 3 predicted, 1 rejected", done.stdout)

    def test_it_says_what_failed(self):
        folder = temporary_folder(self)
        (folder / "hill").mkdir()
        (folder / "hill" / "a.png").write_bytes(png(1))
        done = run_example("other", folder)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn('hill: NOT_FOUND: group "hill": model "other" is not in the store', done.stderr)


if __name__ == "__main__":
    running_server.main()
