"""Errors of direct calls (ICS-25): capabilities, opaque packets, cleanup. They share the codespace `ics4`."""

from typing import ClassVar

from ibc_core.errors.ics4 import Ics4Error


class DirectError(Ics4Error):
    """Any error of direct calls."""


class InvalidCapability(DirectError):
    """The capability shown is not the one issued for this port or channel, or was to be copied or changed.

    Holding the object is the permission, so a copy must not pass for it.

    `ics4/3`: ICS-5 `authenticate`.
    """

    name: str
    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "no capability of {name}: {reason}"


class CapabilityRevoked(DirectError):
    """The channel is closed, and the capability for it no longer opens anything.

    `ics4/4`: ICS-4.
    """

    port_id: str
    channel_id: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "channel {port_id}/{channel_id} is closed, and its capability with it"


class CleanupRefused(DirectError):
    """The application of the port does not allow others to clean up after its packets.

    `ics4/7`: ICS-4 `cleanupPacket`.
    """

    port_id: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "the application on port {port_id!a} lets nobody else clean up its packets"


class DirectCallsOnly(DirectError):
    """The handler tried to call back a module that drives the handler itself and has no callbacks.

    `ics4/8`: ICS-25.
    """

    callback: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "the module calls the handler itself and takes no {callback}"


class UnknownOpaquePacket(DirectError):
    """The opaque packet was not made by this handler, so it stands for no verified packet.

    `ics4/9`: ICS-4 `OpaquePacket`.
    """

    code: ClassVar[int] = 9
    text: ClassVar[str] = "not an opaque packet of this handler"
