from ibc_proto.tendermint.abci import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class QueryBlockResultsRequest(_message.Message):
    __slots__ = ("height", "without")
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_FIELD_NUMBER: _ClassVar[int]
    height: int
    without: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, height: _Optional[int] = ..., without: _Optional[_Iterable[str]] = ...) -> None: ...

class QueryBlockResultsResponse(_message.Message):
    __slots__ = ("height", "app_hash", "tx_results", "events")
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    APP_HASH_FIELD_NUMBER: _ClassVar[int]
    TX_RESULTS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    height: int
    app_hash: bytes
    tx_results: _containers.RepeatedCompositeFieldContainer[_types_pb2.ExecTxResult]
    events: _containers.RepeatedCompositeFieldContainer[_types_pb2.Event]
    def __init__(self, height: _Optional[int] = ..., app_hash: _Optional[bytes] = ..., tx_results: _Optional[_Iterable[_Union[_types_pb2.ExecTxResult, _Mapping[str, object]]]] = ..., events: _Optional[_Iterable[_Union[_types_pb2.Event, _Mapping[str, object]]]] = ...) -> None: ...
