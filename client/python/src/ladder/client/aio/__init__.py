"""The asyncio twin of ladder.client: the same names, to be awaited.

    async with aio.Client("localhost:8001") as client:
        result = await client.predict("camera-7", rows, model="birds")
        async for outcome in client.predict_groups(groups): ...
        async with client.stream() as stream: ...

Options, results and errors are those of ladder.client.
"""

from ladder.client.aio.client import Client
from ladder.client.aio.stream import Stream

__all__ = ["Client", "Stream"]
