"""The sentence that answers "did the receiver get it?"."""

from pyibc.apps.packet_forward.packet_data import read_hops
from pyibc.apps.transfer.packet_data import PORT_ID, TransferData, decode, decode_payload
from pyibc.core.errors import IbcError
from pyibc.core.packet_v2.types import PacketV2
from pyibc.relayer.packets.history import Fate, History
from pyibc.relayer.packets.packets import AnyPacket

_RELAY = "run a relayer (`pyibc relay`) or wait for one"


def transfer_of(packet: AnyPacket | None) -> TransferData | None:
    """Return the transfer in a packet; None: it has none, or the packet is unknown."""
    if packet is None:
        return None
    try:
        if isinstance(packet, PacketV2):
            payloads = [each for each in packet.payloads if each.port_id_on_a == PORT_ID]
            return decode_payload(payloads[0]) if len(payloads) == 1 else None
        return decode(packet.data) if packet.port_id_on_a == PORT_ID else None
    except IbcError:  # no transfer that a chain would accept
        return None


def is_refunded(history: History, transfer: TransferData | None) -> bool:
    """Return whether the sender has the coins again."""
    return transfer is not None and history.is_ended and history.fate in {Fate.REFUSED, Fate.TIMED_OUT}


def answer(names: tuple[str, str], history: History, transfer: TransferData | None) -> str:
    """Return one sentence about the receiver; a second one says what is left to do.

    Args:
        names: chain ids of sender and receiver.
        history: the packet's.
        transfer: the transfer in it, if any.
    """
    a, b = names
    left = "" if history.is_ended else f" {a} has not been told: {_RELAY}."
    match history.fate:
        case Fate.DELIVERED:
            return f"Yes: {_arrival(b, history, transfer)}.{left}"
        case Fate.REFUSED:
            reason = f": {history.error}" if history.error else ""
            return f"No: {b} refused the packet{reason}{_back(a, history, transfer)}"
        case Fate.TIMED_OUT | Fate.EXPIRED:
            return f"No: the packet timed out before {b} received it{_back(a, history, transfer)}"
        case Fate.PENDING:
            return f"Not yet: {b} has not received the packet; {_RELAY}."
        case Fate.RECEIVED:
            return f"Not known yet: {b} received the packet, and its application has not answered."
        case Fate.UNKNOWN:
            return (
                f"Not known: {a} has finished with the packet; the node of {b} has not received it, and may "
                f"lag behind. Ask again later, or another node: --to for {b}, --from for one of {a} with an "
                "event index."
            )
        case _:  # ANSWERED
            return f"Not known: {b} answered the packet, and the nodes do not tell a standard answer.{left}"


def _arrival(b: str, history: History, transfer: TransferData | None) -> str:
    at = f" at height {history.received.height}" if history.received is not None else ""
    if transfer is None:
        return f"the application on {b} accepted the packet{at}"
    coins = f"{transfer.amount_text} {transfer.denom.path}"
    if _is_forwarded(transfer):
        return f"{coins} went on from {b} and arrived at the end of the memo's route"
    return f"{transfer.receiver} received {coins} on {b}{at}"


def _back(a: str, history: History, transfer: TransferData | None) -> str:
    if transfer is None:
        return "." if history.is_ended else f". {a} has not been told: {_RELAY}."
    coins = f"{transfer.amount_text} {transfer.denom.path}"
    if history.is_ended:
        return f"; {coins} went back to {transfer.sender} on {a}."
    return f"; {coins} go back to {transfer.sender} on {a} once it is told: {_RELAY}."


def _is_forwarded(transfer: TransferData) -> bool:
    """Return whether the memo asks for packet forwarding, so that the receiver is not the last one."""
    try:
        return bool(read_hops(transfer.memo))
    except IbcError:
        return False
