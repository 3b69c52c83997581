"""Errors of the parts of [ICS4-2019] that ibc-go does not have (codespace `ics4`): capabilities, cleanup."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class Ics4Error(IbcError):
    """Any error of codespace `ics4`."""

    codespace: ClassVar[str] = "ics4"


@dataclass(eq=False)
class NotPortOwner(Ics4Error):
    """The caller is not the application that bound the port, or passed an argument of a wrong type.

    Without this check one application could send packets in the name of another.

    `ics4/2`: ICS-5 `authenticate`.
    """

    port_id: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "this application did not bind port {port_id!a}"


@dataclass(eq=False)
class InvalidCapability(Ics4Error):
    """The capability shown is not the one issued for this port or channel, or was to be copied or changed.

    Holding the object is the permission, so a copy must not pass for it.

    `ics4/3`: ICS-5 `authenticate`.
    """

    name: str
    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "no capability of {name}: {reason}"


@dataclass(eq=False)
class CapabilityRevoked(Ics4Error):
    """The channel is closed, and the capability for it no longer opens anything.

    `ics4/4`: ICS-4.
    """

    port_id: str
    channel_id: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "channel {port_id}/{channel_id} is closed, and its capability with it"


@dataclass(eq=False)
class CounterpartyUnknown(Ics4Error):
    """The channel is not open and its counterparty has no identifier yet, so a packet has no destination.

    `ics4/5`: ICS-4 `sendPacket`.
    """

    port_id: str
    channel_id: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "the other end of {port_id}/{channel_id} has no name before the channel is open"


@dataclass(eq=False)
class TooManyOptimisticPackets(Ics4Error):
    """The channel is not open yet, and as many packets as this chain allows were sent over it already.

    They stay in state until the handshake ends, perhaps forever, so there is a limit.

    `ics4/6`: ICS-4 `sendPacket`.
    """

    limit: int
    code: ClassVar[int] = 6
    text: ClassVar[str] = "{limit} packets were sent before the channel is open, no more are allowed"


@dataclass(eq=False)
class CleanupRefused(Ics4Error):
    """The application of the port does not allow others to clean up after its packets.

    `ics4/7`: ICS-4 `cleanupPacket`.
    """

    port_id: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "the application on port {port_id!a} lets nobody else clean up its packets"


@dataclass(eq=False)
class DirectCallsOnly(Ics4Error):
    """The handler tried to call back a module that drives the handler itself and has no callbacks.

    `ics4/8`: ICS-25.
    """

    callback: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "the module calls the handler itself and takes no {callback}"


@dataclass(eq=False)
class UnknownOpaquePacket(Ics4Error):
    """The opaque packet was not made by this handler, so it stands for no verified packet.

    `ics4/9`: ICS-4 `OpaquePacket`.
    """

    code: ClassVar[int] = 9
    text: ClassVar[str] = "not a packet that this handler cloaked"
