"""Errors of what ICS-4's first text has beyond today's wire (codespace `ics4`): ibc-go has none of these."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class Ics4Error(IbcError):
    """Any error of codespace `ics4`."""

    codespace: ClassVar[str] = "ics4"


@dataclass(eq=False)
class NotPortOwner(Ics4Error):
    """ICS-5 authenticate: `ics4/2`."""

    port_id: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "this application did not bind port {port_id!a}"


@dataclass(eq=False)
class InvalidCapability(Ics4Error):
    """ICS-5 authenticate: `ics4/3`."""

    name: str
    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "no capability of {name}: {reason}"


@dataclass(eq=False)
class CapabilityRevoked(Ics4Error):
    """ICS-4: `ics4/4`."""

    port_id: str
    channel_id: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "channel {port_id}/{channel_id} is closed, and its capability with it"


@dataclass(eq=False)
class CounterpartyUnknown(Ics4Error):
    """ICS-4 sendPacket: `ics4/5`."""

    port_id: str
    channel_id: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "the other end of {port_id}/{channel_id} has no name before the channel is open"


@dataclass(eq=False)
class TooManyOptimisticPackets(Ics4Error):
    """ICS-4 sendPacket: `ics4/6`."""

    limit: int
    code: ClassVar[int] = 6
    text: ClassVar[str] = "{limit} packets were sent before the channel is open, no more are allowed"


@dataclass(eq=False)
class CleanupRefused(Ics4Error):
    """ICS-4 cleanupPacket: `ics4/7`."""

    port_id: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "the application on port {port_id!a} lets nobody else clean up its packets"


@dataclass(eq=False)
class DirectCallsOnly(Ics4Error):
    """ICS-25: `ics4/8`."""

    callback: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "the module calls the handler itself and takes no {callback}"


@dataclass(eq=False)
class UnknownOpaquePacket(Ics4Error):
    """ICS-4: `ics4/9`."""

    code: ClassVar[int] = 9
    text: ClassVar[str] = "not a packet that this handler cloaked"
