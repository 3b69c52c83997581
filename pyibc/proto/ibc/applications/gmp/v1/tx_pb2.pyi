from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class MsgSendCall(_message.Message):
    __slots__ = ("source_client", "sender", "receiver", "salt", "payload", "timeout_timestamp", "memo", "encoding")
    SOURCE_CLIENT_FIELD_NUMBER: _ClassVar[int]
    SENDER_FIELD_NUMBER: _ClassVar[int]
    RECEIVER_FIELD_NUMBER: _ClassVar[int]
    SALT_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    MEMO_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    source_client: str
    sender: str
    receiver: str
    salt: bytes
    payload: bytes
    timeout_timestamp: int
    memo: str
    encoding: str
    def __init__(self, source_client: _Optional[str] = ..., sender: _Optional[str] = ..., receiver: _Optional[str] = ..., salt: _Optional[bytes] = ..., payload: _Optional[bytes] = ..., timeout_timestamp: _Optional[int] = ..., memo: _Optional[str] = ..., encoding: _Optional[str] = ...) -> None: ...

class MsgSendCallResponse(_message.Message):
    __slots__ = ("sequence",)
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    def __init__(self, sequence: _Optional[int] = ...) -> None: ...
