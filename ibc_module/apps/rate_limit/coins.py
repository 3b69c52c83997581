"""The coin of this chain that a packet moves, as ICS-20 sees it; None if its data is not a transfer."""

from ibc_core.errors import IbcError
from ibc_core.packet.types import Packet
from ibc_core.packet_v2.types import Payload
from ibc_module.apps.rate_limit.quota import Moved
from ibc_module.apps.transfer import encodings, packet_data
from ibc_module.apps.transfer.coins import came_over, voucher, without_first_hop
from ibc_module.apps.transfer.packet_data import TransferData


def sent(channel_id_on_a: str, data: bytes) -> Moved | None:
    """The coin that an IBC v1 packet moves out of this chain."""
    return _sent(channel_id_on_a, _read(data))


def received(packet: Packet) -> Moved | None:
    """The coin that an IBC v1 packet moves into this chain."""
    on_a, on_b = (
        (packet.port_id_on_a, packet.channel_id_on_a),
        (packet.port_id_on_b, packet.channel_id_on_b),
    )
    return _received(on_a, on_b, _read(packet.data))


def sent_v2(client_id_on_a: str, payload: Payload) -> Moved | None:
    """The coin that an IBC v2 payload moves out of this chain."""
    return _sent(client_id_on_a, _read_payload(payload))


def received_v2(client_id_on_a: str, client_id_on_b: str, payload: Payload) -> Moved | None:
    """The coin that an IBC v2 payload moves into this chain."""
    on_a, on_b = (payload.port_id_on_a, client_id_on_a), (payload.port_id_on_b, client_id_on_b)
    return _received(on_a, on_b, _read_payload(payload))


def _sent(end_on_a: str, data: TransferData | None) -> Moved | None:
    return None if data is None else Moved(end_on_a, data.denom.coin_denom, data.amount)


def _received(on_a: tuple[str, str], on_b: tuple[str, str], data: TransferData | None) -> Moved | None:
    if data is None:
        return None
    home = came_over(data.denom, *on_a)
    here = without_first_hop(data.denom) if home else voucher(data.denom, *on_b)
    return Moved(on_b[1], here.coin_denom, data.amount)


def _read(data: bytes) -> TransferData | None:
    try:
        return packet_data.decode(data)
    except IbcError:
        return None  # ICS-20 below says what is wrong with it


def _read_payload(payload: Payload) -> TransferData | None:
    try:
        return encodings.decode(payload)
    except IbcError:
        return None
