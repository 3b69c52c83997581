from pyibc.proto.ibc.applications.gmp.v1 import account_pb2 as _account_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GenesisState(_message.Message):
    __slots__ = ("ics27_accounts",)
    ICS27_ACCOUNTS_FIELD_NUMBER: _ClassVar[int]
    ics27_accounts: _containers.RepeatedCompositeFieldContainer[RegisteredICS27Account]
    def __init__(self, ics27_accounts: _Optional[_Iterable[_Union[RegisteredICS27Account, _Mapping[str, object]]]] = ...) -> None: ...

class RegisteredICS27Account(_message.Message):
    __slots__ = ("account_address", "account_id")
    ACCOUNT_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    account_address: str
    account_id: _account_pb2.AccountIdentifier
    def __init__(self, account_address: _Optional[str] = ..., account_id: _Optional[_Union[_account_pb2.AccountIdentifier, _Mapping[str, object]]] = ...) -> None: ...
