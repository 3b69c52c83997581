"""Errors of ICS-4: channels and packets (codespace `channel`)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class ChannelError(IbcError):
    """Any error of codespace `channel`."""

    codespace: ClassVar[str] = "channel"


@dataclass(eq=False)
class ChannelExists(ChannelError):
    """ICS-4: `channel/2`."""

    port_id: str
    channel_id: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "channel {port_id}/{channel_id} exists"


@dataclass(eq=False)
class ChannelNotFound(ChannelError):
    """ICS-4: `channel/3`."""

    port_id: str
    channel_id: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "no channel {port_id}/{channel_id}"


@dataclass(eq=False)
class InvalidChannel(ChannelError):
    """ICS-4: `channel/4`."""

    reason: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "invalid channel: {reason}"


@dataclass(eq=False)
class InvalidChannelState(ChannelError):
    """ICS-4: `channel/5`."""

    channel: str
    expected: str
    got: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "channel {channel} is {got}, expected {expected}"


@dataclass(eq=False)
class InvalidChannelOrdering(ChannelError):
    """ICS-4: `channel/6`."""

    expected: str
    got: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "invalid channel ordering {got}, expected {expected}"


@dataclass(eq=False)
class InvalidChannelCounterparty(ChannelError):
    """ICS-4: `channel/7`."""

    reason: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "invalid channel counterparty: {reason}"


@dataclass(eq=False)
class SequenceSendNotFound(ChannelError):
    """ICS-4: `channel/10`."""

    port_id: str
    channel_id: str
    code: ClassVar[int] = 10
    text: ClassVar[str] = "no next send sequence for {port_id}/{channel_id}"


@dataclass(eq=False)
class SequenceReceiveNotFound(ChannelError):
    """ICS-4: `channel/11`."""

    port_id: str
    channel_id: str
    code: ClassVar[int] = 11
    text: ClassVar[str] = "no next receive sequence for {port_id}/{channel_id}"


@dataclass(eq=False)
class SequenceAckNotFound(ChannelError):
    """ICS-4: `channel/12`."""

    port_id: str
    channel_id: str
    code: ClassVar[int] = 12
    text: ClassVar[str] = "no next acknowledgement sequence for {port_id}/{channel_id}"


@dataclass(eq=False)
class InvalidPacket(ChannelError):
    """ICS-4: `channel/13`."""

    reason: str
    code: ClassVar[int] = 13
    text: ClassVar[str] = "invalid packet: {reason}"


@dataclass(eq=False)
class TooManyConnectionHops(ChannelError):
    """ICS-4: `channel/15`."""

    got: int
    code: ClassVar[int] = 15
    text: ClassVar[str] = "a channel has one connection hop, got {got}"


@dataclass(eq=False)
class InvalidAcknowledgement(ChannelError):
    """ICS-4: `channel/16`."""

    reason: str
    code: ClassVar[int] = 16
    text: ClassVar[str] = "invalid acknowledgement: {reason}"


@dataclass(eq=False)
class AcknowledgementExists(ChannelError):
    """ICS-4: `channel/17`."""

    port_id: str
    channel_id: str
    sequence: int
    code: ClassVar[int] = 17
    text: ClassVar[str] = "packet {sequence} on {port_id}/{channel_id} is acknowledged"


@dataclass(eq=False)
class InvalidChannelIdentifier(ChannelError):
    """ICS-4: `channel/18`."""

    channel_id: str
    code: ClassVar[int] = 18
    text: ClassVar[str] = "invalid channel identifier {channel_id!a}"


@dataclass(eq=False)
class PacketReceived(ChannelError):
    """ICS-4: `channel/19`."""

    sequence: int
    reason: str
    code: ClassVar[int] = 19
    text: ClassVar[str] = "packet {sequence} was received: {reason}"


@dataclass(eq=False)
class PacketCommitmentNotFound(ChannelError):
    """ICS-4: `channel/20`."""

    port_id: str
    channel_id: str
    sequence: int
    code: ClassVar[int] = 20
    text: ClassVar[str] = "no commitment of packet {sequence} on {port_id}/{channel_id}"


@dataclass(eq=False)
class PacketSequenceOutOfOrder(ChannelError):
    """ICS-4: `channel/21`."""

    expected: int
    got: int
    code: ClassVar[int] = 21
    text: ClassVar[str] = "packet sequence is out of order: expected {expected}, got {got}"


@dataclass(eq=False)
class RedundantTx(ChannelError):
    """ICS-4: `channel/22`."""

    code: ClassVar[int] = 22
    text: ClassVar[str] = "packet messages are redundant"


@dataclass(eq=False)
class InvalidChannelVersion(ChannelError):
    """ICS-4: `channel/24`."""

    expected: str
    got: str
    code: ClassVar[int] = 24
    text: ClassVar[str] = "invalid channel version {got!a}, expected {expected!a}"


@dataclass(eq=False)
class PacketNotSent(ChannelError):
    """ICS-4: `channel/25`."""

    sequence: int
    code: ClassVar[int] = 25
    text: ClassVar[str] = "packet {sequence} was not sent"


@dataclass(eq=False)
class InvalidTimeout(ChannelError):
    """ICS-4: `channel/26`."""

    reason: str
    code: ClassVar[int] = 26
    text: ClassVar[str] = "invalid packet timeout: {reason}"


@dataclass(eq=False)
class TimeoutNotReached(ChannelError):
    """ICS-4: `channel/39`."""

    height: str
    timestamp_ns: int
    code: ClassVar[int] = 39
    text: ClassVar[str] = "packet timeout not reached at height {height}, time {timestamp_ns} ns"


@dataclass(eq=False)
class TimeoutElapsed(ChannelError):
    """ICS-4: `channel/40`."""

    height: str
    timestamp_ns: int
    code: ClassVar[int] = 40
    text: ClassVar[str] = "packet timeout elapsed at height {height}, time {timestamp_ns} ns"
