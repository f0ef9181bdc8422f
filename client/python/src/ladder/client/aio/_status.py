"""How a call of asyncio ended."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

import grpc

# What gRPC says of a call that ended while a message was being written.
_LOST = "Internal error from Core"


class FirstStatus:
    """Keeps the status that a call ends with.

    gRPC itself may put an INTERNAL error of its own in the place of the server's status, or before it, if a message is
    being written at that moment (grpc/grpc#36066): wrong for the caller, and for whether to try again.
    """

    def __init__(self, call: Any) -> None:
        self._kept: grpc.aio.AioRpcError | None = None
        call.add_done_callback(self._keep)

    def instead_of(self, error: grpc.aio.AioRpcError) -> grpc.aio.AioRpcError:
        """`error`, or the server's status if gRPC lost it."""
        lost = error.code() == grpc.StatusCode.INTERNAL and error.details() == _LOST
        return self._kept if lost and self._kept is not None else error

    def _keep(self, call: Any) -> None:
        code = _at_once(call.code())
        if code not in (None, grpc.StatusCode.OK):
            self._kept = grpc.aio.AioRpcError(
                code,
                initial_metadata=grpc.aio.Metadata(),
                trailing_metadata=_at_once(call.trailing_metadata()) or grpc.aio.Metadata(),
                details=_at_once(call.details()),
            )


def _at_once(value: Coroutine[Any, Any, Any]) -> Any:
    """Of what need not be waited for, since the call has ended."""
    try:
        value.send(None)
    except StopIteration as result:
        return result.value
    value.close()
    return None
