"""The RPCs' names and messages. gRPC's own stubs would tie the package to the version that generated them."""

from __future__ import annotations

import dataclasses
from typing import Any

from google.protobuf.message import Message
from grpc_health.v1 import health_pb2

from ladder.v1 import domain_routing_pb2 as pb


@dataclasses.dataclass(frozen=True, slots=True)
class RpcMethod:
    path: str
    request: type[Message]
    response: type[Message]

    def on(self, make: Any) -> Any:
        """What calls it; `make` is one of a channel's unary_unary, stream_unary and so on."""
        return make(
            self.path,
            request_serializer=self.request.SerializeToString,
            response_deserializer=self.response.FromString,
        )


_SERVICE = "/ladder.v1.DomainRouting/"
PREDICT = RpcMethod(_SERVICE + "PredictDomain", pb.PredictDomainRequest, pb.PredictDomainResponse)
ROUTE = RpcMethod(_SERVICE + "RouteDomain", pb.RouteDomainRequest, pb.RouteDomainResponse)
LIST = RpcMethod(_SERVICE + "ListModels", pb.ListModelsRequest, pb.ListModelsResponse)
GET = RpcMethod(_SERVICE + "GetModel", pb.GetModelRequest, pb.GetModelResponse)
RELOAD = RpcMethod(_SERVICE + "ReloadModel", pb.ReloadModelRequest, pb.ReloadModelResponse)
CHECK = RpcMethod("/grpc.health.v1.Health/Check", health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse)
