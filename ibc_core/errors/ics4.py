"""Errors that ICS-4 and ICS-5 ask for and for which ibc-go has no code (codespace `ics4`)."""

from ibc_core.errors.base import IbcError


class Ics4Error(IbcError):
    """Any error of codespace `ics4`."""

    codespace = "ics4"


class NotPortOwner(Ics4Error, code=2, source="ICS-5 `authenticate`"):
    """The caller is not the application that bound the port, or passed an argument of a wrong type.

    Without this check one application could send packets in the name of another.
    """

    port_id: str
    text = "this application did not bind port {port_id!a}"


class CounterpartyUnknown(Ics4Error, code=5, source="ICS-4 `sendPacket`"):
    """The channel is not open and its counterparty has no identifier yet, so a packet has no destination."""

    port_id: str
    channel_id: str
    text = "the other end of {port_id}/{channel_id} has no name before the channel is open"


class TooManyOptimisticPackets(Ics4Error, code=6, source="ICS-4 `sendPacket`"):
    """The channel is not open yet, and as many packets as this chain allows were sent over it already.

    They stay in state until the handshake ends, perhaps forever, so there is a limit.
    """

    limit: int
    text = "{limit} packets were sent before the channel is open, no more are allowed"
