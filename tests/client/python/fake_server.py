"""A server of ladder.v1 that answers as a test wants."""

import concurrent.futures
import threading

import grpc
import numpy as np

from ladder.v1 import domain_routing_pb2 as pb

_SERVICE = "/ladder.v1.DomainRouting/"
CLASSES = ["heron", "stork"]


def matrix(rows):
    array = np.asarray(rows, "<f4")
    return pb.Matrix(columns=array.shape[1] if array.ndim == 2 else 0, float32=array.tobytes())


class FakeServer:
    """Stopped when `test` is over. Counts its calls in `calls`.

    `answer` is called with the number of the call, from 0, and its context; it may abort or wait. A group that gets
    past it is answered in full, by a model of two classes and one source, but for what `change` makes of each answer.
    """

    def __init__(self, test, answer=lambda number, context: None, change=lambda message: message):
        self._answer = answer
        self._change = change
        self._lock = threading.Lock()
        self.calls = 0
        self._server = grpc.server(concurrent.futures.ThreadPoolExecutor(16))
        self._server.add_generic_rpc_handlers([_Handlers({
            "PredictDomain": grpc.stream_stream_rpc_method_handler(
                self._predict, pb.PredictDomainRequest.FromString, pb.PredictDomainResponse.SerializeToString),
            "RouteDomain": grpc.stream_unary_rpc_method_handler(
                self._route, pb.RouteDomainRequest.FromString, pb.RouteDomainResponse.SerializeToString),
            "ListModels": grpc.unary_unary_rpc_method_handler(
                self._list, pb.ListModelsRequest.FromString, pb.ListModelsResponse.SerializeToString),
            "GetModel": grpc.unary_unary_rpc_method_handler(
                self._get, pb.GetModelRequest.FromString, pb.GetModelResponse.SerializeToString),
        })])
        self.port = self._server.add_insecure_port("127.0.0.1:0")
        self.address = f"127.0.0.1:{self.port}"
        self._server.start()
        test.addCleanup(lambda: self._server.stop(None).wait())

    def _begin(self, context):
        with self._lock:
            number = self.calls
            self.calls += 1
        self._answer(number, context)

    def _predict(self, requests, context):
        self._begin(context)
        group, n, ids, outputs = "", 0, [], pb.OutputOptions()
        for request in requests:
            group = request.group
            if request.HasField("options"):
                outputs = request.options.outputs
            n += request.samples.tensor.shape[0] if request.samples.tensor.shape else 0
            ids += request.samples.ids
        routing = pb.Routing(model="fake", num_samples=n, sources=[pb.SourceWeight(source="hill", weight=1)],
                             classes=CLASSES if outputs.class_names else [])
        predictions = pb.Predictions(labels=[0] * n, ids=ids, top_classes=[0] * n * outputs.top_n,
                                     top_probabilities=[0.75] * n * outputs.top_n)
        if outputs.probabilities:
            predictions.probabilities.CopyFrom(matrix([[0.75, 0.25]] * n))
        for answer in [{"routing": routing}, {"predictions": predictions}, {"end": pb.GroupEnd(num_predicted=n)}]:
            yield self._change(pb.PredictDomainResponse(group=group, **answer))

    def _route(self, requests, context):
        self._begin(context)
        for _ in requests:
            pass
        return self._change(pb.RouteDomainResponse(routings=[pb.Routing(model="fake")]))

    def _list(self, request, context):
        self._begin(context)
        return self._change(pb.ListModelsResponse())

    def _get(self, request, context):
        self._begin(context)
        return self._change(pb.GetModelResponse(name="fake", classes=CLASSES))


class _Handlers(grpc.GenericRpcHandler):
    def __init__(self, handlers):
        self._handlers = handlers

    def service(self, details):
        return self._handlers.get(details.method.removeprefix(_SERVICE))
