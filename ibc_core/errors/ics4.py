"""Errors that ICS-4 and ICS-5 ask for and for which ibc-go has no code (codespace `ics4`)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class Ics4Error(IbcError):
    """Any error of codespace `ics4`."""

    codespace: ClassVar[str] = "ics4"


class NotPortOwner(Ics4Error):
    """The caller is not the application that bound the port, or passed an argument of a wrong type.

    Without this check one application could send packets in the name of another.

    `ics4/2`: ICS-5 `authenticate`.
    """

    port_id: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "this application did not bind port {port_id!a}"


class CounterpartyUnknown(Ics4Error):
    """The channel is not open and its counterparty has no identifier yet, so a packet has no destination.

    `ics4/5`: ICS-4 `sendPacket`.
    """

    port_id: str
    channel_id: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "the other end of {port_id}/{channel_id} has no name before the channel is open"


class TooManyOptimisticPackets(Ics4Error):
    """The channel is not open yet, and as many packets as this chain allows were sent over it already.

    They stay in state until the handshake ends, perhaps forever, so there is a limit.

    `ics4/6`: ICS-4 `sendPacket`.
    """

    limit: int
    code: ClassVar[int] = 6
    text: ClassVar[str] = "{limit} packets were sent before the channel is open, no more are allowed"
