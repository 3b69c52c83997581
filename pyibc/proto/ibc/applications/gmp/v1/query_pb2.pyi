from pyibc.proto.ibc.applications.gmp.v1 import account_pb2 as _account_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class QueryAccountAddressRequest(_message.Message):
    __slots__ = ("client_id", "sender", "salt")
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    SENDER_FIELD_NUMBER: _ClassVar[int]
    SALT_FIELD_NUMBER: _ClassVar[int]
    client_id: str
    sender: str
    salt: str
    def __init__(self, client_id: _Optional[str] = ..., sender: _Optional[str] = ..., salt: _Optional[str] = ...) -> None: ...

class QueryAccountAddressResponse(_message.Message):
    __slots__ = ("account_address",)
    ACCOUNT_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    account_address: str
    def __init__(self, account_address: _Optional[str] = ...) -> None: ...

class QueryAccountIdentifierRequest(_message.Message):
    __slots__ = ("account_address",)
    ACCOUNT_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    account_address: str
    def __init__(self, account_address: _Optional[str] = ...) -> None: ...

class QueryAccountIdentifierResponse(_message.Message):
    __slots__ = ("account_id",)
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    account_id: _account_pb2.AccountIdentifier
    def __init__(self, account_id: _Optional[_Union[_account_pb2.AccountIdentifier, _Mapping[str, object]]] = ...) -> None: ...
