from pyibc.proto.cosmos.base.query.v1beta1 import pagination_pb2 as _pagination_pb2
from pyibc.proto.pyibc.queue.v1 import queue_pb2 as _queue_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class QueryRegistrationRequest(_message.Message):
    __slots__ = ("remote",)
    REMOTE_FIELD_NUMBER: _ClassVar[int]
    remote: _queue_pb2.End
    def __init__(self, remote: _Optional[_Union[_queue_pb2.End, _Mapping[str, object]]] = ...) -> None: ...

class QueryRegistrationResponse(_message.Message):
    __slots__ = ("registration",)
    REGISTRATION_FIELD_NUMBER: _ClassVar[int]
    registration: _queue_pb2.Registration
    def __init__(self, registration: _Optional[_Union[_queue_pb2.Registration, _Mapping[str, object]]] = ...) -> None: ...

class QueryRegistrationsRequest(_message.Message):
    __slots__ = ("pagination",)
    PAGINATION_FIELD_NUMBER: _ClassVar[int]
    pagination: _pagination_pb2.PageRequest
    def __init__(self, pagination: _Optional[_Union[_pagination_pb2.PageRequest, _Mapping[str, object]]] = ...) -> None: ...

class QueryRegistrationsResponse(_message.Message):
    __slots__ = ("registrations", "pagination")
    REGISTRATIONS_FIELD_NUMBER: _ClassVar[int]
    PAGINATION_FIELD_NUMBER: _ClassVar[int]
    registrations: _containers.RepeatedCompositeFieldContainer[_queue_pb2.Registration]
    pagination: _pagination_pb2.PageResponse
    def __init__(self, registrations: _Optional[_Iterable[_Union[_queue_pb2.Registration, _Mapping[str, object]]]] = ..., pagination: _Optional[_Union[_pagination_pb2.PageResponse, _Mapping[str, object]]] = ...) -> None: ...

class QueryQueueRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class QueryQueueResponse(_message.Message):
    __slots__ = ("head", "tail")
    HEAD_FIELD_NUMBER: _ClassVar[int]
    TAIL_FIELD_NUMBER: _ClassVar[int]
    head: int
    tail: int
    def __init__(self, head: _Optional[int] = ..., tail: _Optional[int] = ...) -> None: ...

class QueryElementRequest(_message.Message):
    __slots__ = ("name", "index")
    NAME_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    name: str
    index: int
    def __init__(self, name: _Optional[str] = ..., index: _Optional[int] = ...) -> None: ...

class QueryElementResponse(_message.Message):
    __slots__ = ("value",)
    VALUE_FIELD_NUMBER: _ClassVar[int]
    value: bytes
    def __init__(self, value: _Optional[bytes] = ...) -> None: ...

class QueryElementsRequest(_message.Message):
    __slots__ = ("name", "pagination")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PAGINATION_FIELD_NUMBER: _ClassVar[int]
    name: str
    pagination: _pagination_pb2.PageRequest
    def __init__(self, name: _Optional[str] = ..., pagination: _Optional[_Union[_pagination_pb2.PageRequest, _Mapping[str, object]]] = ...) -> None: ...

class Element(_message.Message):
    __slots__ = ("index", "value")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    index: int
    value: bytes
    def __init__(self, index: _Optional[int] = ..., value: _Optional[bytes] = ...) -> None: ...

class QueryElementsResponse(_message.Message):
    __slots__ = ("elements", "pagination")
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    PAGINATION_FIELD_NUMBER: _ClassVar[int]
    elements: _containers.RepeatedCompositeFieldContainer[Element]
    pagination: _pagination_pb2.PageResponse
    def __init__(self, elements: _Optional[_Iterable[_Union[Element, _Mapping[str, object]]]] = ..., pagination: _Optional[_Union[_pagination_pb2.PageResponse, _Mapping[str, object]]] = ...) -> None: ...
