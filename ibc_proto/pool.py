"""The private descriptor pool (docs/adr/0003): our messages, outside protobuf's default pool."""

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

DESCRIPTORS = resources.files("ibc_proto").joinpath("descriptors.binpb")  # also out of a zip file


class UnsupportedProtobuf(RuntimeError):
    """protobuf runs without its C core (upb): forty times slower, with another nesting limit."""


def require_upb(backend: str) -> None:
    """Refuses any backend but `upb`: two nodes with different ones could part on the same bytes.

    Raises:
        UnsupportedProtobuf: `backend` is another.
    """
    if backend != "upb":
        raise UnsupportedProtobuf(
            f"protobuf's backend is {backend!a}, pyibc needs 'upb': install a binary wheel of protobuf"
            " and unset PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"
        )


def build(raw: bytes) -> DescriptorPool:
    """A pool of its own over an encoded FileDescriptorSet and the well-known types it uses.

    A file enters the pool when it, a name in it or a file that imports it is first asked for.
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
    """The class of a message named as in its proto file, e.g. `ibc.core.client.v1.Height`.

    Raises:
        KeyError: the pool holds no such message.
    """
    return _class_of(POOL.FindMessageTypeByName(full_name))


def descriptor_of(cls: type[Message]) -> Descriptor:
    """The descriptor of a message class."""
    return cast("Descriptor", cls.DESCRIPTOR)  # the stubs know a second, equal type for upb's


def define(file: str, namespace: dict[str, Any]) -> None:
    """Puts the messages, enums and enum values of one proto file into a module's namespace."""
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
    # The class is found again by its name in the pool: protobuf's own way looks in a module of that name.
    copyreg.pickle(cls, _reduce)


def _reduce(message: Message) -> tuple[Any, ...]:
    return _revive, (message.DESCRIPTOR.full_name, message.SerializeToString(deterministic=True))


def _revive(full_name: str, raw: bytes) -> Message:
    return message_class(full_name).FromString(raw)
