"""A server of ladder.v1 that answers as a test wants."""

import concurrent.futures
import threading

import grpc

from ladder.v1 import domain_routing_pb2 as pb

_SERVICE = "/ladder.v1.DomainRouting/"


class FakeServer:
    """Stopped when `test` is over. Counts its calls in `calls`, but for GetModel.

    `answer` is called with the number of the call, from 0, and its context; it may abort or wait. A group that gets
    past it is answered in full.
    """

    def __init__(self, test, answer=lambda number, context: None):
        self._answer = answer
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
        group, num_samples = "", 0
        for request in requests:
            group = request.group
            num_samples += request.samples.tensor.shape[0] if request.samples.tensor.shape else 0
        yield pb.PredictDomainResponse(group=group, routing=pb.Routing(model="fake", num_samples=num_samples))
        yield pb.PredictDomainResponse(group=group, predictions=pb.Predictions(labels=[0] * num_samples))
        yield pb.PredictDomainResponse(group=group, end=pb.GroupEnd(num_predicted=num_samples))

    def _route(self, requests, context):
        self._begin(context)
        for _ in requests:
            pass
        return pb.RouteDomainResponse(routings=[pb.Routing(model="fake")])

    def _list(self, request, context):
        self._begin(context)
        return pb.ListModelsResponse()

    def _get(self, request, context):
        return pb.GetModelResponse(name="fake", classes=["only"])


class _Handlers(grpc.GenericRpcHandler):
    def __init__(self, handlers):
        self._handlers = handlers

    def service(self, details):
        return self._handlers.get(details.method.removeprefix(_SERVICE))
