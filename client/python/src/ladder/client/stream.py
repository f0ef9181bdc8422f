"""A blocking conversation about interleaved groups."""

from __future__ import annotations

import collections
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any

import grpc

from ladder.client import _requests
from ladder.client._checks import StreamCheck
from ladder.client._retries import from_rpc
from ladder.client._samples import SampleCutter, Samples
from ladder.client.errors import LadderError
from ladder.client.options import Model, Outputs, RoutingOptions
from ladder.client.results import Answer
from ladder.v1 import domain_routing_pb2 as pb

_MOST_WAITING = 4  # Messages that may wait for gRPC to take them.


class Stream:
    """Groups whose samples are sent in turns; answers come as they are ready.

    Made by Client.stream(). Sending waits while the server has enough to do. A thread reads answers meanwhile, so that
    neither side waits for the other; those that nobody takes stay in memory.

    A group that fails is answered by its error and the others go on. What ends the stream as a whole raises a
    LadderError from here on, where one sends and where one reads.

    Thread-safe; samples of one group should come from one thread, which gives them their order.
    """

    def __init__(
        self,
        start: Callable[[Iterator[pb.PredictDomainRequest], float | None], Any],
        client_closed: Callable[[], bool],
        timeout: float | None,
        max_message_bytes: int,
    ) -> None:
        self._client_closed = client_closed
        self._cancelled = False
        self._max_message_bytes = max_message_bytes
        self._check = StreamCheck()
        self._requests = _RequestQueue(self._check.sent)
        self._answers: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        self._failure: LadderError | None = None  # Written before None is put into _answers.
        self._call = start(self._requests, timeout)
        self._reader = threading.Thread(target=self._read, name="ladder-client-stream", daemon=True)
        self._reader.start()

    def begin(
        self,
        group: str,
        *,
        model: str | Model = "",
        routing: RoutingOptions = RoutingOptions(),
        outputs: Outputs = Outputs(),
        route_after: int = 0,
        fail_on_bad_sample: bool = False,
    ) -> None:
        """Opens a group, before its samples. Arguments are those of Client.predict().

        A name may be used again after its end was answered.
        """
        options = _requests.group_options(model, routing, outputs, route_after, fail_on_bad_sample)
        self._put(_requests.first_predict_request(group, options))

    def send(self, group: str, samples: Samples, *, ids: Sequence[str] | None = None) -> None:
        """Some samples of a group, with a name for each or for none."""
        for chunk in SampleCutter(group, ids, self._max_message_bytes).cut(samples):
            self._put(pb.PredictDomainRequest(group=group, samples=chunk))

    def end(self, group: str) -> None:
        """All samples of the group have been sent."""
        self._put(pb.PredictDomainRequest(group=group, end_of_group=True))

    def done(self) -> None:
        """Nothing more will be sent, and groups still open end. Answers go on until all are there."""
        self._requests.close(drop=False)

    def cancel(self) -> None:
        """Gives up all groups. Reading raises a LadderError of CANCELLED, unless all had ended."""
        self._cancelled = True
        self._call.cancel()

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> Answer:
        """Waits for the next answer; StopIteration after the last, which needs done()."""
        answer = self._answers.get()
        if answer is not None:
            return answer
        self._answers.put(None)  # For whoever asks again.
        if self._failure is not None:
            raise self._failure
        raise StopIteration

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()
        self._reader.join()

    def _put(self, request: pb.PredictDomainRequest) -> None:
        if not self._requests.put(request):
            raise self._failure or ValueError("expected nothing to be sent after done()")

    def _read(self) -> None:
        try:
            for response in self._call:
                answer = self._check.answer(response)
                if answer is not None:
                    self._answers.put(answer)
            self._check.check_complete()
        except grpc.RpcError as error:
            self._failure = from_rpc(error, None, cancelled=self._cancelled or self._client_closed())
        except LadderError as error:
            self._failure = error
        except BaseException as error:
            # Nobody would hear of it otherwise, and wait.
            self._failure = LadderError(grpc.StatusCode.INTERNAL, f"an answer could not be read: {error!r}")
        finally:
            self._call.cancel()
            self._requests.close(drop=True)
            self._answers.put(None)


class _RequestQueue:
    """Bounded; gRPC's thread iterates over it. Thread-safe."""

    def __init__(self, taken: Callable[[pb.PredictDomainRequest], None]) -> None:
        """`taken` is told of each request before it can be had."""
        self._taken = taken
        self._changed = threading.Condition()
        self._items: collections.deque[pb.PredictDomainRequest] = collections.deque()
        self._closed = False
        self._begun = False

    def put(self, request: pb.PredictDomainRequest) -> bool:
        """Waits for room; False if it was closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or len(self._items) < _MOST_WAITING)
            if self._closed:
                return False
            request.continue_on_group_error = not self._begun
            self._begun = True
            self._taken(request)
            self._items.append(request)
            self._changed.notify_all()
            return True

    def close(self, *, drop: bool) -> None:
        """Takes no more; what is in it is still to be had unless it should be dropped."""
        with self._changed:
            self._closed = True
            if drop:
                self._items.clear()
            self._changed.notify_all()

    def __iter__(self) -> Iterator[pb.PredictDomainRequest]:
        return self

    def __next__(self) -> pb.PredictDomainRequest:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or bool(self._items))
            if not self._items:
                raise StopIteration
            request = self._items.popleft()
            self._changed.notify_all()
            return request
