from pyibc.proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2 as _rate_limiting_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class QueryAllRateLimitsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class QueryAllRateLimitsResponse(_message.Message):
    __slots__ = ("rate_limits",)
    RATE_LIMITS_FIELD_NUMBER: _ClassVar[int]
    rate_limits: _containers.RepeatedCompositeFieldContainer[_rate_limiting_pb2.RateLimit]
    def __init__(self, rate_limits: _Optional[_Iterable[_Union[_rate_limiting_pb2.RateLimit, _Mapping[str, object]]]] = ...) -> None: ...

class QueryRateLimitRequest(_message.Message):
    __slots__ = ("denom", "channel_or_client_id")
    DENOM_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_OR_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    denom: str
    channel_or_client_id: str
    def __init__(self, denom: _Optional[str] = ..., channel_or_client_id: _Optional[str] = ...) -> None: ...

class QueryRateLimitResponse(_message.Message):
    __slots__ = ("rate_limit",)
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    rate_limit: _rate_limiting_pb2.RateLimit
    def __init__(self, rate_limit: _Optional[_Union[_rate_limiting_pb2.RateLimit, _Mapping[str, object]]] = ...) -> None: ...

class QueryRateLimitsByChainIDRequest(_message.Message):
    __slots__ = ("chain_id",)
    CHAIN_ID_FIELD_NUMBER: _ClassVar[int]
    chain_id: str
    def __init__(self, chain_id: _Optional[str] = ...) -> None: ...

class QueryRateLimitsByChainIDResponse(_message.Message):
    __slots__ = ("rate_limits",)
    RATE_LIMITS_FIELD_NUMBER: _ClassVar[int]
    rate_limits: _containers.RepeatedCompositeFieldContainer[_rate_limiting_pb2.RateLimit]
    def __init__(self, rate_limits: _Optional[_Iterable[_Union[_rate_limiting_pb2.RateLimit, _Mapping[str, object]]]] = ...) -> None: ...

class QueryRateLimitsByChannelOrClientIDRequest(_message.Message):
    __slots__ = ("channel_or_client_id",)
    CHANNEL_OR_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    channel_or_client_id: str
    def __init__(self, channel_or_client_id: _Optional[str] = ...) -> None: ...

class QueryRateLimitsByChannelOrClientIDResponse(_message.Message):
    __slots__ = ("rate_limits",)
    RATE_LIMITS_FIELD_NUMBER: _ClassVar[int]
    rate_limits: _containers.RepeatedCompositeFieldContainer[_rate_limiting_pb2.RateLimit]
    def __init__(self, rate_limits: _Optional[_Iterable[_Union[_rate_limiting_pb2.RateLimit, _Mapping[str, object]]]] = ...) -> None: ...

class QueryAllBlacklistedDenomsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class QueryAllBlacklistedDenomsResponse(_message.Message):
    __slots__ = ("denoms",)
    DENOMS_FIELD_NUMBER: _ClassVar[int]
    denoms: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, denoms: _Optional[_Iterable[str]] = ...) -> None: ...

class QueryAllWhitelistedAddressesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class QueryAllWhitelistedAddressesResponse(_message.Message):
    __slots__ = ("address_pairs",)
    ADDRESS_PAIRS_FIELD_NUMBER: _ClassVar[int]
    address_pairs: _containers.RepeatedCompositeFieldContainer[_rate_limiting_pb2.WhitelistedAddressPair]
    def __init__(self, address_pairs: _Optional[_Iterable[_Union[_rate_limiting_pb2.WhitelistedAddressPair, _Mapping[str, object]]]] = ...) -> None: ...
