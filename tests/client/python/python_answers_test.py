"""What the Python clients make of what servers say, and of what their own callers do.

Usage: python_answers_test.py LADDER_SERVER WRITE_STORE WRITE_CERTIFICATES DESCRIPTORS
"""

import math

import grpc
import numpy as np

import running_server
from both_clients import for_both
from fake_server import CLASSES, FakeServer, matrix
from ladder.client import LadderError, Outputs, Question, SampleError
from ladder.v1 import domain_routing_pb2 as pb
from running_server import temporary_folder

X = np.ones((4, 6), np.float32)
IDS = list("abcd")
TOP = Outputs(top_n=1)


def lie_about(kind, change):
    """For FakeServer: changes the answers of a kind."""

    def changed(message):
        if isinstance(message, pb.PredictDomainResponse) and message.WhichOneof("answer") == kind:
            change(message)
        return message

    return changed


def extend(labels):
    """More predictions than there are samples, which fit to each other."""

    def change(message):
        predictions = message.predictions
        predictions.ids.extend([""] * len(labels))
        predictions.labels.extend(labels)
        predictions.top_classes.extend(labels)
        predictions.top_probabilities.extend([0.75] * len(labels))
        predictions.probabilities.CopyFrom(matrix([[0.75, 0.25]] * len(predictions.labels)))

    return change


def set_rows(name, rows):
    return lambda message: getattr(message.predictions, name).CopyFrom(matrix(rows))


# What is said of it, which kind of answer it is in, and what makes it a lie.
LIES = [
    ("group: expected 'g', got 'other'", "predictions", lambda m: setattr(m, "group", "other")),
    ("expected one of 4 samples, got sample 4", "predictions", extend([0] * 70)),
    ("num_predicted: expected 4, got 70", "end", lambda m: setattr(m.end, "num_predicted", 70)),
    ("sample 1: expected the id 'b', got 'x'", "predictions", lambda m: m.predictions.ids.__setitem__(1, "x")),
    ("ids: expected 4, got 3", "predictions", lambda m: m.predictions.ids.pop()),
    ("sample 0: expected one answer", "predictions",
     lambda m: m.predictions.rejected.append(pb.RejectedSample(index=0, id="a"))),
    ("labels: expected one of 2 classes, got 2", "predictions", lambda m: m.predictions.labels.__setitem__(0, 2)),
    ("top_classes: expected one of 2 classes, got 9", "predictions",
     lambda m: m.predictions.top_classes.__setitem__(0, 9)),
    ("top_probabilities: expected finite", "predictions",
     lambda m: m.predictions.top_probabilities.__setitem__(0, math.inf)),
    ("probabilities: expected finite", "predictions", set_rows("probabilities", [[math.nan, 0]] * 4)),
    ("probabilities.columns: expected 2, got 3", "predictions", set_rows("probabilities", [[1, 0, 0]] * 4)),
    ("probabilities.float32: expected 32, got 8", "predictions", set_rows("probabilities", [[1, 0]])),
    ("logits.float32: expected 0, got 8", "predictions", set_rows("logits", [[1, 0]])),
    ("weight: expected finite", "routing", lambda m: setattr(m.routing.sources[0], "weight", math.nan)),
    ("names of sources: expected 2, got 1", "routing", lambda m: m.routing.sources.append(m.routing.sources[0])),
    ("num_samples: expected at most 4, got 5", "routing", lambda m: setattr(m.routing, "num_samples", 5)),
    ("expected a routing before predictions", "routing", lambda m: m.ClearField("routing")),
    ("expected answers for 4 samples, got 0", "predictions", lambda m: m.end.SetInParent()),
    ("expected the end of the group", "end", lambda m: m.ClearField("end")),
]


class LyingServerTest:
    def check_refused(self, message, call):
        with self.assertRaises(LadderError) as caught:
            call()
        self.assertEqual(caught.exception.code, grpc.StatusCode.DATA_LOSS)
        self.assertIn(message, caught.exception.message)
        return caught.exception

    def test_what_cannot_be_is_an_error_of_the_group(self):
        for message, kind, change in LIES:
            with self.subTest(message):
                server = FakeServer(self, change=lie_about(kind, change))
                client = self.connect(server.address)
                error = self.check_refused(message, lambda: client.predict("g", X, ids=IDS, outputs=TOP))
                self.assertEqual(error.group, "g")

    def test_a_stream_that_is_lied_to_ends(self):
        for message, kind, change in LIES:
            with self.subTest(message):
                server = FakeServer(self, change=lie_about(kind, change))
                with self.connect(server.address).stream() as stream:
                    stream.begin("g", outputs=TOP)
                    stream.send("g", X, ids=IDS)
                    stream.done()
                    if kind == "predictions" and message.startswith("group"):
                        message = "group: expected one that was begun, got 'other'"
                    self.check_refused(message, lambda: list(stream))

    def test_routings_are_checked_too(self):
        for message, change in [
                ("routings: expected 2, got 1", lambda m: None),
                ("expected one of 4 samples, got sample 4",
                 lambda m: (m.routings.append(m.routings[0]), m.rejected.append(pb.RejectedSample(index=4)))),
                ("weight: expected finite",
                 lambda m: (m.routings.append(m.routings[0]), m.routings[1].sources.add(weight=math.inf)))]:
            with self.subTest(message):
                server = FakeServer(self, change=lambda m: change(m) and m or m)
                client = self.connect(server.address)
                self.check_refused(message, lambda: client.route("g", X, questions=[Question(), Question()]))

    def test_models_that_cannot_be_are_errors(self):
        server = FakeServer(self, change=lambda m: m.source_distances.CopyFrom(matrix([[1, 2]])) or m)
        self.check_refused("the server's answer", self.connect(server.address).model)

    def test_errors_cannot_steer_a_terminal(self):
        def answer(number, context):
            context.abort(grpc.StatusCode.INTERNAL, "a \x1b[2J bug")

        with self.assertRaises(LadderError) as caught:
            self.connect(FakeServer(self, answer).address).models()
        self.assertEqual(str(caught.exception), "INTERNAL: a \\x1b[2J bug")


class ClassNamesTest:
    def test_they_come_with_the_answer_and_no_second_call(self):
        server = FakeServer(self)
        client = self.connect(server.address)
        predictions = client.predict("g", X).predictions
        self.assertEqual((list(predictions.classes), predictions.class_names), (CLASSES, ["heron"] * 4))
        with client.stream() as stream:
            stream.begin("g")
            stream.send("g", X)
            stream.done()
            answers = [answer.predictions for answer in stream if answer.predictions is not None]
        self.assertEqual(answers[0].class_names, ["heron"] * 4)
        self.assertEqual(server.calls, 2)

    def test_without_them_there_are_labels_only(self):
        server = FakeServer(self)
        asked = self.connect(server.address).predict("g", X, outputs=Outputs(class_names=False)).predictions
        older = FakeServer(self, change=lie_about("routing", lambda m: m.routing.ClearField("classes")))
        told = self.connect(older.address).predict("g", X).predictions
        for predictions in [asked, told]:
            self.assertEqual((predictions.classes, predictions.class_names), ((), []))
            self.assertEqual(predictions.labels.tolist(), [0] * 4)


class OwnFaultsTest:
    def outcomes(self, client, groups, **options):
        return {outcome.group: outcome for outcome in client.predict_groups(groups, **options)}

    def test_samples_that_raise_fail_their_own_group(self):
        def samples():
            yield X
            raise KeyError("lost")

        client = self.connect(FakeServer(self).address)
        found = self.outcomes(client, [("1", X), ("2", samples()), ("3", X)], concurrency=1)
        self.assertIsInstance(found["2"], SampleError)
        self.assertIsInstance(found["2"].__cause__, KeyError)
        self.assertIn("KeyError('lost')", str(found["2"]))
        self.assertEqual([len(found[group].predictions.labels) for group in "13"], [4, 4])

    def test_groups_that_raise_end_after_those_that_were_named(self):
        def groups():
            yield "1", X
            yield "2", X
            raise KeyError("lost")

        client = self.connect(FakeServer(self).address)
        outcomes = client.predict_groups(groups())
        found = [next(outcomes).group, next(outcomes).group]
        self.assertEqual(sorted(found), ["1", "2"])
        with self.assertRaisesRegex(KeyError, "lost"):
            next(outcomes)

    def test_a_token_file_that_is_gone_fails_calls_one_by_one(self):
        file = temporary_folder(self) / "token"
        file.write_text("# ours\n\nalice a-token-of-some-length\n")
        seen = []
        server = FakeServer(self, lambda number, context: seen.append(dict(context.invocation_metadata())))
        client = self.connect(server.address, token=file)
        client.predict("first", X)
        self.assertEqual(seen[0]["authorization"], "Bearer a-token-of-some-length")
        file.unlink()
        found = self.outcomes(client, {"1": X, "2": X})
        for group in "12":
            self.assertEqual((found[group].code, found[group].group), (grpc.StatusCode.UNAUTHENTICATED, group))
        for call in [client.models, lambda: client.route("g", X)]:
            with self.assertRaises(LadderError) as caught:
                call()
            self.assertEqual(caught.exception.code, grpc.StatusCode.UNAUTHENTICATED)
        file.write_text("a-token-of-some-length\n")
        self.assertEqual(len(client.predict("again", X).predictions.labels), 4)

    def test_errors_name_their_group(self):
        def answer(number, context):
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "expected at least 1 samples, got 0")

        client = self.connect(FakeServer(self, answer).address)
        with self.assertRaises(LadderError) as caught:
            client.predict("1", X)
        self.assertEqual(str(caught.exception),
                         'FAILED_PRECONDITION: group "1": expected at least 1 samples, got 0')


for cases in [LyingServerTest, ClassNamesTest, OwnFaultsTest]:
    for_both(globals(), cases)
del cases, LyingServerTest, ClassNamesTest, OwnFaultsTest

if __name__ == "__main__":
    running_server.main()
