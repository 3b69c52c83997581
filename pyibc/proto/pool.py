"""Private descriptor pool of this package's messages, outside protobuf's default pool (docs/adr/0003)."""

import copyreg
from functools import lru_cache
from importlib import resources
from typing import Any, cast

from google.protobuf import any_pb2, duration_pb2, timestamp_pb2
from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_database import DescriptorDatabase
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.internal import api_implementation
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

DESCRIPTORS = resources.files("pyibc.proto").joinpath("descriptors.binpb")  # works in a zip file as well


class UnsupportedProtobuf(RuntimeError):
    """Raised if protobuf runs without its C core (upb), which is slower and has another nesting limit."""


def require_upb(backend: str) -> None:
    """Check that protobuf's backend is `upb`: nodes with different backends could decode bytes differently.

    Raises:
        UnsupportedProtobuf: the backend is another.
    """
    if backend != "upb":
        raise UnsupportedProtobuf(
            f"protobuf's backend is {backend!a}, pyibc needs 'upb': install a binary wheel of protobuf"
            " and unset PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"
        )


def build(raw: bytes) -> DescriptorPool:
    """Return a new pool of an encoded FileDescriptorSet and the well-known types that it uses.

    Files are loaded lazily, when the file, a name in it or an importing file is first looked up.
    """
    files = DescriptorDatabase()
    for known in (any_pb2, duration_pb2, timestamp_pb2):
        files.Add(FileDescriptorProto.FromString(known.DESCRIPTOR.serialized_pb))
    for file in FileDescriptorSet.FromString(raw).file:
        files.Add(file)
    return DescriptorPool(files)


require_upb(api_implementation.Type())
POOL = build(DESCRIPTORS.read_bytes())


# recursion: over the descriptors of a message
@lru_cache(None)
def message_class(full_name: str) -> type[Message]:
    """Return the class of a message by its full name, such as `ibc.core.client.v1.Height`.

    Raises:
        KeyError: the pool has no such message.
    """
    return _class_of(POOL.FindMessageTypeByName(full_name))


def descriptor_of(cls: type[Message]) -> Descriptor:
    """Return the descriptor of a message class."""
    return cast("Descriptor", cls.DESCRIPTOR)  # the stubs have a second, equal type for upb


def define(file: str, namespace: dict[str, Any]) -> None:
    """Define the messages, enums and enum values of one proto file in a module's namespace."""
    descriptor = POOL.FindFileByName(file)
    namespace["DESCRIPTOR"] = descriptor
    for name, message in descriptor.message_types_by_name.items():
        namespace[name] = _class_of(message)
    for name, enum in descriptor.enum_types_by_name.items():
        namespace[name] = EnumTypeWrapper(enum)
        namespace.update((value.name, value.number) for value in enum.values)


def _class_of(descriptor: Descriptor) -> type[Message]:
    cls: type[Message] = GetMessageClass(descriptor)
    _make_picklable(cls)
    for nested in descriptor.nested_types:
        _class_of(nested)
    return cls


def _make_picklable(cls: type[Message]) -> None:
    # The class is unpickled by its name in the pool: protobuf itself would import a module of that name.
    copyreg.pickle(cls, _reduce)


def _reduce(message: Message) -> tuple[Any, ...]:
    return _revive, (message.DESCRIPTOR.full_name, message.SerializeToString(deterministic=True))


def _revive(full_name: str, raw: bytes) -> Message:
    return message_class(full_name).FromString(raw)
