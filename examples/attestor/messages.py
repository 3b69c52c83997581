"""The client's protobuf messages, in a descriptor pool of their own: no protoc is needed, no name can clash.

Who has a .proto file gives `build` what `protoc --descriptor_set_out` wrote.
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
        ("threshold", _U64, _ONE),  # so many of them must sign
        ("latest_height", _U64, _ONE),
        ("is_frozen", _BOOL, _ONE),
    ],
    "ConsensusState": [("time_ns", _U64, _ONE), ("root", _BYTES, _ONE)],
    "Header": [
        ("chain_id", _TEXT, _ONE),
        ("height", _U64, _ONE),
        ("time_ns", _U64, _ONE),
        ("root", _BYTES, _ONE),  # the app hash in the chain's header of that height
        ("signatures", _BYTES, _MANY),  # one an attestor, in the client state's order; empty: did not sign
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
Class = Any  # of messages: what protobuf makes at run time has no fields that a type checker knows
_CLASSES: list[Class] = [
    GetMessageClass(_POOL.FindMessageTypeByName(f"{PACKAGE}.{name}")) for name in _MESSAGES
]
ClientState, ConsensusState, Header, Misbehaviour = _CLASSES


def sign_bytes(header: Any) -> bytes:
    """What an attestor signs; the root has 32 bytes, so that no two headers give the same."""
    chain_id: str = header.chain_id
    numbers = b"".join(number.to_bytes(8) for number in (header.height, header.time_ns))
    return chain_id.encode() + numbers + bytes(header.root)
