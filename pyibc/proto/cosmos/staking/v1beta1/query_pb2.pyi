from pyibc.proto.cosmos.staking.v1beta1 import staking_pb2 as _staking_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class QueryParamsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class QueryParamsResponse(_message.Message):
    __slots__ = ("params",)
    PARAMS_FIELD_NUMBER: _ClassVar[int]
    params: _staking_pb2.Params
    def __init__(self, params: _Optional[_Union[_staking_pb2.Params, _Mapping[str, object]]] = ...) -> None: ...
