"""Errors of direct calls (ICS-25): capabilities, opaque packets, cleanup. They share the codespace `ics4`."""

from ibc_core.errors.ics4 import Ics4Error


class DirectError(Ics4Error):
    """Any error of direct calls."""


class InvalidCapability(DirectError, code=3, source="ICS-5 `authenticate`"):
    """The capability shown is not the one issued for this port or channel, or was to be copied or changed.

    Holding the object is the permission, so a copy must not pass for it.
    """

    name: str
    reason: str
    text = "no capability of {name}: {reason}"


class CapabilityRevoked(DirectError, code=4, source="ICS-4"):
    """The channel is closed, and the capability for it no longer opens anything."""

    port_id: str
    channel_id: str
    text = "channel {port_id}/{channel_id} is closed, and its capability with it"


class CleanupRefused(DirectError, code=7, source="ICS-4 `cleanupPacket`"):
    """The application of the port does not allow others to clean up after its packets."""

    port_id: str
    text = "the application on port {port_id!a} lets nobody else clean up its packets"


class DirectCallsOnly(DirectError, code=8, source="ICS-25"):
    """The handler tried to call back a module that drives the handler itself and has no callbacks."""

    callback: str
    text = "the module calls the handler itself and takes no {callback}"


class UnknownOpaquePacket(DirectError, code=9, source="ICS-4 `OpaquePacket`"):
    """The opaque packet was not made by this handler, so it stands for no verified packet."""

    text = "not an opaque packet of this handler"
