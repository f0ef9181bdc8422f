"""Whether a server's answers can be about what it was sent. What cannot be is a LadderError of DATA_LOSS."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn, TypeVar

import grpc
import numpy as np
from numpy.typing import NDArray

from ladder.client import _answers
from ladder.client.errors import LadderError
from ladder.client.results import Answer, GroupResult
from ladder.v1 import domain_routing_pb2 as pb

M = TypeVar("M")
T = TypeVar("T")


def converted(convert: Callable[[M], T], message: M) -> T:
    """What `convert` makes of a message that is about no group."""
    try:
        return convert(message)
    except (ValueError, OverflowError) as error:
        raise _mismatch(str(error), None) from error


def _mismatch(message: str, group: str | None) -> LadderError:
    return LadderError(grpc.StatusCode.DATA_LOSS, f"the server's answer: {message}", group)


class GroupCheck:
    """What was sent of one group, against what is answered. One thread may send while another checks."""

    def __init__(self, group: str, options: pb.GroupOptions) -> None:
        self._group = group
        self._model = options.model
        self._outputs = options.outputs
        self._ids: list[str] = []  # Of all samples that were sent; "" if the caller gave none.
        self._answered = bytearray()  # Whether a sample was, by its index.
        self._num_predicted = 0
        self._num_rejected = 0
        self._routed = False
        self._num_sources = 0
        self._num_classes = 0  # 0 until it is known.
        self.classes: tuple[str, ...] = ()  # Their names, if the server has told them.
        self.ended = False  # Well or by an error.
        self.closed = False  # Whether its end was sent.

    def sending(self, chunks: Iterable[pb.Samples]) -> Iterator[pb.Samples]:
        for chunk in chunks:
            self.sent(chunk)
            yield chunk

    def sent(self, samples: pb.Samples) -> None:
        """Or rather about to be."""
        count = samples.tensor.shape[0] if samples.HasField("tensor") else len(samples.images.images)
        self._answered.extend(bytes(count))
        self._ids.extend(samples.ids or itertools.repeat("", count))

    def check(self, message: pb.PredictDomainResponse) -> None:
        if message.group != self._group:
            self._fail(f"group: expected {self._group!r}, got {message.group!r}")
        if self.ended:
            self._fail("expected none after the group's end")
        kind = message.WhichOneof("answer")
        if kind == "routing":
            self._check_routing(message.routing)
        elif kind == "predictions":
            self._check_predictions(message.predictions)
        elif kind == "end":
            self._check_end(message.end)

    def check_complete(self) -> None:
        if not self.ended:
            message = "expected the end of the group, the call ended without it"
            raise LadderError(grpc.StatusCode.DATA_LOSS, message, self._group)

    def check_routes(self, num_questions: int, message: pb.RouteDomainResponse) -> None:
        """Of a group that is routed only. Without a question there is one, with all defaults."""
        self._check_count("routings", max(1, num_questions), len(message.routings))
        for routing in message.routings:
            self._routed = False
            self._check_routing(routing)
        self._take((rejected.index, rejected.id) for rejected in message.rejected)

    def _check_routing(self, routing: pb.Routing) -> None:
        if self._routed:
            self._fail("expected one routing, got another")
        asked = self._model
        if (asked.name and routing.model != asked.name) or (
            asked.HasField("version") and routing.version != asked.version
        ):
            version = f" {asked.version}" if asked.HasField("version") else ""
            self._fail(f"model: expected {asked.name!r}{version}, got {routing.model!r} {routing.version}")
        self._check_count("names of sources", len(routing.sources), len({source.source for source in routing.sources}))
        self._check_finite("weight", [source.weight for source in routing.sources])
        self._check_finite("distance", [source.distance for source in routing.sources])
        self._check_finite("effective_experts", [routing.effective_experts])
        if routing.num_samples > len(self._ids):
            self._fail(f"num_samples: expected at most {len(self._ids)}, got {routing.num_samples}")
        self._routed = True
        self._num_sources = len(routing.sources)
        self._num_classes = len(routing.classes)
        self.classes = tuple(routing.classes)

    def _check_predictions(self, predictions: pb.Predictions) -> None:
        if not self._routed:
            self._fail("expected a routing before predictions")
        n = len(predictions.labels)
        if predictions.indices:
            self._check_count("indices", n, len(predictions.indices))
        if predictions.ids:
            self._check_count("ids", n, len(predictions.ids))
        self._check_matrices(predictions, n)
        num_top = n * self._outputs.top_n
        self._check_count("top_classes", num_top, len(predictions.top_classes))
        self._check_count("top_probabilities", num_top, len(predictions.top_probabilities))
        self._check_finite("top_probabilities", list(predictions.top_probabilities))
        self._check_labels("labels", predictions.labels)
        self._check_labels("top_classes", predictions.top_classes)
        self._take(zip(_answers.places(predictions), predictions.ids or itertools.repeat("", n)))
        self._take((rejected.index, rejected.id) for rejected in predictions.rejected)
        self._num_predicted += n
        self._num_rejected += len(predictions.rejected)

    def _check_matrices(self, predictions: pb.Predictions, n: int) -> None:
        outputs = self._outputs
        matrices = [
            ("probabilities", predictions.probabilities, n if outputs.probabilities else 0),
            ("logits", predictions.logits, n if outputs.logits else 0),
            (
                "expert_probabilities",
                predictions.expert_probabilities,
                n * self._num_sources if outputs.expert_probabilities else 0,
            ),
        ]
        if n:  # Where the routing does not name the classes, the first columns count them.
            self._num_classes = self._num_classes or max(matrix.columns for _, matrix, _ in matrices)
        for name, matrix, num_rows in matrices:
            self._check_matrix(name, matrix, num_rows, self._num_classes)
        weights = predictions.sample_weights  # Older servers do not send them.
        self._check_matrix("sample_weights", weights, n if weights.columns else 0, self._num_sources)

    def _check_matrix(self, name: str, matrix: pb.Matrix, num_rows: int, num_columns: int) -> None:
        if num_rows:
            self._check_count(f"{name}.columns", num_columns, matrix.columns)
        self._check_count(f"{name}.float32", 4 * num_rows * num_columns, len(matrix.float32))
        self._check_finite(name, np.frombuffer(matrix.float32, "<f4"))

    def _check_labels(self, name: str, labels: Iterable[int]) -> None:
        largest = max(labels, default=0)
        if 0 < self._num_classes <= largest:
            self._fail(f"{name}: expected one of {self._num_classes} classes, got {largest}")

    def _check_end(self, end: pb.GroupEnd) -> None:
        if not self._routed:
            self._fail("expected a routing before the end")
        self.ended = True
        self._check_count("num_predicted", self._num_predicted, end.num_predicted)
        self._check_count("num_rejected", self._num_rejected, end.num_rejected)
        num_answered = self._num_predicted + self._num_rejected
        if num_answered != len(self._ids):
            self._fail(f"expected answers for {len(self._ids)} samples, got {num_answered}")

    def _take(self, samples: Iterable[tuple[int, str]]) -> None:
        """Each is answered once, under the id that it was sent with."""
        for index, id in samples:
            if index >= len(self._ids):
                self._fail(f"expected one of {len(self._ids)} samples, got sample {index}")
            if self._ids[index] != id:
                self._fail(f"sample {index}: expected the id {self._ids[index]!r}, got {id!r}")
            if self._answered[index]:
                self._fail(f"sample {index}: expected one answer, got another")
            self._answered[index] = True

    def _check_count(self, name: str, expected: int, found: int) -> None:
        if expected != found:
            self._fail(f"{name}: expected {expected}, got {found}")

    def _check_finite(self, name: str, values: list[float] | NDArray[np.float32]) -> None:
        if not np.isfinite(values).all():
            self._fail(f"{name}: expected finite numbers, got others")

    def _fail(self, message: str) -> NoReturn:
        raise _mismatch(message, self._group)


class GroupCollector:
    """Checks the answers about one group, and puts them together."""

    def __init__(self, group: str, options: pb.GroupOptions) -> None:
        self._group = group
        self._routing = pb.Routing()
        self._predictions: list[pb.Predictions] = []
        self.check = GroupCheck(group, options)

    def add(self, message: pb.PredictDomainResponse) -> None:
        """Raises the group's error."""
        self.check.check(message)
        kind = message.WhichOneof("answer")
        if kind == "error":
            raise _answers.group_error(self._group, message.error)
        if kind == "routing":
            self._routing = message.routing
        elif kind == "predictions":
            self._predictions.append(message.predictions)

    def result(self) -> GroupResult:
        self.check.check_complete()
        return _answers.group_result(self._group, self._routing, self._predictions, self.check.classes)


class StreamCheck:
    """The same for all groups of a stream."""

    def __init__(self) -> None:
        self._groups: dict[str, GroupCheck] = {}

    def sent(self, request: pb.PredictDomainRequest) -> None:
        """Or rather about to be."""
        check = self._groups.get(request.group)
        if check is None or request.HasField("options"):
            check = self._groups[request.group] = GroupCheck(request.group, request.options)
        if request.HasField("samples"):
            check.sent(request.samples)
        check.closed = check.closed or request.end_of_group
        if check.closed and check.ended:
            self._groups.pop(request.group, None)

    def answer(self, message: pb.PredictDomainResponse) -> Answer | None:
        """None for an answer of a kind that this package does not know."""
        check = self._groups.get(message.group)
        if check is None:
            raise _mismatch(f"group: expected one that was begun, got {message.group!r}", None)
        check.check(message)
        failed = message.HasField("error")
        # A group that has failed may still be sent to, until its own end.
        if check.ended or (failed and check.closed):
            self._groups.pop(message.group, None)
        check.ended = check.ended or failed
        return _answers.stream_answer(message, check.classes)

    def check_complete(self) -> None:
        """When the call has ended well."""
        for check in list(self._groups.values()):
            check.check_complete()
