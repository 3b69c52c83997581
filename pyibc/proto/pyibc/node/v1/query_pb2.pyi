from pyibc.proto.tendermint.abci import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class QueryBlockResultsRequest(_message.Message):
    __slots__ = ("height", "without", "brief", "txs", "deflate")
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_FIELD_NUMBER: _ClassVar[int]
    BRIEF_FIELD_NUMBER: _ClassVar[int]
    TXS_FIELD_NUMBER: _ClassVar[int]
    DEFLATE_FIELD_NUMBER: _ClassVar[int]
    height: int
    without: _containers.RepeatedScalarFieldContainer[str]
    brief: bool
    txs: bool
    deflate: bool
    def __init__(self, height: _Optional[int] = ..., without: _Optional[_Iterable[str]] = ..., brief: _Optional[bool] = ..., txs: _Optional[bool] = ..., deflate: _Optional[bool] = ...) -> None: ...

class QueryBlockResultsResponse(_message.Message):
    __slots__ = ("height", "app_hash", "tx_results", "events", "txs", "deflated")
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    APP_HASH_FIELD_NUMBER: _ClassVar[int]
    TX_RESULTS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    TXS_FIELD_NUMBER: _ClassVar[int]
    DEFLATED_FIELD_NUMBER: _ClassVar[int]
    height: int
    app_hash: bytes
    tx_results: _containers.RepeatedCompositeFieldContainer[_types_pb2.ExecTxResult]
    events: _containers.RepeatedCompositeFieldContainer[_types_pb2.Event]
    txs: _containers.RepeatedScalarFieldContainer[bytes]
    deflated: bytes
    def __init__(self, height: _Optional[int] = ..., app_hash: _Optional[bytes] = ..., tx_results: _Optional[_Iterable[_Union[_types_pb2.ExecTxResult, _Mapping[str, object]]]] = ..., events: _Optional[_Iterable[_Union[_types_pb2.Event, _Mapping[str, object]]]] = ..., txs: _Optional[_Iterable[bytes]] = ..., deflated: _Optional[bytes] = ...) -> None: ...

class QueryProofsRequest(_message.Message):
    __slots__ = ("store", "keys", "deflate")
    STORE_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    DEFLATE_FIELD_NUMBER: _ClassVar[int]
    store: str
    keys: _containers.RepeatedScalarFieldContainer[bytes]
    deflate: bool
    def __init__(self, store: _Optional[str] = ..., keys: _Optional[_Iterable[bytes]] = ..., deflate: _Optional[bool] = ...) -> None: ...

class QueryProofsResponse(_message.Message):
    __slots__ = ("height", "store_proof", "entries", "deflated")
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    STORE_PROOF_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    DEFLATED_FIELD_NUMBER: _ClassVar[int]
    height: int
    store_proof: bytes
    entries: _containers.RepeatedCompositeFieldContainer[ProvenEntry]
    deflated: bytes
    def __init__(self, height: _Optional[int] = ..., store_proof: _Optional[bytes] = ..., entries: _Optional[_Iterable[_Union[ProvenEntry, _Mapping[str, object]]]] = ..., deflated: _Optional[bytes] = ...) -> None: ...

class ProvenEntry(_message.Message):
    __slots__ = ("value", "proof")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    PROOF_FIELD_NUMBER: _ClassVar[int]
    value: bytes
    proof: bytes
    def __init__(self, value: _Optional[bytes] = ..., proof: _Optional[bytes] = ...) -> None: ...

class QueryEstimateGasRequest(_message.Message):
    __slots__ = ("tx", "deflated_tx")
    TX_FIELD_NUMBER: _ClassVar[int]
    DEFLATED_TX_FIELD_NUMBER: _ClassVar[int]
    tx: bytes
    deflated_tx: bytes
    def __init__(self, tx: _Optional[bytes] = ..., deflated_tx: _Optional[bytes] = ...) -> None: ...

class QueryEstimateGasResponse(_message.Message):
    __slots__ = ("gas_used",)
    GAS_USED_FIELD_NUMBER: _ClassVar[int]
    gas_used: int
    def __init__(self, gas_used: _Optional[int] = ...) -> None: ...
