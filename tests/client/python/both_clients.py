"""Cases that hold for the blocking client and for its asyncio twin are written once, as blocking ones.

A mixin of cases is made two classes of tests by for_both(); each has `connect`.
"""

import asyncio
import inspect
import unittest

from ladder.client import Client, Retry, aio

# Gives up at once unless a test says otherwise, so that what goes wrong is seen.
NO_RETRY = Retry(attempts=1)


def for_both(module, cases):
    """Puts `<cases>OfBlocking` and `<cases>OfAsyncio` into `module`, by whose `globals()` unittest finds them."""
    for name, connect in [("Blocking", Client), ("Asyncio", AwaitedClient)]:
        made = type(f"{cases.__name__}Of{name}", (cases, unittest.TestCase), {
            "connect": _connector(connect), "__module__": cases.__module__})
        module[made.__name__] = made


def _connector(kind):
    def connect(self, address, **options):
        """A client that is closed when the test is over."""
        client = kind(address, **{"retry": NO_RETRY, **options})
        self.addCleanup(client.close)
        return client

    return connect


class _Awaited:
    """Waits for what the methods of an asyncio object return."""

    def __init__(self, loop, awaited):
        self._loop = loop
        self._awaited = awaited

    def __getattr__(self, name):
        method = getattr(self._awaited, name)

        def call(*arguments, **options):
            result = method(*arguments, **options)
            return self._loop.run_until_complete(result) if inspect.isawaitable(result) else result

        return call

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return self._loop.run_until_complete(self._awaited.__anext__())
        except StopAsyncIteration:
            raise StopIteration from None

    def __enter__(self):
        self._loop.run_until_complete(self._awaited.__aenter__())
        return self

    def __exit__(self, *error):
        self._loop.run_until_complete(self._awaited.__aexit__(*error))

    def close(self):
        """As of a generator."""
        self._loop.run_until_complete(self._awaited.aclose())


class AwaitedClient(_Awaited):
    """ladder.client.aio.Client with the blocking client's face."""

    def __init__(self, *arguments, **options):
        loop = asyncio.new_event_loop()

        async def make():
            return aio.Client(*arguments, **options)

        try:
            super().__init__(loop, loop.run_until_complete(make()))
        except BaseException:
            loop.close()
            raise

    def stream(self, **options):
        return _Awaited(self._loop, self._awaited.stream(**options))

    def predict_groups(self, *arguments, **options):
        return _Awaited(self._loop, self._awaited.predict_groups(*arguments, **options))

    def close(self):
        self._loop.run_until_complete(self._awaited.close())
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()
