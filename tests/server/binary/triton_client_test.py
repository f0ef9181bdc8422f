"""Triton's own client works unchanged, and its answers are those of the bundle's graphs.

Usage: triton_client_test.py LADDER_SERVER WRITE_STORE WRITE_CERTIFICATES DESCRIPTORS
"""

import io
import queue
import unittest

import numpy as np
import tritonclient.grpc as triton
from PIL import Image
from tritonclient.utils import InferenceServerException

import running_server
from bundle_reference import BundleReference
from running_server import LIMIT_SECONDS, RunningServer, store_with

OUTPUTS = ["probabilities", "logits", "label", "weights", "distances"]


def rows(count, seed=1):
    return np.random.default_rng(seed).normal(size=(count, 6)).astype(np.float32)


def tensor(name, values, datatype):
    values = np.asarray(values, np.object_ if datatype == "BYTES" else None)
    result = triton.InferInput(name, list(values.shape), datatype)
    result.set_data_from_numpy(values)
    return result


def x_of(values):
    return tensor("x", values, "FP32")


class TritonClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        store = store_with(cls, "tensor", "image")
        cls.reference = BundleReference(store / "tensor" / "1")
        cls.image_reference = BundleReference(store / "image" / "1")
        cls.server = RunningServer(cls, store)
        cls.client = triton.InferenceServerClient(cls.server.address)
        cls.addClassCleanup(cls.client.close)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def infer(self, inputs, model="tensor", outputs=None, parameters=None, **more):
        wanted = None if outputs is None else [triton.InferRequestedOutput(name) for name in outputs]
        more.setdefault("client_timeout", LIMIT_SECONDS)
        return self.client.infer(model, inputs, outputs=wanted, parameters=parameters, **more)

    def check_fails(self, code, message, call):
        with self.assertRaises(InferenceServerException) as caught:
            call()
        self.assertEqual(caught.exception.message(), message)
        self.assertEqual(caught.exception.status(), f"StatusCode.{code}")

    def test_server_is_live_ready_and_describes_itself(self):
        self.assertTrue(self.client.is_server_live())
        self.assertTrue(self.client.is_server_ready())
        metadata = self.client.get_server_metadata()
        self.assertEqual(metadata.name, "ladder")
        self.assertRegex(metadata.version, r"^\d+\.\d+\.\d+$")
        self.assertEqual(set(metadata.extensions),
                         {"classification", "model_configuration", "model_repository", "statistics"})

    def test_a_model_is_ready_if_it_is_served(self):
        self.assertTrue(self.client.is_model_ready("tensor"))
        self.assertTrue(self.client.is_model_ready("tensor", "1"))
        self.assertFalse(self.client.is_model_ready("tensor", "2"))
        self.assertFalse(self.client.is_model_ready("other"))

    def test_metadata_names_inputs_and_outputs(self):
        metadata = self.client.get_model_metadata("tensor")
        self.assertEqual((metadata.name, list(metadata.versions)), ("tensor", ["1"]))
        described = {t.name: (t.datatype, list(t.shape)) for t in [*metadata.inputs, *metadata.outputs]}
        self.assertEqual(described, {
            "x": ("FP32", [-1, 6]), "group": ("BYTES", [-1, 1]), "label": ("INT64", [-1]),
            "probabilities": ("FP32", [-1, 4]), "logits": ("FP32", [-1, 4]),
            "weights": ("FP32", [-1, 3]), "distances": ("FP32", [-1, 3])})
        x = self.client.get_model_metadata("image").inputs[0]
        self.assertEqual((x.name, x.datatype, list(x.shape)), ("x", "BYTES", [-1, 1]))

    def test_config_has_batching_classes_and_sources(self):
        config = self.client.get_model_config("tensor").config
        self.assertEqual(config.name, "tensor")
        self.assertEqual(list(config.dynamic_batching.preferred_batch_size), [1, 8, 32])
        self.assertEqual(config.parameters["classes"].string_value, '["ant","bee","cat","dog"]')
        self.assertEqual(config.parameters["sources"].string_value, '["source-0","source-1","source-2"]')
        self.assertEqual([(i.name, i.optional) for i in config.input], [("x", False), ("group", True)])

    def test_repository_index_lists_versions(self):
        index = self.client.get_model_repository_index()
        self.assertEqual({(m.name, m.version, m.state) for m in index.models},
                         {("tensor", "1", "READY"), ("image", "1", "READY")})

    def test_statistics_count_requests_and_rows(self):
        def counts():
            statistics = self.client.get_inference_statistics("tensor").model_stats[0]
            self.assertEqual((statistics.name, statistics.version), ("tensor", "1"))
            return np.array([statistics.inference_count, statistics.inference_stats.success.count,
                             statistics.inference_stats.fail.count])

        before = counts()
        self.infer([x_of(rows(3))])
        self.infer([x_of(rows(4))])
        with self.assertRaises(InferenceServerException):
            self.infer([x_of(np.ones((2, 7), np.float32))])
        self.assertEqual((counts() - before).tolist(), [7, 2, 1])
        self.assertEqual(len(self.client.get_inference_statistics().model_stats), 2)

    def test_statistics_have_times_of_executions(self):
        self.infer([x_of(rows(3))])
        statistics = self.client.get_inference_statistics("tensor").model_stats[0]
        self.assertGreater(statistics.execution_count, 0)
        self.assertGreater(sum(b.compute_infer.count for b in statistics.batch_stats), 0)
        self.assertGreater(statistics.inference_stats.compute_infer.ns, 0)

    def test_infer_equals_the_reference(self):
        x = rows(9)
        result = self.infer([x_of(x)], outputs=OUTPUTS, request_id="nine")
        routing = self.reference.manifest["routing"]
        weights = self.reference.ladder_weights(x, routing["k"], routing["tau"])
        probabilities = self.reference.probabilities(x, weights)

        response = result.get_response()
        self.assertEqual((response.id, response.model_name, response.model_version), ("nine", "tensor", "1"))
        self.assertEqual([output.name for output in response.outputs], OUTPUTS)
        np.testing.assert_allclose(result.as_numpy("weights"), np.tile(weights, (9, 1)), atol=1e-5)
        distances = np.tile(self.reference.distances(x), (9, 1))
        np.testing.assert_allclose(result.as_numpy("distances"), distances, atol=1e-4)
        np.testing.assert_allclose(result.as_numpy("probabilities"), probabilities, atol=1e-5)
        self.assertEqual(result.as_numpy("label").tolist(), probabilities.argmax(axis=1).tolist())

    def test_infer_without_outputs_gets_the_usual_ones(self):
        result = self.infer([x_of(rows(2))])
        self.assertEqual([o.name for o in result.get_response().outputs], ["probabilities", "label", "weights"])

    def test_images_become_the_tensor_that_their_pixels_make(self):
        pixels = np.random.default_rng(3).integers(0, 256, size=(5, 8, 8, 3), dtype=np.uint8)
        files = []
        for picture in pixels:
            file = io.BytesIO()
            Image.fromarray(picture).save(file, "PNG")
            files.append(file.getvalue())
        mean, std = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
        x = ((pixels / 255 - mean) / std).transpose(0, 3, 1, 2).astype(np.float32)
        routing = self.image_reference.manifest["routing"]
        expected = self.image_reference.probabilities(
            x, self.image_reference.ladder_weights(x, routing["k"], routing["tau"]))

        for shape in [[5], [5, 1]]:
            with self.subTest(shape):
                inputs = [tensor("x", np.array(files, np.object_).reshape(shape), "BYTES")]
                result = self.infer(inputs, model="image")
                np.testing.assert_allclose(result.as_numpy("probabilities"), expected, atol=1e-4)
        result = self.infer([x_of(x)], model="image")
        np.testing.assert_allclose(result.as_numpy("probabilities"), expected, atol=1e-4)

    def test_a_broken_image_is_named(self):
        self.check_fails("INVALID_ARGUMENT", "image 0: expected JPEG or PNG, found bytes 6e6f207069637475",
                         lambda: self.infer([tensor("x", [b"no picture"], "BYTES")], model="image"))

    def test_class_count_ranks_classes_by_name(self):
        x = rows(3)
        wanted = [triton.InferRequestedOutput("probabilities", class_count=2)]
        ranked = self.client.infer("tensor", [x_of(x)], outputs=wanted).as_numpy("probabilities")
        probabilities = self.infer([x_of(x)]).as_numpy("probabilities")
        self.assertEqual(ranked.shape, (3, 2))
        for row, texts in zip(probabilities, ranked):
            best = np.argsort(-row, kind="stable")[:2]
            for index, text in zip(best, texts):
                value, number, name = text.decode().split(":")
                self.assertAlmostEqual(float(value), row[index], places=5)
                self.assertEqual((int(number), name), (index, self.reference.classes[index]))

    def test_groups_of_one_request_are_routed_apart(self):
        x = rows(8)
        x[1::2] += 3
        names = [b"even", b"odd"] * 4
        together = self.infer([x_of(x), tensor("group", names, "BYTES")], outputs=OUTPUTS)
        for first in [0, 1]:
            alone = self.infer([x_of(x[first::2])], outputs=OUTPUTS)
            for name in OUTPUTS:
                np.testing.assert_allclose(together.as_numpy(name)[first::2], alone.as_numpy(name), atol=1e-5)
        weights = together.as_numpy("weights")
        self.assertGreater(np.abs(weights[0] - weights[1]).max(), 1e-3)

    def test_parameters_choose_the_weights(self):
        x = rows(6)
        gates = self.reference.gate_weights(x)
        nearest = self.reference.ladder_weights(x, 1, 1)
        cases = [
            ({"method": "uniform"}, [1 / 3] * 3),
            ({"method": "nearest"}, nearest),
            ({"method": "ladder", "k": "all", "tau": 2.0}, self.reference.ladder_weights(x, 3, 2.0)),
            ({"k": 1}, nearest),
            ({"k": 3, "tau": "0.25"}, self.reference.ladder_weights(x, 3, 0.25)),
            ({"method": "sample_gate"}, gates),
            ({"method": "sample_gate_group"}, gates.mean(axis=0)),
            ({"min_samples": 7, "fallback": "uniform"}, [1 / 3] * 3),
            ({"min_samples": 7, "fallback": "sample_gate_group"}, gates.mean(axis=0)),
            ({"min_samples": 6, "k": 1, "group": "enough"}, nearest),
        ]
        for parameters, weights in cases:
            with self.subTest(parameters):
                result = self.infer([x_of(x)], parameters=parameters)
                expected = np.broadcast_to(weights, (6, 3))
                np.testing.assert_allclose(result.as_numpy("weights"), expected, atol=1e-5)
                np.testing.assert_allclose(result.as_numpy("probabilities"),
                                           self.reference.probabilities(x, expected), atol=1e-5)

    def test_errors_say_what_was_expected(self):
        x = [x_of(rows(2))]
        ten = np.ones((2, 10), np.float32)
        cases = [
            ("INVALID_ARGUMENT", "input x: shape[1]: expected 6 of [-1,6], got 10", {"inputs": [x_of(ten)]}),
            ("INVALID_ARGUMENT", 'input x: datatype: expected FP32, got "INT64"',
             {"inputs": [tensor("x", np.ones((2, 6), np.int64), "INT64")]}),
            ("INVALID_ARGUMENT", "inputs: expected x, which is missing",
             {"inputs": [tensor("group", [b"a"], "BYTES")]}),
            ("INVALID_ARGUMENT", "input group: shape[0]: expected 2, the rows of x, got 1",
             {"inputs": [*x, tensor("group", [b"a"], "BYTES")]}),
            ("INVALID_ARGUMENT", 'outputs: expected probabilities, logits, label, weights, distances, got "scores"',
             {"inputs": x, "outputs": ["scores"]}),
            ("INVALID_ARGUMENT", 'parameter method: expected ladder, nearest, uniform, sample_gate or '
             'sample_gate_group, got "best"', {"inputs": x, "parameters": {"method": "best"}}),
            ("INVALID_ARGUMENT", 'parameter k: expected an integer of at least 1 or "all", got 0',
             {"inputs": x, "parameters": {"k": 0}}),
            ("INVALID_ARGUMENT", 'parameter fallback: expected error, uniform, sample_gate_group or soften, '
             'got "none"', {"inputs": x, "parameters": {"fallback": "none"}}),
            ("INVALID_ARGUMENT", 'request: unknown parameter "temperature"',
             {"inputs": x, "parameters": {"temperature": 1}}),
            ("FAILED_PRECONDITION", 'group "small": expected at least 3 samples, got 2',
             {"inputs": x, "parameters": {"min_samples": 3, "group": "small"}}),
            ("NOT_FOUND", 'model "other" is not in the store; models: image, tensor',
             {"inputs": x, "model": "other"}),
            ("NOT_FOUND", 'model "tensor": version 9 does not exist; served: 1',
             {"inputs": x, "model_version": "9"}),
        ]
        for code, message, arguments in cases:
            with self.subTest(message):
                self.check_fails(code, message, lambda: self.infer(**arguments))

    def test_async_infer_calls_back(self):
        answers = queue.Queue()
        x = rows(4)
        for number in range(5):
            self.client.async_infer("tensor", [x_of(x + number)], lambda result, error: answers.put((result, error)),
                                    request_id=str(number), client_timeout=LIMIT_SECONDS)
        found = {}
        for _ in range(5):
            result, error = answers.get(timeout=LIMIT_SECONDS)
            self.assertIsNone(error)
            found[result.get_response().id] = result.as_numpy("probabilities")
        for number in range(5):
            expected = self.infer([x_of(x + number)]).as_numpy("probabilities")
            np.testing.assert_allclose(found[str(number)], expected, atol=1e-5)

    def test_stream_answers_in_order_and_outlives_a_failure(self):
        answers = queue.Queue()
        client = triton.InferenceServerClient(self.server.address)
        self.addCleanup(client.close)
        client.start_stream(lambda result, error: answers.put((result, error)))
        for number in range(20):
            columns = 7 if number == 10 else 6
            client.async_stream_infer("tensor", [x_of(np.full((2, columns), number, np.float32))],
                                      request_id=str(number))
        for number in range(20):
            result, error = answers.get(timeout=LIMIT_SECONDS)
            if number == 10:
                self.assertEqual(error.message(), "INVALID_ARGUMENT: input x: shape[1]: expected 6 of [-1,6], got 7")
            else:
                self.assertIsNone(error)
                self.assertEqual(result.get_response().id, str(number))
                self.assertEqual(result.as_numpy("label").shape, (2,))
        client.stop_stream()

    def test_loading_is_refused_unless_it_is_allowed(self):
        message = "expected --allow-model-control, which this server runs without"
        self.check_fails("PERMISSION_DENIED", message, lambda: self.client.load_model("tensor"))
        self.check_fails("PERMISSION_DENIED", message, lambda: self.client.unload_model("tensor"))
        self.assertTrue(self.client.is_model_ready("tensor"))


class ModelControlTest(unittest.TestCase):
    def test_models_are_loaded_and_unloaded_by_calls(self):
        server = RunningServer(self, store_with(self, "tensor", "image"), "--model-control-mode=explicit",
                               "--load-model=image", "--allow-model-control")
        client = triton.InferenceServerClient(server.address)
        self.addCleanup(client.close)
        self.assertTrue(client.is_model_ready("image"))
        self.assertFalse(client.is_model_ready("tensor"))

        client.load_model("tensor")
        self.assertTrue(client.is_model_ready("tensor"))
        result = client.infer("tensor", [x_of(rows(2))])
        self.assertEqual(result.as_numpy("label").shape, (2,))

        client.unload_model("tensor")
        self.assertFalse(client.is_model_ready("tensor"))
        with self.assertRaises(InferenceServerException) as caught:
            client.infer("tensor", [x_of(rows(2))])
        # It may still be draining.
        self.assertIn(caught.exception.status(), ["StatusCode.NOT_FOUND", "StatusCode.UNAVAILABLE"])
        client.load_model("tensor")
        self.assertTrue(client.is_model_ready("tensor"))

        with self.assertRaises(InferenceServerException) as caught:
            client.load_model("other")
        self.assertEqual(caught.exception.status(), "StatusCode.NOT_FOUND")
        self.assertEqual(caught.exception.message(), 'model "other" has no folder in the store')


if __name__ == "__main__":
    running_server.main()
