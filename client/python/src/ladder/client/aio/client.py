"""The client of asyncio."""

from __future__ import annotations

import asyncio
import os
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from types import TracebackType
from typing import Any, TypeVar

import grpc
from grpc_health.v1 import health_pb2

from ladder.client import _answers, _connection, _methods, _requests
from ladder.client._checks import GroupCheck, GroupCollector, converted
from ladder.client._retries import Attempts, from_rpc
from ladder.client._samples import DEFAULT_MAX_MESSAGE_BYTES, AsyncSamples, SampleCutter, can_be_read_again
from ladder.client.aio._upload import Upload, cut
from ladder.client.aio.stream import Stream
from ladder.client.errors import LadderError, raised_by_samples
from ladder.client.options import Model, Outputs, Question, Retry, RoutingOptions, Tls
from ladder.client.results import GroupResult, ModelDescription, ModelStatus, RouteResult
from ladder.v1 import domain_routing_pb2 as pb

T = TypeVar("T")


class Client:
    """A connection to one server, or to several that serve the same models.

    Belongs to the event loop that runs when it is made; any number of its tasks may call at the same time. Cancelling
    a task cancels its call on the server. Otherwise all is as with ladder.client.Client, whose docstrings hold.
    """

    def __init__(
        self,
        address: str,
        *,
        tls: Tls | None = None,
        token: str | os.PathLike[str] | None = None,
        retry: Retry = Retry(),
        timeout: float | None = None,
        max_message_bytes: int = DEFAULT_MAX_MESSAGE_BYTES,
    ) -> None:
        self._token = _connection.Token(token)
        self._retry = retry
        self._timeout = timeout
        self._max_message_bytes = max_message_bytes
        options = _connection.channel_options(max_message_bytes, tls)
        self._channel = (
            grpc.aio.insecure_channel(address, options)
            if tls is None
            else grpc.aio.secure_channel(address, _connection.credentials(tls), options)
        )
        self._predict_domain = _methods.PREDICT.on(self._channel.stream_stream)
        self._route_domain = _methods.ROUTE.on(self._channel.stream_unary)
        self._list_models = _methods.LIST.on(self._channel.unary_unary)
        self._get_model = _methods.GET.on(self._channel.unary_unary)
        self._reload_model = _methods.RELOAD.on(self._channel.unary_unary)
        self._check_health = _methods.CHECK.on(self._channel.unary_unary)

    async def close(self) -> None:
        await self._channel.close()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def predict(
        self,
        group: str,
        samples: AsyncSamples,
        *,
        model: str | Model = "",
        routing: RoutingOptions = RoutingOptions(),
        outputs: Outputs = Outputs(),
        ids: Sequence[str] | None = None,
        route_after: int = 0,
        fail_on_bad_sample: bool = False,
        timeout: float | None = None,
    ) -> GroupResult:
        """Predicts for a whole group. `samples` may be an asynchronous iterable, too."""
        options = _requests.group_options(model, routing, outputs, route_after, fail_on_bad_sample)
        return await self._predict(group, samples, ids, options, timeout)

    def predict_groups(
        self,
        groups: Mapping[str, AsyncSamples]
        | Iterable[tuple[str, AsyncSamples]]
        | AsyncIterable[tuple[str, AsyncSamples]],
        *,
        model: str | Model = "",
        routing: RoutingOptions = RoutingOptions(),
        outputs: Outputs = Outputs(),
        route_after: int = 0,
        fail_on_bad_sample: bool = False,
        timeout: float | None = None,
        concurrency: int = 8,
    ) -> AsyncGenerator[GroupResult | LadderError, None]:
        """Predicts for many groups, `concurrency` at a time. `groups` may be an asynchronous iterable, too.

        Who leaves the iteration early should call aclose(), as of any asynchronous generator.
        """
        if concurrency < 1:
            raise ValueError(f"concurrency: expected at least 1, got {concurrency}")
        options = _requests.group_options(model, routing, outputs, route_after, fail_on_bad_sample)
        pairs = groups if isinstance(groups, AsyncIterable) else _in_turn(groups)
        return self._predict_groups(pairs, options, timeout, concurrency)

    def stream(self, *, timeout: float | None = None) -> Stream:
        """A conversation about groups whose samples come interleaved. Never tried again by itself."""
        seconds = self._timeout if timeout is None else timeout
        return Stream(lambda: self._start_predict(seconds), self._max_message_bytes)

    async def route(
        self,
        group: str,
        samples: AsyncSamples,
        *,
        questions: Sequence[Question] = (Question(),),
        fail_on_bad_sample: bool = False,
        timeout: float | None = None,
    ) -> RouteResult:
        """Routes a group without predicting: one answer to each question, from one upload."""

        async def requests(check: GroupCheck) -> AsyncIterator[pb.RouteDomainRequest]:
            yield _requests.first_route_request(group, questions, fail_on_bad_sample)
            async for chunk in cut(SampleCutter(group, None, self._max_message_bytes), samples):
                check.sent(chunk)
                yield pb.RouteDomainRequest(samples=chunk)

        async def attempt(seconds: float | None) -> RouteResult:
            check = GroupCheck(group, pb.GroupOptions())
            call = self._route_domain(timeout=seconds, metadata=self._token.metadata(group))
            async with Upload(call, requests(check)):
                response = await call
                check.check_routes(len(questions), response)
                return _answers.route_result(group, response)

        return await self._try(group, attempt, timeout, can_be_read_again(samples))

    async def models(self, *, timeout: float | None = None) -> tuple[ModelStatus, ...]:
        """All models of the store, and what became of their versions."""
        response = await self._ask(self._list_models, pb.ListModelsRequest(), timeout)
        return tuple(converted(_answers.model_status, model) for model in response.models)

    async def model(self, model: str | Model = "", *, timeout: float | None = None) -> ModelDescription:
        """A served version's classes, sources and defaults."""
        request = pb.GetModelRequest(model=_requests.model_ref(model))
        return converted(_answers.model_description, await self._ask(self._get_model, request, timeout))

    async def reload(self, name: str, version: int = 0, *, timeout: float | None = None) -> ModelStatus:
        """Makes the server look at its store now, and waits until what its policy (or `version`) asks for is loaded."""
        request = pb.ReloadModelRequest(name=name, version=version)
        return converted(_answers.model_status, (await self._ask(self._reload_model, request, timeout)).model)

    async def health(self, service: str = "", *, timeout: float | None = None) -> bool:
        """Whether the server is ready for calls. Not tried again: raises LadderError if it cannot be asked."""
        request = health_pb2.HealthCheckRequest(service=service)
        seconds = self._timeout if timeout is None else timeout
        try:
            response = await self._check_health(request, timeout=seconds, metadata=self._token.metadata())
        except grpc.aio.AioRpcError as error:
            raise from_rpc(error, None) from error
        return bool(response.status == health_pb2.HealthCheckResponse.SERVING)

    async def _ask(self, method: Any, request: Any, timeout: float | None) -> Any:
        async def attempt(seconds: float | None) -> Any:
            return await method(request, timeout=seconds, metadata=self._token.metadata())

        return await self._try(None, attempt, timeout, True)

    async def _try(
        self,
        group: str | None,
        attempt: Callable[[float | None], Awaitable[T]],
        timeout: float | None,
        repeatable: bool,
    ) -> T:
        attempts = Attempts(self._retry, self._timeout if timeout is None else timeout)
        while True:
            try:
                return await attempt(attempts.remaining())
            except grpc.aio.AioRpcError as rpc_error:
                error = from_rpc(rpc_error, group)
                wait = attempts.wait_after(error) if repeatable else None
                if wait is None:
                    raise error from rpc_error
            await asyncio.sleep(wait)

    def _start_predict(self, seconds: float | None, group: str | None = None) -> Any:
        return self._predict_domain(timeout=seconds, metadata=self._token.metadata(group))

    async def _predict(
        self,
        group: str,
        samples: AsyncSamples,
        ids: Sequence[str] | None,
        options: pb.GroupOptions,
        timeout: float | None,
    ) -> GroupResult:
        async def requests(check: GroupCheck) -> AsyncIterator[pb.PredictDomainRequest]:
            yield _requests.first_predict_request(group, options)
            async for chunk in cut(SampleCutter(group, ids, self._max_message_bytes), samples):
                check.sent(chunk)
                yield pb.PredictDomainRequest(group=group, samples=chunk)
            yield pb.PredictDomainRequest(group=group, end_of_group=True)

        async def attempt(seconds: float | None) -> GroupResult:
            collector = GroupCollector(group, options)
            call = self._start_predict(seconds, group)
            async with Upload(call, requests(collector.check)):
                async for response in call:
                    collector.add(response)
            return collector.result()

        return await self._try(group, attempt, timeout, can_be_read_again(samples))

    async def _predict_groups(
        self,
        pairs: AsyncIterable[tuple[str, AsyncSamples]],
        options: pb.GroupOptions,
        timeout: float | None,
        concurrency: int,
    ) -> AsyncGenerator[GroupResult | LadderError, None]:
        running: dict[asyncio.Task[GroupResult], str] = {}
        following = aiter(pairs)
        try:
            more = True
            failure: Exception | None = None
            while more or running:
                if more and len(running) < concurrency:
                    try:
                        group, samples = await anext(following)
                    except StopAsyncIteration:
                        more = False
                    except Exception as error:
                        more, failure = False, error
                    else:
                        task = asyncio.create_task(self._predict(group, samples, None, options, timeout))
                        running[task] = group
                    continue
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield _outcome(task, running.pop(task))
            if failure is not None:
                raise failure
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)


async def _in_turn(
    groups: Mapping[str, AsyncSamples] | Iterable[tuple[str, AsyncSamples]],
) -> AsyncIterator[tuple[str, AsyncSamples]]:
    for pair in groups.items() if isinstance(groups, Mapping) else groups:
        yield pair


def _outcome(task: asyncio.Task[GroupResult], group: str) -> GroupResult | LadderError:
    try:
        return task.result()
    except LadderError as error:
        return error
    except Exception as error:
        return raised_by_samples(error, group)
