"""What the server answers, as plain values. Arrays belong to the caller."""

from __future__ import annotations

import dataclasses
import datetime
import enum
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ladder.client.errors import LadderError
from ladder.client.options import Fallback, Method


class Verdict(enum.IntEnum):
    """Whether a group lies where the sources do."""

    UNKNOWN = 0
    IN = 1
    EDGE = 2
    OUT = 3

    @classmethod
    def _missing_(cls, value: object) -> Verdict:
        return cls.UNKNOWN


@dataclasses.dataclass(frozen=True, slots=True)
class Coverage:
    verdict: Verdict
    basis: str  # Why it is UNKNOWN, or "calibration".
    nearest_distance: float
    in_threshold: float  # IN up to here,
    out_threshold: float  # OUT above.
    rank: float  # The share of the sources that lie nearer to others.
    num_sources: int


@dataclasses.dataclass(frozen=True, slots=True)
class Stability:
    """The share of the weight that other samples of the group would move."""

    mean_total_variation: float
    max_total_variation: float
    half_samples: int


@dataclasses.dataclass(frozen=True, slots=True)
class AppliedFallback:
    fallback: Fallback
    reason: str  # "too_few_samples" or "out_of_coverage".
    explanation: str


@dataclasses.dataclass(frozen=True, slots=True)
class Routing:
    """A group's weights, and the reasons for them."""

    model: str
    version: int
    sha256: str  # Of the bundle's manifest.
    method: Method
    weights: Mapping[str, float]  # Of all sources, in the bundle's order.
    distances: Mapping[str, float] | None  # None if the method measures none.
    per_sample: bool  # Every sample has weights of its own; `weights` are their mean.
    num_samples: int
    num_style_samples: int
    k: int  # Sources that got weight by distance; 0 for other methods.
    tau: float
    effective_experts: float
    coverage: Coverage
    stability: Stability | None
    expert_disagreement: float | None  # From 0, they agree, to 1.
    fallback: AppliedFallback | None  # None if no rule fired.
    timings: Mapping[str, float]  # Seconds of the server, by stage.


@dataclasses.dataclass(frozen=True, slots=True)
class RejectedSample:
    """A sample that got no prediction."""

    index: int  # In the group.
    id: str
    reason: str  # "corrupt", "too_large", "unsupported".
    message: str


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """For n samples of a group, in order; what was not asked for is None."""

    indices: NDArray[np.int64]  # [n], their places in the group.
    ids: tuple[str, ...]  # Empty if the caller gave none.
    labels: NDArray[np.int64]  # [n], the most probable class of each.
    classes: tuple[str, ...]  # All names; empty if not asked for, and of a server too old to tell them.
    probabilities: NDArray[np.float32] | None  # [n, classes].
    logits: NDArray[np.float32] | None  # [n, classes].
    expert_probabilities: NDArray[np.float32] | None  # [n, sources, classes].
    top_classes: NDArray[np.int64] | None  # [n, top_n], best first.
    top_probabilities: NDArray[np.float32] | None  # [n, top_n].
    rejected: tuple[RejectedSample, ...]

    @property
    def class_names(self) -> list[str]:
        """The name of each sample's most probable class; empty if `classes` is."""
        return [self.classes[label] for label in self.labels] if self.classes else []


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class GroupResult:
    """All of one group's."""

    group: str
    routing: Routing
    predictions: Predictions


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Of a stream, about one group: its routing, some predictions, its end or its error; just one of them.

    The last of a group's answers is its end or its error.
    """

    group: str
    routing: Routing | None = None
    predictions: Predictions | None = None
    error: LadderError | None = None
    end: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class RouteResult:
    group: str
    routings: tuple[Routing, ...]  # In the order of the questions.
    rejected: tuple[RejectedSample, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class VersionStatus:
    version: int
    state: str  # "LOADING", "SERVING", "DRAINING", "FAILED", ...
    since: datetime.datetime
    message: str  # What is wrong, if anything.
    sha256: str
    load_seconds: float


@dataclasses.dataclass(frozen=True, slots=True)
class ModelStatus:
    name: str
    policy: str
    served: tuple[int, ...]  # Ascending.
    default_version: int  # Of callers who choose neither version nor label; 0 if it is not served.
    labels: Mapping[str, int]
    versions: tuple[VersionStatus, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Source:
    name: str
    training_samples: int
    fingerprint_samples: int


@dataclasses.dataclass(frozen=True, slots=True)
class RoutingDefaults:
    method: Method
    k: int  # 0: all sources.
    tau: float
    blur: float
    scaling: float
    max_style_samples: int
    calibrated: bool


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ModelDescription:
    name: str
    version: int
    sha256: str
    created: datetime.datetime
    trainer_version: str
    classes: tuple[str, ...]
    sources: tuple[Source, ...]
    content_dimension: int
    style_dimension: int
    sample_shape: tuple[int, ...]
    takes_images: bool
    routing: RoutingDefaults
    max_batch: int
    source_distances: NDArray[np.float32] | None  # [sources, sources].
