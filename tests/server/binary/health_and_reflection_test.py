"""grpcio's clients of health and reflection work unchanged.

Usage: health_and_reflection_test.py LADDER_SERVER WRITE_STORE WRITE_CERTIFICATES DESCRIPTORS
"""

import unittest

import grpc
from google.protobuf import descriptor_pool, message_factory
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

import running_server
from running_server import LIMIT_SECONDS, RunningServer, store_with, write_bundle

SERVICES = ["ladder.v1.DomainRouting", "inference.GRPCInferenceService"]
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
OTHER_SERVICES = ["grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
                  "grpc.reflection.v1alpha.ServerReflection"]


class ClientsTest(unittest.TestCase):
    def connect(self, server):
        channel = grpc.insecure_channel(server.address)
        self.addCleanup(channel.close)
        return channel


class HealthTest(ClientsTest):
    def test_check_knows_every_service(self):
        server = RunningServer(self, store_with(self, "tensor"))
        health = health_pb2_grpc.HealthStub(self.connect(server))
        for service in ["", *SERVICES]:
            with self.subTest(service):
                # It says so within a moment of the line that it prints.
                running_server.wait_until(
                    lambda: health.Check(health_pb2.HealthCheckRequest(service=service)).status == SERVING,
                    "health is SERVING")
        with self.assertRaises(grpc.RpcError) as caught:
            health.Check(health_pb2.HealthCheckRequest(service="no.such.Service"))
        self.assertEqual(caught.exception.code(), grpc.StatusCode.NOT_FOUND)

    def test_watch_sees_the_required_model_come_and_the_server_stop(self):
        store = store_with(self, "image")
        server = RunningServer(self, store, "--required-models=tensor", "--repository-poll-secs=0.1")
        health = health_pb2_grpc.HealthStub(self.connect(server))
        # That the process answers has nothing to do with its models.
        live = health.Watch(health_pb2.HealthCheckRequest(service="live"), timeout=LIMIT_SECONDS)
        self.assertEqual(next(live).status, SERVING)
        watches = {}
        for service in ["", *SERVICES]:
            watches[service] = health.Watch(health_pb2.HealthCheckRequest(service=service), timeout=LIMIT_SECONDS)
            self.assertEqual(next(watches[service]).status, NOT_SERVING, service)

        write_bundle(store, "tensor")
        for service, watch in watches.items():
            self.assertEqual(next(watch).status, SERVING, service)

        server.ask_to_stop()
        for service, watch in watches.items():
            self.assertEqual(next(watch).status, NOT_SERVING, service)
        self.assertEqual(server.wait(), 0)


class ReflectionTest(ClientsTest):
    @classmethod
    def setUpClass(cls):
        cls.server = RunningServer(cls, store_with(cls, "tensor"))

    def test_services_are_listed(self):
        database = ProtoReflectionDescriptorDatabase(self.connect(self.server))
        self.assertEqual(set(database.get_services()), {*SERVICES, *OTHER_SERVICES})

    def test_a_method_is_called_by_reflected_descriptors_alone(self):
        channel = self.connect(self.server)
        pool = descriptor_pool.DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
        for service, method, fields in [("ladder.v1.DomainRouting", "GetModel", {"model": {"name": "tensor"}}),
                                        ("inference.GRPCInferenceService", "ModelMetadata", {"name": "tensor"})]:
            with self.subTest(service):
                descriptor = pool.FindServiceByName(service).FindMethodByName(method)
                request = message_factory.GetMessageClass(descriptor.input_type)(**fields)
                response = message_factory.GetMessageClass(descriptor.output_type)
                call = channel.unary_unary(f"/{service}/{method}", request_serializer=type(request).SerializeToString,
                                           response_deserializer=response.FromString)
                self.assertEqual(call(request, timeout=LIMIT_SECONDS).name, "tensor")

    def test_every_service_is_described(self):
        pool = descriptor_pool.DescriptorPool(ProtoReflectionDescriptorDatabase(self.connect(self.server)))
        for service in [*SERVICES, *OTHER_SERVICES]:
            with self.subTest(service):
                self.assertGreater(len(pool.FindServiceByName(service).methods), 0)

    def test_health_is_asked_by_reflected_descriptors_alone(self):
        channel = self.connect(self.server)
        pool = descriptor_pool.DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
        method = pool.FindServiceByName("grpc.health.v1.Health").FindMethodByName("Check")
        request, response = (message_factory.GetMessageClass(kind) for kind in (method.input_type, method.output_type))
        check = channel.unary_unary("/grpc.health.v1.Health/Check", request_serializer=request.SerializeToString,
                                    response_deserializer=response.FromString)
        running_server.wait_until(
            lambda: check(request(service=""), timeout=LIMIT_SECONDS).status == SERVING, "health is SERVING")

    def test_files_are_found_by_symbol_and_by_name(self):
        stub = reflection_pb2_grpc.ServerReflectionStub(self.connect(self.server))
        asked = [{"file_containing_symbol": "ladder.v1.PredictDomainRequest"},
                 {"file_by_filename": "ladder/v1/domain_routing.proto"},
                 {"file_containing_symbol": "no.such.Message"}]
        requests = [reflection_pb2.ServerReflectionRequest(**question) for question in asked]
        by_symbol, by_name, unknown = stub.ServerReflectionInfo(iter(requests), timeout=LIMIT_SECONDS)
        self.assertEqual(by_symbol.file_descriptor_response, by_name.file_descriptor_response)
        self.assertGreater(len(by_symbol.file_descriptor_response.file_descriptor_proto), 0)
        self.assertEqual(unknown.error_response.error_code, grpc.StatusCode.NOT_FOUND.value[0])

    def test_reflection_can_be_turned_off(self):
        server = RunningServer(self, store_with(self, "tensor"), "--enable-reflection=false")
        stub = reflection_pb2_grpc.ServerReflectionStub(self.connect(server))
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        with self.assertRaises(grpc.RpcError) as caught:
            list(stub.ServerReflectionInfo(iter([request]), timeout=LIMIT_SECONDS))
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNIMPLEMENTED)


if __name__ == "__main__":
    running_server.main()
