import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PacketDirection(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PACKET_SEND: _ClassVar[PacketDirection]
    PACKET_RECV: _ClassVar[PacketDirection]
PACKET_SEND: PacketDirection
PACKET_RECV: PacketDirection

class Path(_message.Message):
    __slots__ = ("denom", "channel_or_client_id")
    DENOM_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_OR_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    denom: str
    channel_or_client_id: str
    def __init__(self, denom: _Optional[str] = ..., channel_or_client_id: _Optional[str] = ...) -> None: ...

class Quota(_message.Message):
    __slots__ = ("max_percent_send", "max_percent_recv", "duration_hours")
    MAX_PERCENT_SEND_FIELD_NUMBER: _ClassVar[int]
    MAX_PERCENT_RECV_FIELD_NUMBER: _ClassVar[int]
    DURATION_HOURS_FIELD_NUMBER: _ClassVar[int]
    max_percent_send: str
    max_percent_recv: str
    duration_hours: int
    def __init__(self, max_percent_send: _Optional[str] = ..., max_percent_recv: _Optional[str] = ..., duration_hours: _Optional[int] = ...) -> None: ...

class Flow(_message.Message):
    __slots__ = ("inflow", "outflow", "channel_value")
    INFLOW_FIELD_NUMBER: _ClassVar[int]
    OUTFLOW_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_VALUE_FIELD_NUMBER: _ClassVar[int]
    inflow: str
    outflow: str
    channel_value: str
    def __init__(self, inflow: _Optional[str] = ..., outflow: _Optional[str] = ..., channel_value: _Optional[str] = ...) -> None: ...

class RateLimit(_message.Message):
    __slots__ = ("path", "quota", "flow")
    PATH_FIELD_NUMBER: _ClassVar[int]
    QUOTA_FIELD_NUMBER: _ClassVar[int]
    FLOW_FIELD_NUMBER: _ClassVar[int]
    path: Path
    quota: Quota
    flow: Flow
    def __init__(self, path: _Optional[_Union[Path, _Mapping[str, object]]] = ..., quota: _Optional[_Union[Quota, _Mapping[str, object]]] = ..., flow: _Optional[_Union[Flow, _Mapping[str, object]]] = ...) -> None: ...

class WhitelistedAddressPair(_message.Message):
    __slots__ = ("sender", "receiver")
    SENDER_FIELD_NUMBER: _ClassVar[int]
    RECEIVER_FIELD_NUMBER: _ClassVar[int]
    sender: str
    receiver: str
    def __init__(self, sender: _Optional[str] = ..., receiver: _Optional[str] = ...) -> None: ...

class HourEpoch(_message.Message):
    __slots__ = ("epoch_number", "duration", "epoch_start_time", "epoch_start_height")
    EPOCH_NUMBER_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    EPOCH_START_TIME_FIELD_NUMBER: _ClassVar[int]
    EPOCH_START_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    epoch_number: int
    duration: _duration_pb2.Duration
    epoch_start_time: _timestamp_pb2.Timestamp
    epoch_start_height: int
    def __init__(self, epoch_number: _Optional[int] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, object]]] = ..., epoch_start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, object]]] = ..., epoch_start_height: _Optional[int] = ...) -> None: ...
