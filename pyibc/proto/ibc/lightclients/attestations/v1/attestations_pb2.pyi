from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class ClientState(_message.Message):
    __slots__ = ("attestor_addresses", "min_required_sigs", "latest_height", "is_frozen")
    ATTESTOR_ADDRESSES_FIELD_NUMBER: _ClassVar[int]
    MIN_REQUIRED_SIGS_FIELD_NUMBER: _ClassVar[int]
    LATEST_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    IS_FROZEN_FIELD_NUMBER: _ClassVar[int]
    attestor_addresses: _containers.RepeatedScalarFieldContainer[str]
    min_required_sigs: int
    latest_height: int
    is_frozen: bool
    def __init__(self, attestor_addresses: _Optional[_Iterable[str]] = ..., min_required_sigs: _Optional[int] = ..., latest_height: _Optional[int] = ..., is_frozen: _Optional[bool] = ...) -> None: ...

class ConsensusState(_message.Message):
    __slots__ = ("timestamp",)
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    timestamp: int
    def __init__(self, timestamp: _Optional[int] = ...) -> None: ...

class AttestationProof(_message.Message):
    __slots__ = ("attestation_data", "signatures")
    ATTESTATION_DATA_FIELD_NUMBER: _ClassVar[int]
    SIGNATURES_FIELD_NUMBER: _ClassVar[int]
    attestation_data: bytes
    signatures: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, attestation_data: _Optional[bytes] = ..., signatures: _Optional[_Iterable[bytes]] = ...) -> None: ...
