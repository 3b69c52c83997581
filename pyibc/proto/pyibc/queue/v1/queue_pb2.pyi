from pyibc.proto.ibc.core.client.v1 import client_pb2 as _client_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class End(_message.Message):
    __slots__ = ("chain", "connection", "channel")
    CHAIN_FIELD_NUMBER: _ClassVar[int]
    CONNECTION_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    chain: str
    connection: str
    channel: str
    def __init__(self, chain: _Optional[str] = ..., connection: _Optional[str] = ..., channel: _Optional[str] = ...) -> None: ...

class Packet(_message.Message):
    __slots__ = ("type", "data", "max_height", "max_time")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    MAX_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    MAX_TIME_FIELD_NUMBER: _ClassVar[int]
    type: str
    data: bytes
    max_height: _client_pb2.Height
    max_time: int
    def __init__(self, type: _Optional[str] = ..., data: _Optional[bytes] = ..., max_height: _Optional[_Union[_client_pb2.Height, _Mapping[str, object]]] = ..., max_time: _Optional[int] = ...) -> None: ...

class Receipt(_message.Message):
    __slots__ = ("result", "error")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    result: bytes
    error: Failure
    def __init__(self, result: _Optional[bytes] = ..., error: _Optional[_Union[Failure, _Mapping[str, object]]] = ...) -> None: ...

class Failure(_message.Message):
    __slots__ = ("codespace", "code")
    CODESPACE_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    codespace: str
    code: int
    def __init__(self, codespace: _Optional[str] = ..., code: _Optional[int] = ...) -> None: ...

class Registration(_message.Message):
    __slots__ = ("client_id", "local", "remote", "remote_store")
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    LOCAL_FIELD_NUMBER: _ClassVar[int]
    REMOTE_FIELD_NUMBER: _ClassVar[int]
    REMOTE_STORE_FIELD_NUMBER: _ClassVar[int]
    client_id: str
    local: End
    remote: End
    remote_store: bytes
    def __init__(self, client_id: _Optional[str] = ..., local: _Optional[_Union[End, _Mapping[str, object]]] = ..., remote: _Optional[_Union[End, _Mapping[str, object]]] = ..., remote_store: _Optional[bytes] = ...) -> None: ...

class Binding(_message.Message):
    __slots__ = ("client_id", "remote_chain", "remote_connection")
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    REMOTE_CHAIN_FIELD_NUMBER: _ClassVar[int]
    REMOTE_CONNECTION_FIELD_NUMBER: _ClassVar[int]
    client_id: str
    remote_chain: str
    remote_connection: str
    def __init__(self, client_id: _Optional[str] = ..., remote_chain: _Optional[str] = ..., remote_connection: _Optional[str] = ...) -> None: ...
