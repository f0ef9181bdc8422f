"""Our messages and calls of the Open Inference Protocol are Triton's: whatever we define, tritonclient defines alike.

Usage: equals_triton_messages_test.py DESCRIPTORS, the FileDescriptorSet of our protos.
"""

import pathlib
import sys
import unittest

from google.protobuf import descriptor_pb2
from tritonclient.grpc import model_config_pb2, service_pb2

descriptors_path = ""


def definitions(files):
    """Name -> what is on the wire under that name: fields, enum values, methods, and which messages there are."""
    found = {}

    def add_enum(enum, scope):
        for value in enum.value:
            found[f"{scope}.{enum.name}.{value.name}"] = value.number

    def add_message(message, scope):
        name = f"{scope}.{message.name}"
        found[name] = ("map entry" if message.options.map_entry else "message",)
        for field in message.field:
            in_oneof = field.HasField("oneof_index")
            found[f"{name}.{field.name}"] = {
                "number": field.number,
                "type": descriptor_pb2.FieldDescriptorProto.Type.Name(field.type),
                "type_name": field.type_name,
                "label": descriptor_pb2.FieldDescriptorProto.Label.Name(field.label),
                "packed": field.options.packed if field.options.HasField("packed") else "default",
                "oneof": message.oneof_decl[field.oneof_index].name if in_oneof else None,
                "has_presence": field.proto3_optional,
            }
        for nested in message.nested_type:
            add_message(nested, name)
        for enum in message.enum_type:
            add_enum(enum, name)

    for file in files:
        scope = f".{file.package}"
        found[f"syntax of {scope}"] = file.syntax
        for message in file.message_type:
            add_message(message, scope)
        for enum in file.enum_type:
            add_enum(enum, scope)
        for service in file.service:
            for method in service.method:
                found[f"{scope}.{service.name}.{method.name}"] = {
                    "request": method.input_type,
                    "response": method.output_type,
                    "client_streaming": method.client_streaming,
                    "server_streaming": method.server_streaming,
                }
    return found


def our_definitions():
    files = descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(descriptors_path).read_bytes())
    return definitions(files.file)


def triton_definitions():
    files = []
    for module in (model_config_pb2, service_pb2):
        file = descriptor_pb2.FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(file)
        files.append(file)
    return definitions(files)


class EqualsTritonMessagesTest(unittest.TestCase):
    maxDiff = None

    def test_whatever_we_define_is_as_triton_defines_it(self):
        ours, theirs = our_definitions(), triton_definitions()
        self.assertGreater(len(ours), 100)
        self.assertEqual(ours, {name: theirs.get(name, "not there") for name in ours})

    def test_we_serve_the_calls_that_clients_need(self):
        service = ".inference.GRPCInferenceService."
        calls = {name.removeprefix(service) for name in our_definitions() if name.startswith(service)}
        self.assertEqual(
            calls,
            {
                *("ServerLive", "ServerReady", "ModelReady", "ServerMetadata", "ModelMetadata", "ModelConfig"),
                *("ModelStatistics", "ModelInfer", "ModelStreamInfer"),
                *("RepositoryIndex", "RepositoryModelLoad", "RepositoryModelUnload"),
            },
        )

    def test_requests_lose_nothing(self):
        """A field of a request that we did not know would be skipped without a word."""
        requests = ["InferParameter", "InferTensorContents", "ModelRepositoryParameter"]
        requests += [name for name in service_pb2.DESCRIPTOR.message_types_by_name if name.endswith("Request")]
        prefixes = tuple(f".inference.{name}" for name in requests)
        ours, theirs = our_definitions(), triton_definitions()
        served = {name for name in theirs if name.startswith(prefixes) and ".".join(name.split(".")[:3]) in ours}
        self.assertGreater(len(served), 50)
        self.assertEqual(served - ours.keys(), set())


if __name__ == "__main__":
    descriptors_path = sys.argv.pop(1)
    unittest.main()
