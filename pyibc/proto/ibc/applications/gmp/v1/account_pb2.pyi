from google.protobuf import any_pb2 as _any_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AccountIdentifier(_message.Message):
    __slots__ = ("client_id", "sender", "salt")
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    SENDER_FIELD_NUMBER: _ClassVar[int]
    SALT_FIELD_NUMBER: _ClassVar[int]
    client_id: str
    sender: str
    salt: bytes
    def __init__(self, client_id: _Optional[str] = ..., sender: _Optional[str] = ..., salt: _Optional[bytes] = ...) -> None: ...

class ICS27Account(_message.Message):
    __slots__ = ("address", "account_id")
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    address: str
    account_id: AccountIdentifier
    def __init__(self, address: _Optional[str] = ..., account_id: _Optional[_Union[AccountIdentifier, _Mapping[str, object]]] = ...) -> None: ...

class CosmosTx(_message.Message):
    __slots__ = ("messages",)
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
    def __init__(self, messages: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping[str, object]]]] = ...) -> None: ...
