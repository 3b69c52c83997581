"""The coin of this chain that a packet of ICS-20 moves, read as ibc-go's rate limits read it.

They see a packet before ICS-20 does and check less: an amount of zero or a blank receiver is counted, and
ICS-20 below refuses it. Where both agree, `packet_data.decode` remembers what it read.
"""

from typing import NamedTuple

from ibc_core.coin import parse_amount
from ibc_core.errors import IbcError, InvalidRateLimitPacket, InvalidSdkRequest
from ibc_core.packet.types import Packet
from ibc_core.packet_v2.types import Payload
from ibc_core.transfer.denom import parse_denom
from ibc_core.value import sealed
from ibc_module.apps.transfer import encodings, packet_data
from ibc_module.apps.transfer import state as transfer_state

_IBC = "ibc/"
_Read = tuple[str, int, str, str]
"""Path of the denomination as in the packet, amount, sender, receiver."""
_End = tuple[str, str]
"""A port, and a channel or client."""


@sealed
class Moved(NamedTuple):
    """Coins that one packet moves over one of this chain's channels or clients."""

    channel_or_client_id: str
    denom: str  # the coin's name on this chain; anything that another chain wrote
    amount: int
    sender: str
    receiver: str


def sent(channel_id_on_a: str, data: bytes) -> Moved:
    """What an IBC v1 packet moves out of this chain.

    Raises:
        InvalidType: `data` is no transfer's.
        InvalidSdkRequest: its amount is no number.
    """
    return _sent(channel_id_on_a, _read(data))


def received(packet: Packet) -> Moved:
    """What an IBC v1 packet moves into this chain; raises as `sent`."""
    on_a, on_b = (
        (packet.port_id_on_a, packet.channel_id_on_a),
        (packet.port_id_on_b, packet.channel_id_on_b),
    )
    return _received(on_a, on_b, _read(packet.data))


def sent_v2(client_id_on_a: str, payload: Payload) -> Moved:
    """What an IBC v2 payload moves out of this chain.

    Raises:
        InvalidRateLimitPacket: it is of another version than ics20-1.
        IbcError: it is no transfer, as ICS-20 says (`encodings.decode`).
    """
    return _sent(client_id_on_a, _read_payload(payload))


def received_v2(client_id_on_a: str, client_id_on_b: str, payload: Payload) -> Moved:
    """What an IBC v2 payload moves into this chain; raises as `sent_v2`."""
    on_a, on_b = (payload.port_id_on_a, client_id_on_a), (payload.port_id_on_b, client_id_on_b)
    return _received(on_a, on_b, _read_payload(payload))


def _sent(end_on_a: str, found: _Read) -> Moved:
    path, amount, sender, receiver = found
    # guard: ratelimit-ibc-names-are-read-as-hops drop:startswith
    #   test_the_names_that_coins_are_counted_by_as_they_leave
    denom = path if path.startswith(_IBC) else parse_denom(path).coin_denom
    return Moved(end_on_a, denom, amount, sender, receiver)


def _received(on_a: _End, on_b: _End, found: _Read) -> Moved:
    path, amount, sender, receiver = found
    left = f"{on_a[0]}/{on_a[1]}/"
    # guard: ratelimit-coins-come-home-under-another-name drop:startswith
    #   test_the_names_that_coins_are_counted_by_as_they_come_in
    #   test_what_comes_home_beyond_the_quota_is_refunded_where_it_was
    here = path[len(left) :] if path.startswith(left) else f"{on_b[0]}/{on_b[1]}/{path}"
    return Moved(on_b[1], parse_denom(here).coin_denom, amount, sender, receiver)


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
    if payload.version != transfer_state.VERSION:
        raise InvalidRateLimitPacket(f"version {payload.version[:64]!a}, not {transfer_state.VERSION}")
    known = encodings.decode(payload)
    return known.denom.path, known.amount, known.sender, known.receiver
