"""The sending side of a blocking call."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Upload(Generic[T]):
    """Requests that gRPC's own thread takes while the caller reads; keeps what goes wrong there for the caller."""

    def __init__(self, requests: Iterator[T]) -> None:
        self._requests = requests
        self._call: Any = None
        self.failure: BaseException | None = None

    def __iter__(self) -> Upload[T]:
        return self

    def __next__(self) -> T:
        try:
            return next(self._requests)
        except StopIteration:
            raise
        except BaseException as error:
            self.failure = error
            if self._call is not None:
                self._call.cancel()
            raise StopIteration from error

    def belongs_to(self, call: Any) -> None:
        """`call` is cancelled when a request cannot be made, be it that this is so already."""
        self._call = call
        if self.failure is not None:
            call.cancel()


class Cancellation:
    """Ends calls from another thread, those to come as well. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = threading.Event()
        self._calls: set[Any] = set()

    def add(self, call: Any) -> None:
        with self._lock:
            self._calls.add(call)
        if self._cancelled.is_set():
            call.cancel()

    def remove(self, call: Any) -> None:
        with self._lock:
            self._calls.discard(call)

    def cancel(self) -> None:
        self._cancelled.set()
        with self._lock:
            calls = list(self._calls)
        for call in calls:
            call.cancel()

    def requested(self) -> bool:
        return self._cancelled.is_set()

    def wait(self, seconds: float) -> bool:
        """Whether it was cancelled meanwhile."""
        return self._cancelled.wait(seconds)
