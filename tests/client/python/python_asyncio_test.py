"""What only the asyncio client does.

Usage: python_asyncio_test.py LADDER_SERVER WRITE_STORE WRITE_CERTIFICATES DESCRIPTORS
"""

import asyncio
import unittest

import grpc
import numpy as np

import running_server
from ladder.client import LadderError, Question, SampleError
from ladder.client.aio import Client
from running_server import LIMIT_SECONDS, RunningServer, get, store_with

X = np.arange(60, dtype=np.float32).reshape(10, 6)


class AsyncioTest(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = RunningServer(cls, store_with(cls, "tensor"))

    async def asyncSetUp(self):
        self.client = await self.enterAsyncContext(Client(self.server.address))

    async def wait_for_calls(self, number):
        def in_flight():
            lines = get(self.server.metrics)[1].splitlines()
            return sum(float(line.split()[-1]) for line in lines if line.startswith("ladder_in_flight_requests"))

        async with asyncio.timeout(LIMIT_SECONDS):
            while await asyncio.to_thread(in_flight) != number:
                await asyncio.sleep(0.02)

    async def chunks(self):
        for row in X:
            await asyncio.sleep(0)
            yield row[None]

    async def never_ending(self):
        yield X
        await asyncio.Event().wait()

    async def test_samples_may_come_asynchronously(self):
        expected = await self.client.predict("group", X)
        result = await self.client.predict("group", self.chunks())
        np.testing.assert_allclose(result.predictions.probabilities, expected.predictions.probabilities, atol=1e-5)
        self.assertEqual(result.routing.weights, expected.routing.weights)
        routed = await self.client.route("group", self.chunks(), questions=[Question()])
        self.assertEqual(routed.routings[0].weights, expected.routing.weights)
        async with self.client.stream() as stream:
            await stream.begin("group")
            await stream.send("group", self.chunks())
            await stream.done()
            self.assertEqual((await anext(stream)).routing.weights, expected.routing.weights)

    async def test_groups_may_come_asynchronously(self):
        async def pairs():
            for number in range(10):
                yield str(number), self.chunks()

        outcomes = [outcome async for outcome in self.client.predict_groups(pairs(), concurrency=3)]
        self.assertEqual({outcome.group for outcome in outcomes}, {str(number) for number in range(10)})
        self.assertEqual([len(outcome.predictions.labels) for outcome in outcomes], [10] * 10)

    async def test_many_tasks_share_a_client(self):
        results = await asyncio.gather(*(self.client.predict(str(number), X + number) for number in range(20)))
        self.assertEqual([result.group for result in results], [str(number) for number in range(20)])

    async def test_a_cancelled_task_cancels_the_servers_work(self):
        for method in [self.client.predict, self.client.route]:
            task = asyncio.create_task(method("group", self.never_ending()))
            await self.wait_for_calls(1)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            await self.wait_for_calls(0)

    async def test_a_timeout_of_asyncio_ends_a_call(self):
        with self.assertRaises(TimeoutError):
            async with asyncio.timeout(0.2):
                await self.client.predict("group", self.never_ending())
        await self.wait_for_calls(0)

    async def test_the_loop_goes_on_while_answers_are_awaited(self):
        beats = 0

        async def beat():
            nonlocal beats
            while True:
                beats += 1
                await asyncio.sleep(0)

        heart = asyncio.create_task(beat())
        await self.client.predict("group", X)
        heart.cancel()
        self.assertGreater(beats, 1)

    async def test_what_an_asynchronous_generator_raises_reaches_the_caller(self):
        async def samples():
            yield X
            raise KeyError("lost")

        with self.assertRaisesRegex(KeyError, "lost"):
            await self.client.predict("group", samples())
        with self.assertRaises(SampleError):
            await self.client.predict("group", np.ones(3))
        await self.wait_for_calls(0)

    async def test_sending_and_reading_may_be_two_tasks(self):
        async with self.client.stream() as stream:

            async def send():
                for number in range(50):
                    await stream.begin(str(number))
                    await stream.send(str(number), X)
                    await stream.end(str(number))
                await stream.done()

            sender = asyncio.create_task(send())
            ended = [answer.group async for answer in stream if answer.end]
            await sender
        self.assertEqual(sorted(ended, key=int), [str(number) for number in range(50)])

    async def test_closing_the_client_ends_its_calls(self):
        client = Client(self.server.address)
        task = asyncio.create_task(client.predict("group", self.never_ending()))
        await self.wait_for_calls(1)
        await client.close()
        with self.assertRaises((LadderError, asyncio.CancelledError)) as caught:
            await task
        if isinstance(caught.exception, LadderError):
            self.assertEqual(caught.exception.code, grpc.StatusCode.CANCELLED)


if __name__ == "__main__":
    running_server.main()
