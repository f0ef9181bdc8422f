"""When to try again, for both kinds of client."""

from __future__ import annotations

import random
import time
from typing import Any

import grpc

from ladder.client.errors import DeadlineError, LadderError
from ladder.client.options import Retry

_PUSHBACK = "grpc-retry-pushback-ms"
_RESET = "RST_STREAM"  # In gRPC's message for a stream that HTTP/2 has reset.


def from_rpc(
    error: grpc.RpcError | grpc.aio.AioRpcError, group: str | None, *, cancelled: bool = False
) -> LadderError:
    """A failed call, in our own words.

    Two statuses of gRPC's own are UNAVAILABLE here. Calls that reach a server at the moment when it shuts down are
    CANCELLED, which counts only if this side has done so, `cancelled`. (What asyncio cancels has no status, it raises
    asyncio.CancelledError.) Calls that a proxy cuts off, because the server behind it has died in the midst of its
    answer, are INTERNAL.
    """
    code = error.code()
    message = error.details() or "no details"
    if code == grpc.StatusCode.CANCELLED and not cancelled:
        code, message = grpc.StatusCode.UNAVAILABLE, f"the server has cancelled the call: {message}"
    elif code == grpc.StatusCode.INTERNAL and _RESET in message:
        code, message = grpc.StatusCode.UNAVAILABLE, f"the call was cut off: {message}"
    retry_after = None
    trailing: Any = error.trailing_metadata()
    for key, value in trailing or ():
        if key == _PUSHBACK:
            retry_after = _seconds(value)
    kind = DeadlineError if code == grpc.StatusCode.DEADLINE_EXCEEDED else LadderError
    return kind(code, message, group, retry_after)


def _seconds(milliseconds: str | bytes) -> float:
    """Below 0, which means never, for what is no number: so gRPC has it."""
    try:
        return int(milliseconds) / 1000
    except ValueError:
        return -1.0


class Attempts:
    """One call's, until its deadline."""

    def __init__(self, retry: Retry, timeout: float | None) -> None:
        self._retry = retry
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._failed = 0

    def remaining(self) -> float | None:
        """Seconds that are left; None without a deadline."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def wait_after(self, error: LadderError) -> float | None:
        """Seconds to wait for another attempt; None if there should be none."""
        self._failed += 1
        hint = error.retry_after
        if error.code == grpc.StatusCode.RESOURCE_EXHAUSTED:
            again = hint is not None
        else:
            again = error.code == grpc.StatusCode.UNAVAILABLE
        if not again or self._failed >= self._retry.attempts or (hint is not None and hint < 0):
            return None
        doubled = self._retry.first_wait * 2.0 ** (self._failed - 1)
        wait = min(doubled, self._retry.longest_wait) * random.uniform(0.5, 1.0)
        if hint is not None:  # A server that stops says "soon", and may be away for longer.
            wait = max(wait, hint * random.uniform(1.0, 1.2))
        left = self.remaining()
        return wait if left is None or wait < left else None
