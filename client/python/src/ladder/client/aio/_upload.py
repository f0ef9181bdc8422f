"""The sending side of a call of asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from types import TracebackType
from typing import Any

import grpc

from ladder.client._samples import AsyncSamples, SampleCutter
from ladder.client.aio._status import FirstStatus
from ladder.v1 import domain_routing_pb2 as pb


async def cut(cutter: SampleCutter, samples: AsyncSamples) -> AsyncIterator[pb.Samples]:
    """Reads files, and what else blocks, in another thread."""
    if not isinstance(samples, AsyncIterable):
        async for message in _in_thread(cutter.cut(samples)):
            yield message
        return
    async for piece in samples:
        async for message in _in_thread(cutter.add(piece)):
            yield message
    async for message in _in_thread(cutter.finish()):
        yield message


async def _in_thread(messages: Iterator[pb.Samples]) -> AsyncIterator[pb.Samples]:
    while (message := await asyncio.to_thread(next, messages, None)) is not None:
        yield message


class Upload:
    """Writes requests to a call while its answers are read; to be entered by whoever reads.

    What goes wrong in making requests cancels the call, and is raised in place of that on leaving. So is the status
    that the call ended with.
    """

    def __init__(self, call: Any, requests: AsyncIterator[Any]) -> None:
        self._call = call
        self._requests = requests
        self._status = FirstStatus(call)
        self._failure: BaseException | None = None

    async def __aenter__(self) -> None:
        self._writer = asyncio.create_task(self._write())

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._call.cancel()  # In case it was left by an exception.
        self._writer.cancel()
        await asyncio.gather(self._writer, return_exceptions=True)
        if self._failure is not None:
            raise self._failure from None
        if isinstance(error, grpc.aio.AioRpcError):
            raise self._status.instead_of(error)

    async def _write(self) -> None:
        try:
            async for request in self._requests:
                try:
                    await self._call.write(request)
                except (grpc.RpcError, asyncio.InvalidStateError):
                    return  # The call is over; its status says why.
            await self._call.done_writing()
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self._failure = error
            self._call.cancel()
