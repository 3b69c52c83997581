from pyibc.proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2 as _rate_limiting_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GenesisState(_message.Message):
    __slots__ = ("rate_limits", "whitelisted_address_pairs", "blacklisted_denoms", "pending_send_packet_sequence_numbers", "hour_epoch", "pending_recv_packet_sequence_numbers")
    RATE_LIMITS_FIELD_NUMBER: _ClassVar[int]
    WHITELISTED_ADDRESS_PAIRS_FIELD_NUMBER: _ClassVar[int]
    BLACKLISTED_DENOMS_FIELD_NUMBER: _ClassVar[int]
    PENDING_SEND_PACKET_SEQUENCE_NUMBERS_FIELD_NUMBER: _ClassVar[int]
    HOUR_EPOCH_FIELD_NUMBER: _ClassVar[int]
    PENDING_RECV_PACKET_SEQUENCE_NUMBERS_FIELD_NUMBER: _ClassVar[int]
    rate_limits: _containers.RepeatedCompositeFieldContainer[_rate_limiting_pb2.RateLimit]
    whitelisted_address_pairs: _containers.RepeatedCompositeFieldContainer[_rate_limiting_pb2.WhitelistedAddressPair]
    blacklisted_denoms: _containers.RepeatedScalarFieldContainer[str]
    pending_send_packet_sequence_numbers: _containers.RepeatedScalarFieldContainer[str]
    hour_epoch: _rate_limiting_pb2.HourEpoch
    pending_recv_packet_sequence_numbers: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, rate_limits: _Optional[_Iterable[_Union[_rate_limiting_pb2.RateLimit, _Mapping[str, object]]]] = ..., whitelisted_address_pairs: _Optional[_Iterable[_Union[_rate_limiting_pb2.WhitelistedAddressPair, _Mapping[str, object]]]] = ..., blacklisted_denoms: _Optional[_Iterable[str]] = ..., pending_send_packet_sequence_numbers: _Optional[_Iterable[str]] = ..., hour_epoch: _Optional[_Union[_rate_limiting_pb2.HourEpoch, _Mapping[str, object]]] = ..., pending_recv_packet_sequence_numbers: _Optional[_Iterable[str]] = ...) -> None: ...
