"""Errors of packet forwarding (codespace `packetfowardmiddleware`, spelled as ibc-go spells it).

Where ibc-go has no code the codespace is `undefined`, the code 1; the acknowledgement says the code.
"""

from ibc_core.errors.base import IbcError

_PLAIN = "a plain error in ibc-go"


class PacketForwardError(IbcError):
    """Any error of codespace `packetfowardmiddleware`."""

    codespace = "packetfowardmiddleware"


class ForwardKeyNotFound(PacketForwardError, code=1, source="ibc-go's `ErrMetadataKeyNotFound`"):
    """What a memo says of forwarding lacks a receiver, port or channel, or has no text there.

    The acknowledgement says `InvalidForwardMetadata`.
    """

    key: str
    text = "no text {key!a} in the memo's `forward`"


class InvalidForwardMetadata(PacketForwardError, code=2, source="ibc-go's `ErrInvalidForwardMetadata`"):
    """What a memo says of forwarding cannot be read: the packet is refused, its sender has his coins back."""

    reason: str
    text = "invalid forward metadata: {reason}"


class ForwardTransferFailed(PacketForwardError, code=3, source="ibc-go's `ErrForwardTransferFailed`"):
    """A packet was received and cannot be sent on: the channel, the coin or the transfer was refused."""

    reason: str
    text = "failed to forward transfer packet: {reason}"


class InvalidForwardHop(PacketForwardError, code=1, source=_PLAIN):
    """A memo asks to forward to nobody, or over a port or channel whose name cannot be."""

    reason: str
    codespace = "undefined"
    text = "failed to validate metadata: {reason}"


class ForwardReceiveFailed(PacketForwardError, code=1, source=_PLAIN):
    """The application below did not take a packet that is to be forwarded, or answers it later."""

    reason: str
    codespace = "undefined"
    text = "a packet to forward was not received: {reason}"


class ForwardRetriesExhausted(PacketForwardError, code=1, source=_PLAIN):
    """A forwarded packet timed out as often as it was to be tried; the chain before it is told so."""

    port_id: str
    channel_id: str
    text = "giving up on packet on channel ({channel_id}) port ({port_id}) after max retries"
    codespace = "undefined"


class ForwardRefundFailed(PacketForwardError, code=1, source=_PLAIN):
    """Coins of a forwarded packet that failed cannot be made ready for the way back.

    The acknowledgement or timeout fails and may be brought again: nothing is lost.
    """

    reason: str
    codespace = "undefined"
    text = "a forwarded packet cannot be refunded: {reason}"
