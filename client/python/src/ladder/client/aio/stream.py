"""A conversation of asyncio about interleaved groups."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import grpc

from ladder.client import _requests
from ladder.client._checks import StreamCheck
from ladder.client._retries import from_rpc
from ladder.client._samples import AsyncSamples, SampleCutter
from ladder.client.aio._status import FirstStatus
from ladder.client.aio._upload import cut
from ladder.client.errors import LadderError
from ladder.client.options import Model, Outputs, RoutingOptions
from ladder.client.results import Answer
from ladder.v1 import domain_routing_pb2 as pb


class Stream:
    """Groups whose samples are sent in turns; as ladder.client.Stream, whose docstrings hold.

    Made by Client.stream(); to be entered with `async with` before it is used. Several tasks may send and read.
    """

    def __init__(
        self,
        start: Callable[[], Any],
        max_message_bytes: int,
    ) -> None:
        self._start = start
        self._max_message_bytes = max_message_bytes
        self._answers: asyncio.Queue[Answer | None] = asyncio.Queue()
        self._failure: LadderError | None = None  # Written before None is put into _answers.
        self._check = StreamCheck()
        self._sending = asyncio.Lock()  # gRPC takes one message at a time.
        self._begun = False
        self._cancelled = False
        self._done = False

    async def begin(
        self,
        group: str,
        *,
        model: str | Model = "",
        routing: RoutingOptions = RoutingOptions(),
        outputs: Outputs = Outputs(),
        route_after: int = 0,
        fail_on_bad_sample: bool = False,
    ) -> None:
        """Opens a group, before its samples."""
        options = _requests.group_options(model, routing, outputs, route_after, fail_on_bad_sample)
        await self._put(_requests.first_predict_request(group, options))

    async def send(self, group: str, samples: AsyncSamples, *, ids: Sequence[str] | None = None) -> None:
        """Some samples of a group, with a name for each or for none."""
        async for chunk in cut(SampleCutter(group, ids, self._max_message_bytes), samples):
            await self._put(pb.PredictDomainRequest(group=group, samples=chunk))

    async def end(self, group: str) -> None:
        """All samples of the group have been sent."""
        await self._put(pb.PredictDomainRequest(group=group, end_of_group=True))

    async def done(self) -> None:
        """Nothing more will be sent, and groups still open end. Answers go on until all are there."""
        async with self._sending:
            if not self._done:
                self._done = True
                await self._call.done_writing()

    def cancel(self) -> None:
        """Gives up all groups. Reading raises a LadderError of CANCELLED, unless all had ended."""
        self._cancelled = True
        self._call.cancel()

    def __aiter__(self) -> Stream:
        return self

    async def __anext__(self) -> Answer:
        """Waits for the next answer; ends after the last, which needs done()."""
        answer = await self._answers.get()
        if answer is not None:
            return answer
        self._answers.put_nowait(None)  # For whoever asks again.
        if self._failure is not None:
            raise self._failure
        raise StopAsyncIteration

    async def __aenter__(self) -> Stream:
        self._call = self._start()
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)

    async def _put(self, request: pb.PredictDomainRequest) -> None:
        async with self._sending:
            if self._done:
                raise ValueError("expected nothing to be sent after done()")
            request.continue_on_group_error = not self._begun
            self._begun = True
            self._check.sent(request)
            try:
                await self._call.write(request)
                return
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                pass  # The call is over; the reader knows why.
        await asyncio.wait([self._reader])
        raise self._failure or LadderError(grpc.StatusCode.CANCELLED, "the stream has ended")

    async def _read(self) -> None:
        status = FirstStatus(self._call)
        try:
            async for response in self._call:
                answer = self._check.answer(response)
                if answer is not None:
                    self._answers.put_nowait(answer)
            self._check.check_complete()
        except grpc.aio.AioRpcError as error:
            self._failure = from_rpc(status.instead_of(error), None, cancelled=self._cancelled)
        except LadderError as error:
            self._failure = error
        except asyncio.CancelledError:
            self._failure = LadderError(grpc.StatusCode.CANCELLED, "the stream was cancelled")
        except Exception as error:
            # Nobody would hear of it otherwise, and wait.
            self._failure = LadderError(grpc.StatusCode.INTERNAL, f"an answer could not be read: {error!r}")
        finally:
            self._call.cancel()
            self._answers.put_nowait(None)
