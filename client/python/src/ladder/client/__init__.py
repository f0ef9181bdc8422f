"""Predictions for named, unlabelled groups from a LADDER server.

    from ladder.client import Client

    with Client("localhost:8001") as client:
        result = client.predict("camera-7", rows, model="birds")
        print(result.routing.weights, result.predictions.class_names)

`ladder.client.aio` has the same for asyncio.
"""

from ladder.client import aio
from ladder.client._samples import AsyncSamples, Chunk, Picture, Samples
from ladder.client.client import Client
from ladder.client.errors import DeadlineError, LadderError, SampleError
from ladder.client.options import Fallback, Method, Model, Outputs, Question, Retry, RoutingOptions, Tls
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
from ladder.client.stream import Stream

__all__ = [
    "Answer",
    "AppliedFallback",
    "AsyncSamples",
    "Chunk",
    "Client",
    "Coverage",
    "DeadlineError",
    "Fallback",
    "GroupResult",
    "LadderError",
    "Method",
    "Model",
    "ModelDescription",
    "ModelStatus",
    "Outputs",
    "Picture",
    "Predictions",
    "Question",
    "RejectedSample",
    "Retry",
    "RouteResult",
    "Routing",
    "RoutingDefaults",
    "RoutingOptions",
    "SampleError",
    "Samples",
    "Source",
    "Stability",
    "Stream",
    "Tls",
    "Verdict",
    "VersionStatus",
    "aio",
]
