"""Errors of direct calls (ICS-25): capabilities, opaque packets, cleanup. They share the codespace `ics4`."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.ics4 import Ics4Error


@dataclass(eq=False)
class DirectError(Ics4Error):
    """Any error of direct calls."""


@dataclass(eq=False)
class InvalidCapability(DirectError):
    """ICS-5 authenticate: `ics4/3`."""

    name: str
    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "no capability of {name}: {reason}"


@dataclass(eq=False)
class CapabilityRevoked(DirectError):
    """ICS-4: `ics4/4`."""

    port_id: str
    channel_id: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "channel {port_id}/{channel_id} is closed, and its capability with it"


@dataclass(eq=False)
class CleanupRefused(DirectError):
    """ICS-4 cleanupPacket: `ics4/7`."""

    port_id: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "the application on port {port_id!a} lets nobody else clean up its packets"


@dataclass(eq=False)
class DirectCallsOnly(DirectError):
    """ICS-25: `ics4/8`."""

    callback: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "the module calls the handler itself and takes no {callback}"


@dataclass(eq=False)
class UnknownOpaquePacket(DirectError):
    """ICS-4: `ics4/9`."""

    code: ClassVar[int] = 9
    text: ClassVar[str] = "not an opaque packet of this handler"
