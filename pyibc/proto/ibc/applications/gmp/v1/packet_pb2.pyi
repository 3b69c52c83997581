from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class GMPPacketData(_message.Message):
    __slots__ = ("sender", "receiver", "salt", "payload", "memo")
    SENDER_FIELD_NUMBER: _ClassVar[int]
    RECEIVER_FIELD_NUMBER: _ClassVar[int]
    SALT_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    MEMO_FIELD_NUMBER: _ClassVar[int]
    sender: str
    receiver: str
    salt: bytes
    payload: bytes
    memo: str
    def __init__(self, sender: _Optional[str] = ..., receiver: _Optional[str] = ..., salt: _Optional[bytes] = ..., payload: _Optional[bytes] = ..., memo: _Optional[str] = ...) -> None: ...

class Acknowledgement(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: bytes
    def __init__(self, result: _Optional[bytes] = ...) -> None: ...
