"""ABCI's messages in a descriptor pool of their own: they clash with nobody's (docs/adr/0003)."""

from pathlib import Path
from typing import Any

from google.protobuf import any_pb2, duration_pb2, timestamp_pb2
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message_factory import GetMessageClass

DESCRIPTORS = Path(__file__).with_name("descriptors.binpb")


def build(raw: bytes) -> DescriptorPool:
    """A pool with the files of an encoded FileDescriptorSet and the well-known types they use."""
    pool = DescriptorPool()
    for known in (any_pb2, duration_pb2, timestamp_pb2):
        pool.AddSerializedFile(known.DESCRIPTOR.serialized_pb)
    for file in FileDescriptorSet.FromString(raw).file:
        pool.AddSerializedFile(file.SerializeToString())
    return pool


POOL = build(DESCRIPTORS.read_bytes())


def define(file: str, namespace: dict[str, Any]) -> None:
    """Puts the messages, enums and enum values of one proto file into a module's namespace."""
    descriptor = POOL.FindFileByName(file)
    namespace["DESCRIPTOR"] = descriptor
    for name, message in descriptor.message_types_by_name.items():
        namespace[name] = GetMessageClass(message)
    for name, enum in descriptor.enum_types_by_name.items():
        namespace[name] = EnumTypeWrapper(enum)
        namespace.update((value.name, value.number) for value in enum.values)
