"""The blocking client."""

from __future__ import annotations

import concurrent.futures
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar

import grpc
from grpc_health.v1 import health_pb2

from ladder.client import _answers, _connection, _methods, _requests
from ladder.client._checks import GroupCheck, GroupCollector, converted
from ladder.client._retries import Attempts, from_rpc
from ladder.client._samples import DEFAULT_MAX_MESSAGE_BYTES, SampleCutter, Samples, can_be_read_again
from ladder.client._upload import Cancellation, Upload
from ladder.client.errors import LadderError, raised_by_samples
from ladder.client.options import Model, Outputs, Question, Retry, RoutingOptions, Tls
from ladder.client.results import GroupResult, ModelDescription, ModelStatus, RouteResult
from ladder.client.stream import Stream
from ladder.v1 import domain_routing_pb2 as pb

T = TypeVar("T")


class Client:
    """A connection to one server, or to several that serve the same models.

    Thread-safe: any number of threads may call at the same time. Close it, or use it as a context manager; calls that
    are under way end then. Errors are LadderError, unless an argument is wrong in itself (ValueError).
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
        """Connects when it is first needed.

        Args:
          address: "host:8001", or what gRPC calls a target: calls take turns over all addresses of
            "dns:///ladder.example:8001" and "ipv4:10.0.0.1:8001,10.0.0.2:8001".
          tls: how to trust and to be trusted; None speaks plaintext.
          token: a bearer token, or a pathlib.Path of a file that is read for every call: its first line that is
            neither empty nor a comment (#) is the token, or a name and the token. It travels as it is if there is no
            TLS.
          retry: for what can be sent again; a group only if its samples can be read again, which those of an
            iterator or generator cannot.
          timeout: seconds for a call with all its attempts, where the call itself says nothing else; None leaves it to
            the server's limits.
          max_message_bytes: as of the server's flag of this name.
        """
        self._token = _connection.Token(token)
        self._retry = retry
        self._timeout = timeout
        self._max_message_bytes = max_message_bytes
        options = _connection.channel_options(max_message_bytes, tls)
        self._channel = (
            grpc.insecure_channel(address, options)
            if tls is None
            else grpc.secure_channel(address, _connection.credentials(tls), options)
        )
        self._predict_domain = _methods.PREDICT.on(self._channel.stream_stream)
        self._route_domain = _methods.ROUTE.on(self._channel.stream_unary)
        self._list_models = _methods.LIST.on(self._channel.unary_unary)
        self._get_model = _methods.GET.on(self._channel.unary_unary)
        self._reload_model = _methods.RELOAD.on(self._channel.unary_unary)
        self._check_health = _methods.CHECK.on(self._channel.unary_unary)
        self._closed = False

    def close(self) -> None:
        self._closed = True
        self._channel.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def predict(
        self,
        group: str,
        samples: Samples,
        *,
        model: str | Model = "",
        routing: RoutingOptions = RoutingOptions(),
        outputs: Outputs = Outputs(),
        ids: Sequence[str] | None = None,
        route_after: int = 0,
        fail_on_bad_sample: bool = False,
        timeout: float | None = None,
    ) -> GroupResult:
        """Predicts for a whole group.

        Args:
          group: its name.
          samples: an array [n, ...]; or pictures, each the bytes or the path of a JPEG or PNG file; or any iterable of
            arrays, pictures and lists of pictures. They are read as they are sent, by another thread.
          model: its name, or one of its versions; "" if the server has just one.
          routing: how weights come about.
          outputs: what predictions carry.
          ids: names for the samples, one each.
          route_after: fixes the weights after this many samples, so that the server need not keep a large group in
            memory; 0 waits for its end.
          fail_on_bad_sample: makes a picture that cannot be read an error, instead of telling it under `rejected`.
          timeout: seconds for all attempts.
        """
        options = _requests.group_options(model, routing, outputs, route_after, fail_on_bad_sample)
        return self._predict(group, samples, ids, options, timeout, Cancellation())

    def predict_groups(
        self,
        groups: Mapping[str, Samples] | Iterable[tuple[str, Samples]],
        *,
        model: str | Model = "",
        routing: RoutingOptions = RoutingOptions(),
        outputs: Outputs = Outputs(),
        route_after: int = 0,
        fail_on_bad_sample: bool = False,
        timeout: float | None = None,
        concurrency: int = 8,
    ) -> Iterator[GroupResult | LadderError]:
        """Predicts for many groups, `concurrency` at a time; what one ends with comes as soon as it has ended.

        A group that fails is told by its LadderError, whose `group` names it, and the others go on; what its own
        samples raise is the __cause__ of a SampleError. `groups` is read as there is room for more; what it raises
        itself comes after the groups that it has named. Leaving the iterator (break, or its close()) cancels what is
        under way. `timeout` is for each group; the other arguments are those of predict().
        """
        if concurrency < 1:
            raise ValueError(f"concurrency: expected at least 1, got {concurrency}")
        options = _requests.group_options(model, routing, outputs, route_after, fail_on_bad_sample)
        pairs = iter(groups.items() if isinstance(groups, Mapping) else groups)
        return self._predict_groups(pairs, options, timeout, concurrency)

    def stream(self, *, timeout: float | None = None) -> Stream:
        """A conversation about groups whose samples come interleaved. Never tried again by itself.

        `timeout` is for all of it.
        """
        seconds = self._timeout if timeout is None else timeout
        return Stream(self._start_predict, lambda: self._closed, seconds, self._max_message_bytes)

    def route(
        self,
        group: str,
        samples: Samples,
        *,
        questions: Sequence[Question] = (Question(),),
        fail_on_bad_sample: bool = False,
        timeout: float | None = None,
    ) -> RouteResult:
        """Routes a group without predicting: one answer to each question, from one upload."""

        def attempt(seconds: float | None) -> RouteResult:
            first = _requests.first_route_request(group, questions, fail_on_bad_sample)
            check = GroupCheck(group, pb.GroupOptions())
            chunks = check.sending(SampleCutter(group, None, self._max_message_bytes).cut(samples))
            upload = Upload(_requests.whole_route(first, chunks))
            call = self._route_domain.future(upload, timeout=seconds, metadata=self._token.metadata(group))
            upload.belongs_to(call)
            try:
                response = call.result()
                check.check_routes(len(questions), response)
                return _answers.route_result(group, response)
            except (grpc.RpcError, grpc.FutureCancelledError):
                if upload.failure is not None:
                    raise upload.failure from None
                raise
            finally:
                call.cancel()

        return self._try(group, attempt, timeout, can_be_read_again(samples), Cancellation())

    def models(self, *, timeout: float | None = None) -> tuple[ModelStatus, ...]:
        """All models of the store, and what became of their versions."""
        response = self._ask(self._list_models, pb.ListModelsRequest(), timeout)
        return tuple(converted(_answers.model_status, model) for model in response.models)

    def model(self, model: str | Model = "", *, timeout: float | None = None) -> ModelDescription:
        """A served version's classes, sources and defaults."""
        request = pb.GetModelRequest(model=_requests.model_ref(model))
        return converted(_answers.model_description, self._ask(self._get_model, request, timeout))

    def reload(self, name: str, version: int = 0, *, timeout: float | None = None) -> ModelStatus:
        """Makes the server look at its store now, and waits until what its policy (or `version`) asks for is loaded."""
        request = pb.ReloadModelRequest(name=name, version=version)
        return converted(_answers.model_status, self._ask(self._reload_model, request, timeout).model)

    def health(self, service: str = "", *, timeout: float | None = None) -> bool:
        """Whether the server is ready for calls. Not tried again: raises LadderError if it cannot be asked."""
        request = health_pb2.HealthCheckRequest(service=service)
        seconds = self._timeout if timeout is None else timeout
        try:
            response = self._check_health(request, timeout=seconds, metadata=self._token.metadata())
        except grpc.RpcError as error:
            raise from_rpc(error, None, cancelled=self._closed) from error
        return bool(response.status == health_pb2.HealthCheckResponse.SERVING)

    def _ask(self, method: Any, request: Any, timeout: float | None) -> Any:
        def attempt(seconds: float | None) -> Any:
            return method(request, timeout=seconds, metadata=self._token.metadata())

        return self._try(None, attempt, timeout, True, Cancellation())

    def _try(
        self,
        group: str | None,
        attempt: Callable[[float | None], T],
        timeout: float | None,
        repeatable: bool,
        cancellation: Cancellation,
    ) -> T:
        attempts = Attempts(self._retry, self._timeout if timeout is None else timeout)
        while True:
            try:
                return attempt(attempts.remaining())
            except grpc.RpcError as rpc_error:
                error = from_rpc(rpc_error, group, cancelled=self._closed or cancellation.requested())
                wait = attempts.wait_after(error) if repeatable else None
                if wait is None or cancellation.wait(wait):
                    raise error from rpc_error

    def _start_predict(self, requests: Any, seconds: float | None, group: str | None = None) -> Any:
        return self._predict_domain(requests, timeout=seconds, metadata=self._token.metadata(group))

    def _predict(
        self,
        group: str,
        samples: Samples,
        ids: Sequence[str] | None,
        options: pb.GroupOptions,
        timeout: float | None,
        cancellation: Cancellation,
    ) -> GroupResult:
        def attempt(seconds: float | None) -> GroupResult:
            collector = GroupCollector(group, options)
            chunks = collector.check.sending(SampleCutter(group, ids, self._max_message_bytes).cut(samples))
            upload = Upload(_requests.whole_group(group, options, chunks))
            call = self._start_predict(upload, seconds, group)
            upload.belongs_to(call)
            cancellation.add(call)
            try:
                for response in call:
                    collector.add(response)
            except grpc.RpcError:
                if upload.failure is not None:
                    raise upload.failure from None
                raise
            finally:
                call.cancel()  # In case it was left by an exception.
                cancellation.remove(call)
            return collector.result()

        return self._try(group, attempt, timeout, can_be_read_again(samples), cancellation)

    def _predict_groups(
        self,
        pairs: Iterator[tuple[str, Samples]],
        options: pb.GroupOptions,
        timeout: float | None,
        concurrency: int,
    ) -> Iterator[GroupResult | LadderError]:
        cancellation = Cancellation()
        running: dict[concurrent.futures.Future[GroupResult], str] = {}
        with concurrent.futures.ThreadPoolExecutor(concurrency, "ladder-client") as threads:
            try:
                more = True
                failure: Exception | None = None
                while more or running:
                    if more and len(running) < concurrency:
                        try:
                            group, samples = next(pairs)
                        except StopIteration:
                            more = False
                        except Exception as error:
                            more, failure = False, error
                        else:
                            future = threads.submit(
                                self._predict, group, samples, None, options, timeout, cancellation
                            )
                            running[future] = group
                        continue
                    done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                    for future in done:
                        yield _outcome(future, running.pop(future))
                if failure is not None:
                    raise failure
            finally:
                cancellation.cancel()


def _outcome(future: concurrent.futures.Future[GroupResult], group: str) -> GroupResult | LadderError:
    try:
        return future.result()
    except LadderError as error:
        return error
    except Exception as error:
        return raised_by_samples(error, group)
