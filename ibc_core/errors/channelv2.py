"""Errors of IBC v2: packets between clients (codespace `channelv2`)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class ChannelV2Error(IbcError):
    """Any error of codespace `channelv2`."""

    codespace: ClassVar[str] = "channelv2"


@dataclass(eq=False)
class InvalidPacketV2(ChannelV2Error):
    """IBC v2: `channelv2/2`."""

    reason: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "invalid packet: {reason}"


@dataclass(eq=False)
class InvalidPayload(ChannelV2Error):
    """IBC v2: `channelv2/3`."""

    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "invalid payload: {reason}"


@dataclass(eq=False)
class SequenceSendNotFoundV2(ChannelV2Error):
    """IBC v2: `channelv2/4`."""

    client_id: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "client {client_id} has no next send sequence"


@dataclass(eq=False)
class InvalidAcknowledgementV2(ChannelV2Error):
    """IBC v2: `channelv2/5`."""

    reason: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "invalid acknowledgement: {reason}"


@dataclass(eq=False)
class InvalidTimeoutV2(ChannelV2Error):
    """IBC v2: `channelv2/8`."""

    reason: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "invalid timeout: {reason}"


@dataclass(eq=False)
class TimeoutElapsedV2(ChannelV2Error):
    """IBC v2: `channelv2/9`; both in unix seconds."""

    timeout_s: int
    time_s: int
    code: ClassVar[int] = 9
    text: ClassVar[str] = "timeout {timeout_s} s has elapsed at {time_s} s"


@dataclass(eq=False)
class TimeoutNotReachedV2(ChannelV2Error):
    """IBC v2: `channelv2/10`; both in unix seconds."""

    timeout_s: int
    time_s: int
    code: ClassVar[int] = 10
    text: ClassVar[str] = "timeout {timeout_s} s is not reached at {time_s} s"


@dataclass(eq=False)
class AcknowledgementExistsV2(ChannelV2Error):
    """IBC v2: `channelv2/11`."""

    client_id: str
    sequence: int
    code: ClassVar[int] = 11
    text: ClassVar[str] = "packet {client_id}/{sequence} is acknowledged already"
