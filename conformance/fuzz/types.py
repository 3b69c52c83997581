"""All message types, and the types that each Any field accepts."""

from functools import lru_cache

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pyibc.codec.anys import BUILTIN, ROLES
from pyibc.proto.pool import DESCRIPTORS

ANY = "google.protobuf.Any"
_OF_NO_ROLE = ("cosmos.tx.v1beta1.AuthInfo", "ibc.lightclients.tendermint.v1.Misbehaviour")
"""Types for an Any that accepts every type: the most deeply nested one."""


@lru_cache(None)
def messages() -> tuple[str, ...]:
    """Return the full names of all top-level messages, sorted."""
    files = FileDescriptorSet.FromString(DESCRIPTORS.read_bytes()).file
    return tuple(sorted(f"{file.package}.{each.name}" for file in files for each in file.message_type))


def held(field: FieldDescriptor) -> tuple[str, ...]:
    """Return the types to put into an Any field: all types of its role."""
    role = ROLES.get(field.full_name)
    if role is None:
        return _OF_NO_ROLE
    return tuple([name for name in messages() if BUILTIN.find(f"/{name}", role) is not None])
