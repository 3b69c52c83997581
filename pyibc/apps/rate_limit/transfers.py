"""Transfers as rate limits see them: the coin of this chain that an ICS-20 packet moves (ibc-go's rules).

Rate limits run before ICS-20 and check less: an amount of zero or a blank receiver is counted, and ICS-20
refuses the packet afterwards. Valid data comes from the cache of `packet_data.decode`.
"""

from typing import NamedTuple

from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.denom import parse_denom
from pyibc.core.coin import parse_amount
from pyibc.core.errors import IbcError, InvalidRateLimitPacket, InvalidSdkRequest
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import Payload
from pyibc.core.value import sealed

_IBC = "ibc/"
_Read = tuple[str, int, str, str]
"""Denomination's path as in the packet, amount, sender, receiver."""
_End = tuple[str, str]
"""Port, and channel or client."""


@sealed
class PacketInfo(NamedTuple):
    """Transfer over one of this chain's channels or clients (ibc-go's RateLimitedPacketInfo)."""

    channel_or_client_id: str
    denom: str  # bank's name of the coin on this chain; unchecked
    amount: int
    sender: str
    receiver: str


def sent(channel_id_on_a: str, data: bytes) -> PacketInfo:
    """Return the transfer of an IBC v1 packet that this chain sends.

    Raises:
        InvalidType: `data` is not a transfer.
        InvalidSdkRequest: the amount is not a number.
    """
    return _sent(channel_id_on_a, _read(data))


def received(packet: Packet) -> PacketInfo:
    """Return the transfer of an IBC v1 packet that this chain receives. Raises as `sent`."""
    on_a, on_b = (
        (packet.port_id_on_a, packet.channel_id_on_a),
        (packet.port_id_on_b, packet.channel_id_on_b),
    )
    return _received(on_a, on_b, _read(packet.data))


def sent_v2(client_id_on_a: str, payload: Payload) -> PacketInfo:
    """Return the transfer of an IBC v2 payload that this chain sends.

    Raises:
        InvalidRateLimitPacket: the version is not ics20-1.
        IbcError: it is not a transfer (`packet_data.decode_payload`).
    """
    return _sent(client_id_on_a, _read_payload(payload))


def received_v2(client_id_on_a: str, client_id_on_b: str, payload: Payload) -> PacketInfo:
    """Return the transfer of an IBC v2 payload that this chain receives. Raises as `sent_v2`."""
    on_a, on_b = (payload.port_id_on_a, client_id_on_a), (payload.port_id_on_b, client_id_on_b)
    return _received(on_a, on_b, _read_payload(payload))


def _sent(end_on_a: str, found: _Read) -> PacketInfo:
    path, amount, sender, receiver = found
    # guard: ratelimit-ibc-names-are-read-as-hops drop:startswith
    #   test_the_names_that_coins_are_counted_by_as_they_leave
    denom = path if path.startswith(_IBC) else parse_denom(path).coin_denom
    return PacketInfo(end_on_a, denom, amount, sender, receiver)


def _received(on_a: _End, on_b: _End, found: _Read) -> PacketInfo:
    path, amount, sender, receiver = found
    source_prefix = f"{on_a[0]}/{on_a[1]}/"
    # guard: ratelimit-coins-come-home-under-another-name drop:startswith
    #   test_the_names_that_coins_are_counted_by_as_they_come_in
    #   test_what_comes_home_beyond_the_quota_is_refunded_where_it_was
    local_path = (
        path[len(source_prefix) :] if path.startswith(source_prefix) else f"{on_b[0]}/{on_b[1]}/{path}"
    )
    return PacketInfo(on_b[1], parse_denom(local_path).coin_denom, amount, sender, receiver)


def _read(data: bytes) -> _Read:
    try:
        known = packet_data.decode(data)
    except IbcError:
        return _read_unchecked(data)
    return known.denom.path, known.amount, known.sender, known.receiver


def _read_unchecked(data: bytes) -> _Read:
    fields = packet_data.read_fields(data)
    amount = parse_amount(fields.amount)
    if amount is None:
        raise InvalidSdkRequest(f"amount {fields.amount[:100]!a}")
    return fields.denom, amount, fields.sender, fields.receiver


def _read_payload(payload: Payload) -> _Read:
    # guard: ratelimit-another-version-is-read test_what_is_no_transfer_is_refused_here
    #   test_a_late_answer_to_what_is_no_transfer
    if payload.version != packet_data.VERSION:
        raise InvalidRateLimitPacket(f"version {payload.version[:64]!a}, not {packet_data.VERSION}")
    known = packet_data.decode_payload(payload)
    return known.denom.path, known.amount, known.sender, known.receiver
