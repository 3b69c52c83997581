"""Which types there are, and which may stand in which Any."""

from functools import lru_cache

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from ibc_core.wire.interfaces import BUILTIN, ROLES
from ibc_proto.pool import DESCRIPTORS

ANY = "google.protobuf.Any"
_OF_NO_ROLE = ("cosmos.tx.v1beta1.AuthInfo", "ibc.lightclients.tendermint.v1.Misbehaviour")
"""What is put where every type may stand: the deepest of them."""


@lru_cache(None)
def messages() -> tuple[str, ...]:
    """The full names of all messages that stand in a file of their own right, sorted."""
    files = FileDescriptorSet.FromString(DESCRIPTORS.read_bytes()).file
    return tuple(sorted(f"{file.package}.{each.name}" for file in files for each in file.message_type))


def held(field: FieldDescriptor) -> tuple[str, ...]:
    """The types to put into a field that is an Any: all of its role."""
    role = ROLES.get(field.full_name)
    if role is None:
        return _OF_NO_ROLE
    return tuple([name for name in messages() if BUILTIN.find(f"/{name}", role) is not None])
