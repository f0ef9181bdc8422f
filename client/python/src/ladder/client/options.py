"""What callers choose. What is not set is the server's or the bundle's default."""

from __future__ import annotations

import dataclasses
import enum
import os
from collections.abc import Mapping, Sequence
from typing import Literal


class Method(enum.IntEnum):
    """How a group's weights come about."""

    DEFAULT = 0  # The bundle's own, usually LADDER.
    LADDER = 1  # Softmax over the K nearest sources.
    NEAREST = 2  # The nearest source alone.
    UNIFORM = 3  # All sources alike.
    SAMPLE_GATE = 4  # Every sample its own weights.
    SAMPLE_GATE_GROUP = 5  # The mean of those over the group.
    FIXED = 6  # The caller's weights.

    @classmethod
    def _missing_(cls, value: object) -> Method:
        return cls.DEFAULT  # Of a server newer than this package.


class Fallback(enum.IntEnum):
    """What to do with a group that has too few samples or is out of coverage."""

    DEFAULT = 0  # Too few: an error. Out of coverage: nothing.
    ERROR = 1  # An error in both cases.
    UNIFORM = 2
    SAMPLE_GATE_GROUP = 3
    SOFTEN = 4  # Weights of a larger temperature.

    @classmethod
    def _missing_(cls, value: object) -> Fallback:
        return cls.DEFAULT


@dataclasses.dataclass(frozen=True, slots=True)
class Model:
    """Which version of which model: that of a number or a label, else the one labelled "stable", else the highest.

    Without a name, the only model there is.
    """

    name: str = ""
    version: int | None = None
    label: str | None = None

    def __post_init__(self) -> None:
        if self.version is not None and self.label is not None:
            raise ValueError(f'expected a version or a label, got version {self.version} and label "{self.label}"')


@dataclasses.dataclass(frozen=True, slots=True)
class RoutingOptions:
    """How weights come about."""

    method: Method = Method.DEFAULT
    k: int | Literal["all"] | None = None
    tau: float | None = None
    gate_temperature: float | None = None
    # Weights by source, or one for each source in the bundle's order; they sum to one. The method is then FIXED.
    fixed: Mapping[str, float] | Sequence[float] | None = None
    # Those that may get weight; all if there are none.
    sources: Sequence[str] = ()
    # Whether to compute what takes time and only explains: stability and expert_disagreement.
    diagnostics: bool = True
    # A group with fewer samples, or out of coverage, is treated as `fallback` says.
    min_samples: int = 0
    fallback: Fallback = Fallback.DEFAULT
    # What tau is multiplied by in Fallback.SOFTEN.
    soften_factor: float | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Outputs:
    """What predictions carry beside the most probable class."""

    probabilities: bool = True
    logits: bool = False
    expert_probabilities: bool = False
    top_n: int = 0
    class_names: bool = True  # All of them, once for each group.


@dataclasses.dataclass(frozen=True, slots=True)
class Question:
    """One of several about a group, for Client.route."""

    model: str | Model = ""
    routing: RoutingOptions = RoutingOptions()


@dataclasses.dataclass(frozen=True, slots=True)
class Tls:
    """PEM files for a server that speaks TLS; read when the client is made."""

    ca: str | os.PathLike[str] | None = None  # Who may have signed the server's; the system's if there is none.
    certificate: str | os.PathLike[str] | None = None  # The client's own chain and key, for mutual TLS.
    key: str | os.PathLike[str] | None = None
    server_name: str | None = None  # What the server's certificate is for, if not the address's host.

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("tls: expected certificate and key together, got one of them")


@dataclasses.dataclass(frozen=True, slots=True)
class Retry:
    """How often and how soon a call is tried again.

    Only after UNAVAILABLE, and after RESOURCE_EXHAUSTED where the server says when to come again: a limit that a group
    is beyond stays one. Waits double from `first_wait` to `longest_wait` seconds, each cut by a random part of up to a
    half; the server's own hint takes their place and is lengthened by a random part of up to a fifth.
    """

    attempts: int = 8  # All in all; 1 never tries again.
    first_wait: float = 0.25
    longest_wait: float = 8.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"retry.attempts: expected at least 1, got {self.attempts}")
        if not 0 < self.first_wait <= self.longest_wait:
            raise ValueError(
                f"retry: expected 0 < first_wait <= longest_wait, got {self.first_wait} and {self.longest_wait}"
            )
