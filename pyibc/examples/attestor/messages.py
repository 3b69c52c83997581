"""Protobuf messages of the client, in a descriptor pool of their own: no protoc, no name clashes.

With a .proto file, pass `build` the output of `protoc --descriptor_set_out`.
"""

from typing import Any

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet
from google.protobuf.message_factory import GetMessageClass

from pyibc.wire import build

PACKAGE = "examples.attestor.v1"
_TEXT, _BYTES = FieldDescriptorProto.TYPE_STRING, FieldDescriptorProto.TYPE_BYTES
_U64, _BOOL = FieldDescriptorProto.TYPE_UINT64, FieldDescriptorProto.TYPE_BOOL
_ONE, _MANY = FieldDescriptorProto.LABEL_OPTIONAL, FieldDescriptorProto.LABEL_REPEATED

_HEADER = f".{PACKAGE}.Header"
_MESSAGES: dict[str, list[tuple[str, Any, Any]]] = {
    "ClientState": [
        ("chain_id", _TEXT, _ONE),
        ("attestors", _BYTES, _MANY),  # ed25519 keys
        ("threshold", _U64, _ONE),  # number of signatures needed
        ("latest_height", _U64, _ONE),
        ("is_frozen", _BOOL, _ONE),
    ],
    "ConsensusState": [("time_ns", _U64, _ONE), ("root", _BYTES, _ONE)],
    "Header": [
        ("chain_id", _TEXT, _ONE),
        ("height", _U64, _ONE),
        ("time_ns", _U64, _ONE),
        ("root", _BYTES, _ONE),  # the app hash in the chain's header of that height
        ("signatures", _BYTES, _MANY),  # one per attestor, in the client state's order; empty: did not sign
    ],
    "Misbehaviour": [("one", _HEADER, _ONE), ("two", _HEADER, _ONE)],
}


def _descriptors() -> bytes:
    file = FileDescriptorProto(name="examples/attestor/v1/attestor.proto", package=PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, (field, kind, label) in enumerate(fields, 1):
            if isinstance(kind, str):
                kind_of = {"type": FieldDescriptorProto.TYPE_MESSAGE, "type_name": kind}
            else:
                kind_of = {"type": kind}
            message.field.add(name=field, number=number, label=label, **kind_of)
    return FileDescriptorSet(file=[file]).SerializeToString()


_POOL = build(_descriptors())
Class = Any  # message classes made at run time have no fields that a type checker knows
_CLASSES: list[Class] = [
    GetMessageClass(_POOL.FindMessageTypeByName(f"{PACKAGE}.{name}")) for name in _MESSAGES
]
ClientState, ConsensusState, Header, Misbehaviour = _CLASSES


def sign_bytes(header: Any) -> bytes:
    """Return the bytes that an attestor signs; unambiguous, since the root has 32 bytes."""
    chain_id: str = header.chain_id
    numbers = b"".join(number.to_bytes(8) for number in (header.height, header.time_ns))
    return chain_id.encode() + numbers + bytes(header.root)
