"""From the wire to callers' results."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence

import grpc
import numpy as np
from numpy.typing import NDArray

from ladder.client.errors import LadderError
from ladder.client.options import Fallback, Method
from ladder.client.results import (
    Answer,
    AppliedFallback,
    Coverage,
    GroupResult,
    ModelDescription,
    ModelStatus,
    Predictions,
    RejectedSample,
    RouteResult,
    Routing,
    RoutingDefaults,
    Source,
    Stability,
    Verdict,
    VersionStatus,
)
from ladder.v1 import domain_routing_pb2 as pb

# But for OK, which no error has.
_CODES: dict[int, grpc.StatusCode] = {code.value[0]: code for code in grpc.StatusCode if code != grpc.StatusCode.OK}
_REASONS: dict[int, str] = {
    pb.AppliedFallback.TOO_FEW_SAMPLES: "too_few_samples",
    pb.AppliedFallback.OUT_OF_COVERAGE: "out_of_coverage",
}


def routing_result(message: pb.Routing) -> Routing:
    coverage = message.coverage
    stability = message.stability
    fallback = message.fallback
    return Routing(
        model=message.model,
        version=message.version,
        sha256=message.sha256,
        method=Method(message.method),
        weights={source.source: source.weight for source in message.sources},
        distances={s.source: s.distance for s in message.sources} if message.has_distances else None,
        per_sample=message.per_sample,
        num_samples=message.num_samples,
        num_style_samples=message.num_style_samples,
        k=message.k,
        tau=message.tau,
        effective_experts=message.effective_experts,
        coverage=Coverage(
            verdict=Verdict(coverage.verdict),
            basis=coverage.basis,
            nearest_distance=coverage.nearest_distance,
            in_threshold=coverage.in_threshold,
            out_threshold=coverage.out_threshold,
            rank=coverage.rank,
            num_sources=coverage.num_sources,
        ),
        stability=Stability(stability.mean_total_variation, stability.max_total_variation, stability.half_samples)
        if message.HasField("stability")
        else None,
        expert_disagreement=message.expert_disagreement if message.HasField("expert_disagreement") else None,
        fallback=AppliedFallback(
            Fallback(fallback.fallback), _REASONS.get(fallback.reason, "unknown"), fallback.explanation
        )
        if message.HasField("fallback")
        else None,
        timings={timing.stage: timing.duration.ToNanoseconds() / 1e9 for timing in message.timings},
    )


def _rejected(messages: Iterable[pb.RejectedSample]) -> tuple[RejectedSample, ...]:
    return tuple(RejectedSample(m.index, m.id, m.reason, m.message) for m in messages)


def _rows(matrices: Sequence[pb.Matrix], *shape: int) -> NDArray[np.float32] | None:
    """The matrices' rows one below the other, as an array of `shape`; None if there are none."""
    present = [matrix for matrix in matrices if matrix.columns > 0]
    if not present:
        return None
    values = np.concatenate([np.frombuffer(matrix.float32, "<f4") for matrix in present])
    return values.reshape(*shape, present[0].columns)


def places(message: pb.Predictions) -> Iterable[int]:
    return message.indices or range(message.first_index, message.first_index + len(message.labels))


def predictions_result(parts: Sequence[pb.Predictions], classes: tuple[str, ...]) -> Predictions:
    """Of one message, or of a group's from the first to the last."""
    n = sum(len(part.labels) for part in parts)
    top_classes = np.array([c for part in parts for c in part.top_classes], np.int64)
    top_probabilities = np.array([p for part in parts for p in part.top_probabilities], np.float32)
    return Predictions(
        indices=np.array([index for part in parts for index in places(part)], np.int64),
        ids=tuple(id for part in parts for id in part.ids),
        labels=np.array([label for part in parts for label in part.labels], np.int64),
        classes=classes,
        probabilities=_rows([part.probabilities for part in parts], n),
        logits=_rows([part.logits for part in parts], n),
        expert_probabilities=_rows([part.expert_probabilities for part in parts], n, -1) if n else None,
        top_classes=top_classes.reshape(n, -1) if len(top_classes) else None,
        top_probabilities=top_probabilities.reshape(n, -1) if len(top_probabilities) else None,
        rejected=_rejected(rejected for part in parts for rejected in part.rejected),
    )


def group_error(group: str, message: pb.GroupError) -> LadderError:
    return LadderError(_CODES.get(message.code, grpc.StatusCode.UNKNOWN), message.message, group)


def stream_answer(message: pb.PredictDomainResponse, classes: tuple[str, ...]) -> Answer | None:
    """None for an answer of a kind that this package does not know."""
    kind = message.WhichOneof("answer")
    if kind == "routing":
        return Answer(message.group, routing=routing_result(message.routing))
    if kind == "predictions":
        return Answer(message.group, predictions=predictions_result([message.predictions], classes))
    if kind == "error":
        return Answer(message.group, error=group_error(message.group, message.error))
    if kind == "end":
        return Answer(message.group, end=True)
    return None


def group_result(
    group: str, routing: pb.Routing, predictions: Sequence[pb.Predictions], classes: tuple[str, ...]
) -> GroupResult:
    return GroupResult(group, routing_result(routing), predictions_result(predictions, classes))


def route_result(group: str, message: pb.RouteDomainResponse) -> RouteResult:
    return RouteResult(group, tuple(map(routing_result, message.routings)), _rejected(message.rejected))


def model_status(message: pb.ModelStatus) -> ModelStatus:
    return ModelStatus(
        name=message.name,
        policy=message.policy,
        served=tuple(message.served),
        default_version=message.default_version,
        labels=dict(message.labels),
        versions=tuple(
            VersionStatus(
                version=version.version,
                state=version.state,
                since=version.since.ToDatetime(datetime.timezone.utc),
                message=version.message,
                sha256=version.sha256,
                load_seconds=version.load_duration.ToNanoseconds() / 1e9,
            )
            for version in message.versions
        ),
    )


def model_description(message: pb.GetModelResponse) -> ModelDescription:
    routing = message.routing
    return ModelDescription(
        name=message.name,
        version=message.version,
        sha256=message.sha256,
        created=message.created.ToDatetime(datetime.timezone.utc),
        trainer_version=message.trainer_version,
        classes=tuple(message.classes),
        sources=tuple(Source(s.name, s.training_samples, s.fingerprint_samples) for s in message.sources),
        content_dimension=message.content_dimension,
        style_dimension=message.style_dimension,
        sample_shape=tuple(message.sample_shape),
        takes_images=message.takes_images,
        routing=RoutingDefaults(
            method=Method(routing.method),
            k=routing.k,
            tau=routing.tau,
            blur=routing.blur,
            scaling=routing.scaling,
            max_style_samples=routing.max_style_samples,
            calibrated=routing.calibrated,
        ),
        max_batch=message.max_batch,
        source_distances=_rows([message.source_distances], len(message.sources)),
    )
