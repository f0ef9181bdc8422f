"""Calls of ladder.v1, with messages made from the descriptors of its protos."""

import queue

import grpc
import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

import running_server

_PACKAGE = "ladder.v1"


class LadderClient:
    """Closed when `test` is over."""

    def __init__(self, test, address, credentials=None, token=None):
        self._metadata = [("authorization", f"Bearer {token}")] if token else None
        pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(running_server.descriptors()).file:
            pool.Add(file)
        self._pool = pool
        make = grpc.insecure_channel if credentials is None else grpc.secure_channel
        arguments = (address,) if credentials is None else (address, credentials)
        # Channels with equal options share a connection otherwise.
        self.channel = make(*arguments, options=[("grpc.use_local_subchannel_pool", 1)])
        (test.addClassCleanup if isinstance(test, type) else test.addCleanup)(self.channel.close)

    def message(self, name, /, **fields):
        """A new message; fields that are messages may be dictionaries."""
        return message_factory.GetMessageClass(self._pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))(**fields)

    def method(self, name):
        """What calls an RPC of ladder.v1.DomainRouting."""
        descriptor = self._pool.FindServiceByName(f"{_PACKAGE}.DomainRouting").FindMethodByName(name)
        streams = "stream" if descriptor.client_streaming else "unary"
        answers = "stream" if descriptor.server_streaming else "unary"
        return getattr(self.channel, f"{streams}_{answers}")(
            f"/{_PACKAGE}.DomainRouting/{name}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=message_factory.GetMessageClass(descriptor.output_type).FromString)

    def tensor(self, x):
        x = np.asarray(x, np.float32)
        return {"tensor": {"shape": x.shape, "float32": x.tobytes()}}

    def request(self, group, model=None, samples=None, end=True, options=None, **fields):
        """Of PredictDomain; `samples` are rows, a list of files, or nothing."""
        if model is not None or options:
            fields["options"] = {**(options or {}), **({"model": {"name": model}} if model else {})}
        if isinstance(samples, list):
            fields["samples"] = {"images": {"images": samples}}
        elif samples is not None:
            fields["samples"] = self.tensor(samples)
        return self.message("PredictDomainRequest", group=group, end_of_group=end, **fields)

    def predict(self, requests, **call):
        """The answers to some requests."""
        call.setdefault("timeout", running_server.LIMIT_SECONDS)
        call.setdefault("metadata", self._metadata)
        return list(self.method("PredictDomain")(iter(requests), **call))

    def check_serves(self):
        """A group of the model "tensor" is answered in full."""
        answers = self.predict([self.request("healthy", "tensor", np.ones((3, 6)))])
        kinds = [answer.WhichOneof("answer") for answer in answers]
        if kinds != ["routing", "predictions", "end"] or answers[-1].end.num_predicted != 3:
            raise AssertionError(f"a healthy client was answered {answers}")

    def is_served(self):
        """The same, but false if the call fails."""
        try:
            self.check_serves()
        except grpc.RpcError:
            return False
        return True


class Conversation:
    """A PredictDomain stream that is written to and read from step by step."""

    def __init__(self, client):
        self._client = client
        self._requests = queue.Queue()
        requests = iter(self._requests.get, None)
        self._call = client.method("PredictDomain")(requests, timeout=running_server.LIMIT_SECONDS)

    def say(self, *arguments, **more):
        """A request, as LadderClient makes it."""
        self._requests.put(self._client.request(*arguments, **more))

    def hang_up(self):
        """No more will be said."""
        self._requests.put(None)

    def cancel(self):
        self._call.cancel()
        self.hang_up()

    def hear(self):
        return next(self._call)

    def hear_all(self):
        return list(self._call)

    def ask(self, group, model, samples):
        """A whole group: the answers' kinds and the version that answered."""
        self.say(group, model, samples)
        answers = [self.hear() for _ in range(3)]
        return [answer.WhichOneof("answer") for answer in answers], answers[0].routing.version
