from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Denom(_message.Message):
    __slots__ = ("base", "hops")
    BASE_FIELD_NUMBER: _ClassVar[int]
    HOPS_FIELD_NUMBER: _ClassVar[int]
    base: str
    hops: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, base: _Optional[str] = ..., hops: _Optional[_Iterable[str]] = ...) -> None: ...

class Transfer(_message.Message):
    __slots__ = ("denom", "amount", "sender", "receiver")
    DENOM_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    SENDER_FIELD_NUMBER: _ClassVar[int]
    RECEIVER_FIELD_NUMBER: _ClassVar[int]
    denom: Denom
    amount: str
    sender: str
    receiver: str
    def __init__(self, denom: _Optional[_Union[Denom, _Mapping[str, object]]] = ..., amount: _Optional[str] = ..., sender: _Optional[str] = ..., receiver: _Optional[str] = ...) -> None: ...
