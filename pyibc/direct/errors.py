"""Errors of direct calls (ICS-25), codespace `ics4`: capabilities, opaque packets, cleanup."""

from pyibc.core.errors.channel import Ics4Error


class DirectError(Ics4Error):
    """Base of the errors of direct calls."""


class InvalidCapability(DirectError, code=3, source="ICS-5 `authenticate`"):
    """The presented capability is not that of the port or channel, or was to be copied or changed.

    Possession of the object is the permission, so a copy must be refused.
    """

    name: str
    reason: str
    text = "no capability of {name}: {reason}"


class CapabilityRevoked(DirectError, code=4, source="ICS-4"):
    """The channel is closed, and its capability does not authorize calls any more."""

    port_id: str
    channel_id: str
    text = "channel {port_id}/{channel_id} is closed, and its capability is revoked"


class CleanupRefused(DirectError, code=7, source="ICS-4 `cleanupPacket`"):
    """The application of the port does not allow others to clean up its packets."""

    port_id: str
    text = "the application on port {port_id!a} does not let others clean up its packets"


class DirectCallsOnly(DirectError, code=8, source="ICS-25"):
    """The handler tried to call back a module that calls the handler itself and has no callbacks."""

    callback: str
    text = "the module calls the handler itself and has no {callback}"


class UnknownOpaquePacket(DirectError, code=9, source="ICS-4 `OpaquePacket`"):
    """The opaque packet was not created by this handler."""

    text = "not an opaque packet of this handler"
