"""Refusals that ICS-4 and ICS-5 ask for and ibc-go has no code of (codespace `ics4`)."""

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
