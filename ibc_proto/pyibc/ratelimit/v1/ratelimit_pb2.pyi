from ibc_proto.cosmos.base.query.v1beta1 import pagination_pb2 as _pagination_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RateLimit(_message.Message):
    __slots__ = ("channel_or_client_id", "denom", "window_blocks", "window_seconds", "max_send", "max_recv")
    CHANNEL_OR_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    DENOM_FIELD_NUMBER: _ClassVar[int]
    WINDOW_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_SEND_FIELD_NUMBER: _ClassVar[int]
    MAX_RECV_FIELD_NUMBER: _ClassVar[int]
    channel_or_client_id: str
    denom: str
    window_blocks: int
    window_seconds: int
    max_send: str
    max_recv: str
    def __init__(self, channel_or_client_id: _Optional[str] = ..., denom: _Optional[str] = ..., window_blocks: _Optional[int] = ..., window_seconds: _Optional[int] = ..., max_send: _Optional[str] = ..., max_recv: _Optional[str] = ...) -> None: ...

class Flow(_message.Message):
    __slots__ = ("window", "sent", "received")
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    SENT_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    window: int
    sent: str
    received: str
    def __init__(self, window: _Optional[int] = ..., sent: _Optional[str] = ..., received: _Optional[str] = ...) -> None: ...

class MsgSetRateLimit(_message.Message):
    __slots__ = ("signer", "limit")
    SIGNER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    signer: str
    limit: RateLimit
    def __init__(self, signer: _Optional[str] = ..., limit: _Optional[_Union[RateLimit, _Mapping[str, object]]] = ...) -> None: ...

class MsgSetRateLimitResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class MsgRemoveRateLimit(_message.Message):
    __slots__ = ("signer", "channel_or_client_id", "denom")
    SIGNER_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_OR_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    DENOM_FIELD_NUMBER: _ClassVar[int]
    signer: str
    channel_or_client_id: str
    denom: str
    def __init__(self, signer: _Optional[str] = ..., channel_or_client_id: _Optional[str] = ..., denom: _Optional[str] = ...) -> None: ...

class MsgRemoveRateLimitResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class QueryRateLimitsRequest(_message.Message):
    __slots__ = ("pagination",)
    PAGINATION_FIELD_NUMBER: _ClassVar[int]
    pagination: _pagination_pb2.PageRequest
    def __init__(self, pagination: _Optional[_Union[_pagination_pb2.PageRequest, _Mapping[str, object]]] = ...) -> None: ...

class RateLimitState(_message.Message):
    __slots__ = ("limit", "flow")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    FLOW_FIELD_NUMBER: _ClassVar[int]
    limit: RateLimit
    flow: Flow
    def __init__(self, limit: _Optional[_Union[RateLimit, _Mapping[str, object]]] = ..., flow: _Optional[_Union[Flow, _Mapping[str, object]]] = ...) -> None: ...

class QueryRateLimitsResponse(_message.Message):
    __slots__ = ("rate_limits", "pagination")
    RATE_LIMITS_FIELD_NUMBER: _ClassVar[int]
    PAGINATION_FIELD_NUMBER: _ClassVar[int]
    rate_limits: _containers.RepeatedCompositeFieldContainer[RateLimitState]
    pagination: _pagination_pb2.PageResponse
    def __init__(self, rate_limits: _Optional[_Iterable[_Union[RateLimitState, _Mapping[str, object]]]] = ..., pagination: _Optional[_Union[_pagination_pb2.PageResponse, _Mapping[str, object]]] = ...) -> None: ...

class GenesisState(_message.Message):
    __slots__ = ("rate_limits",)
    RATE_LIMITS_FIELD_NUMBER: _ClassVar[int]
    rate_limits: _containers.RepeatedCompositeFieldContainer[RateLimit]
    def __init__(self, rate_limits: _Optional[_Iterable[_Union[RateLimit, _Mapping[str, object]]]] = ...) -> None: ...
