from pyibc.proto.ibc.core.client.v1 import client_pb2 as _client_pb2
from pyibc.proto.pyibc.queue.v1 import queue_pb2 as _queue_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MsgRegister(_message.Message):
    __slots__ = ("client_id", "local", "remote", "remote_store", "signer")
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    LOCAL_FIELD_NUMBER: _ClassVar[int]
    REMOTE_FIELD_NUMBER: _ClassVar[int]
    REMOTE_STORE_FIELD_NUMBER: _ClassVar[int]
    SIGNER_FIELD_NUMBER: _ClassVar[int]
    client_id: str
    local: _queue_pb2.End
    remote: _queue_pb2.End
    remote_store: bytes
    signer: str
    def __init__(self, client_id: _Optional[str] = ..., local: _Optional[_Union[_queue_pb2.End, _Mapping[str, object]]] = ..., remote: _Optional[_Union[_queue_pb2.End, _Mapping[str, object]]] = ..., remote_store: _Optional[bytes] = ..., signer: _Optional[str] = ...) -> None: ...

class MsgRegisterResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class MsgSend(_message.Message):
    __slots__ = ("source", "destination", "sequence", "type", "data", "max_height", "max_time", "signer")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    MAX_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    MAX_TIME_FIELD_NUMBER: _ClassVar[int]
    SIGNER_FIELD_NUMBER: _ClassVar[int]
    source: _queue_pb2.End
    destination: _queue_pb2.End
    sequence: int
    type: str
    data: bytes
    max_height: _client_pb2.Height
    max_time: int
    signer: str
    def __init__(self, source: _Optional[_Union[_queue_pb2.End, _Mapping[str, object]]] = ..., destination: _Optional[_Union[_queue_pb2.End, _Mapping[str, object]]] = ..., sequence: _Optional[int] = ..., type: _Optional[str] = ..., data: _Optional[bytes] = ..., max_height: _Optional[_Union[_client_pb2.Height, _Mapping[str, object]]] = ..., max_time: _Optional[int] = ..., signer: _Optional[str] = ...) -> None: ...

class MsgSendResponse(_message.Message):
    __slots__ = ("sequence",)
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    def __init__(self, sequence: _Optional[int] = ...) -> None: ...

class Item(_message.Message):
    __slots__ = ("key", "value", "proof")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    PROOF_FIELD_NUMBER: _ClassVar[int]
    key: bytes
    value: bytes
    proof: bytes
    def __init__(self, key: _Optional[bytes] = ..., value: _Optional[bytes] = ..., proof: _Optional[bytes] = ...) -> None: ...

class MsgReceive(_message.Message):
    __slots__ = ("source", "proof_height", "items", "signer")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    PROOF_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    SIGNER_FIELD_NUMBER: _ClassVar[int]
    source: _queue_pb2.End
    proof_height: _client_pb2.Height
    items: _containers.RepeatedCompositeFieldContainer[Item]
    signer: str
    def __init__(self, source: _Optional[_Union[_queue_pb2.End, _Mapping[str, object]]] = ..., proof_height: _Optional[_Union[_client_pb2.Height, _Mapping[str, object]]] = ..., items: _Optional[_Iterable[_Union[Item, _Mapping[str, object]]]] = ..., signer: _Optional[str] = ...) -> None: ...

class MsgReceiveResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class MsgHandleReceipt(_message.Message):
    __slots__ = ("source", "proof_height", "items", "signer")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    PROOF_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    SIGNER_FIELD_NUMBER: _ClassVar[int]
    source: _queue_pb2.End
    proof_height: _client_pb2.Height
    items: _containers.RepeatedCompositeFieldContainer[Item]
    signer: str
    def __init__(self, source: _Optional[_Union[_queue_pb2.End, _Mapping[str, object]]] = ..., proof_height: _Optional[_Union[_client_pb2.Height, _Mapping[str, object]]] = ..., items: _Optional[_Iterable[_Union[Item, _Mapping[str, object]]]] = ..., signer: _Optional[str] = ...) -> None: ...

class MsgHandleReceiptResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class MsgTimeout(_message.Message):
    __slots__ = ("destination", "sequence", "count", "proof_height", "proof", "signer")
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    PROOF_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    PROOF_FIELD_NUMBER: _ClassVar[int]
    SIGNER_FIELD_NUMBER: _ClassVar[int]
    destination: _queue_pb2.End
    sequence: int
    count: int
    proof_height: _client_pb2.Height
    proof: bytes
    signer: str
    def __init__(self, destination: _Optional[_Union[_queue_pb2.End, _Mapping[str, object]]] = ..., sequence: _Optional[int] = ..., count: _Optional[int] = ..., proof_height: _Optional[_Union[_client_pb2.Height, _Mapping[str, object]]] = ..., proof: _Optional[bytes] = ..., signer: _Optional[str] = ...) -> None: ...

class MsgTimeoutResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class MsgAdvance(_message.Message):
    __slots__ = ("source", "head", "to", "proof_height", "proof", "signer")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    HEAD_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    PROOF_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    PROOF_FIELD_NUMBER: _ClassVar[int]
    SIGNER_FIELD_NUMBER: _ClassVar[int]
    source: _queue_pb2.End
    head: int
    to: int
    proof_height: _client_pb2.Height
    proof: bytes
    signer: str
    def __init__(self, source: _Optional[_Union[_queue_pb2.End, _Mapping[str, object]]] = ..., head: _Optional[int] = ..., to: _Optional[int] = ..., proof_height: _Optional[_Union[_client_pb2.Height, _Mapping[str, object]]] = ..., proof: _Optional[bytes] = ..., signer: _Optional[str] = ...) -> None: ...

class MsgAdvanceResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
