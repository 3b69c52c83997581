from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class InFlightPacket(_message.Message):
    __slots__ = ("original_sender_address", "refund_channel_id", "refund_port_id", "packet_src_channel_id", "packet_src_port_id", "packet_timeout_timestamp", "packet_timeout_height", "packet_data", "refund_sequence", "retries_remaining", "timeout")
    ORIGINAL_SENDER_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    REFUND_CHANNEL_ID_FIELD_NUMBER: _ClassVar[int]
    REFUND_PORT_ID_FIELD_NUMBER: _ClassVar[int]
    PACKET_SRC_CHANNEL_ID_FIELD_NUMBER: _ClassVar[int]
    PACKET_SRC_PORT_ID_FIELD_NUMBER: _ClassVar[int]
    PACKET_TIMEOUT_TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    PACKET_TIMEOUT_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    PACKET_DATA_FIELD_NUMBER: _ClassVar[int]
    REFUND_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    RETRIES_REMAINING_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    original_sender_address: str
    refund_channel_id: str
    refund_port_id: str
    packet_src_channel_id: str
    packet_src_port_id: str
    packet_timeout_timestamp: int
    packet_timeout_height: str
    packet_data: bytes
    refund_sequence: int
    retries_remaining: int
    timeout: int
    def __init__(self, original_sender_address: _Optional[str] = ..., refund_channel_id: _Optional[str] = ..., refund_port_id: _Optional[str] = ..., packet_src_channel_id: _Optional[str] = ..., packet_src_port_id: _Optional[str] = ..., packet_timeout_timestamp: _Optional[int] = ..., packet_timeout_height: _Optional[str] = ..., packet_data: _Optional[bytes] = ..., refund_sequence: _Optional[int] = ..., retries_remaining: _Optional[int] = ..., timeout: _Optional[int] = ...) -> None: ...
