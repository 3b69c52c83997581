from pyibc.proto.tendermint.types import evidence_pb2 as _evidence_pb2
from pyibc.proto.tendermint.types import types_pb2 as _types_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Block(_message.Message):
    __slots__ = ("header", "data", "evidence", "last_commit")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    LAST_COMMIT_FIELD_NUMBER: _ClassVar[int]
    header: _types_pb2.Header
    data: _types_pb2.Data
    evidence: _evidence_pb2.EvidenceList
    last_commit: _types_pb2.Commit
    def __init__(self, header: _Optional[_Union[_types_pb2.Header, _Mapping[str, object]]] = ..., data: _Optional[_Union[_types_pb2.Data, _Mapping[str, object]]] = ..., evidence: _Optional[_Union[_evidence_pb2.EvidenceList, _Mapping[str, object]]] = ..., last_commit: _Optional[_Union[_types_pb2.Commit, _Mapping[str, object]]] = ...) -> None: ...
