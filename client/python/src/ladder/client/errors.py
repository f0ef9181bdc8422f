"""What can go wrong."""

from __future__ import annotations

import grpc


class LadderError(Exception):
    """A call or a group failed.

    Attributes:
      code: the status, such as grpc.StatusCode.INVALID_ARGUMENT.
      message: what was expected and what came, in the server's words.
      group: the group that failed, if it is about one.
      retry_after: seconds after which the server asks to come again, if it did.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        group: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(code, message, group, retry_after)
        self.code = code
        self.message = message
        self.group = group
        self.retry_after = retry_after

    def __str__(self) -> str:
        about = f'group "{self.group}": '
        # The server itself begins so where one of several can be meant.
        named = self.group is None or self.message.startswith(about)
        text = f"{self.code.name}: {'' if named else about}{self.message}"
        # What a server says should not steer a terminal.
        return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class DeadlineError(LadderError, TimeoutError):
    """The time given was over before the answer was there."""


class SampleError(LadderError, ValueError):
    """A sample cannot be sent: found here, before the server saw it."""

    def __init__(self, message: str, group: str | None = None) -> None:
        super().__init__(grpc.StatusCode.INVALID_ARGUMENT, message, group)

    def __reduce__(self) -> tuple[type[SampleError], tuple[str, str | None]]:
        return type(self), (self.message, self.group)  # Or copies would be made by LadderError's arguments.


def raised_by_samples(error: Exception, group: str) -> SampleError:
    """What a caller's own samples have raised, as this group's error; the original is its __cause__."""
    failure = SampleError(f"its samples raised {error!r}", group)
    failure.__cause__ = error
    return failure
