"""Accounting of ICS-20 transfers against rate limits, reverted for transfers that fail in the same window.

Rate limits run before ICS-20 and check less (ibc-go's rules): an amount of zero or a blank receiver is
counted, and ICS-20 refuses the packet afterwards. Valid data comes from the cache of `packet_data.decode`.
"""

from collections.abc import Callable
from typing import NamedTuple

from pyibc.apps.rate_limit import state
from pyibc.apps.rate_limit.limit import RateLimit
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.denom import parse_denom
from pyibc.core.coin import parse_amount
from pyibc.core.errors import (
    DenomIsBlacklisted,
    IbcError,
    InvalidAcknowledgement,
    InvalidRateLimitPacket,
    InvalidSdkRequest,
    QuotaExceeded,
    RateLimitError,
    UnknownMessage,
)
from pyibc.core.host.context import WriteContext
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import SENTINEL, Payload
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


DENIED = "transfer_denied"
"""Type of the event of a refused transfer."""
EXCEEDED, BLACKLISTED = "rate_limit_exceeded", "blacklisted_denom"
"""Values of the event's attribute `reason`."""


def count_sent(ctx: WriteContext, info: PacketInfo, sequence: int) -> None:
    """Count coins that leave and mark the packet as pending, so that a refund can revert the count.

    Raises:
        DenomIsBlacklisted: the coin is blacklisted.
        QuotaExceeded: the quota of the window is exceeded.
        LogicFault: see `RateLimit.with_outflow`.
    """
    if _count(ctx, info, "packet_send", RateLimit.with_outflow):
        # guard: ratelimit-a-sent-packet-is-not-marked test_what_leaves_is_counted_and_marked
        state.add_pending_packet(ctx, _sent_prefix(info), sequence)


def count_received(ctx: WriteContext, info: PacketInfo, sequence: int) -> None:
    """Count coins that come in and mark the packet until it is acknowledged. Raises as `count_sent`."""
    if _count(ctx, info, "packet_recv", RateLimit.with_inflow):
        # guard: ratelimit-a-received-packet-is-not-marked test_a_packet_that_is_answered_later_stays_marked
        state.add_pending_packet(ctx, _received_prefix(info), sequence)


def _count(
    ctx: WriteContext, info: PacketInfo, action: str, counted: Callable[[RateLimit, int], RateLimit]
) -> bool:
    """Count the coins; return False if there is no limit or the address pair is whitelisted."""
    # guard: ratelimit-no-blacklist test_a_blacklisted_coin_goes_nowhere_with_or_without_a_limit
    if state.is_blacklisted(ctx, info.denom):
        error = DenomIsBlacklisted(info.denom)
        _emit_denied(ctx, info, action, BLACKLISTED, error)
        raise error
    limit = state.limit(ctx, info.denom, info.channel_or_client_id)
    # guard: ratelimit-no-whitelist drop:is_whitelisted test_a_transcript_is_followed_to_its_last_block
    if limit is None or state.is_whitelisted(ctx, info.sender, info.receiver):
        return False
    try:
        state.set_limit(ctx, counted(limit, info.amount))
    except QuotaExceeded as error:
        # guard: ratelimit-a-refusal-without-an-event test_quotas_of_a_client
        _emit_denied(ctx, info, action, EXCEEDED, error)
        raise
    return True


def _emit_denied(
    ctx: WriteContext, info: PacketInfo, action: str, reason: str, error: RateLimitError
) -> None:
    attributes = (
        ("module", state.STORE_NAME),
        ("reason", reason),
        ("action", action),
        ("denom", info.denom),
        ("channel_or_client", info.channel_or_client_id),
        ("amount", str(info.amount)),
        ("error", str(error)),
    )
    ctx.emit((DENIED, attributes))


def finish_sent(ctx: WriteContext, info: PacketInfo, sequence: int, *, arrived: bool) -> None:
    """Finish a sent packet: subtract coins that did not arrive if they were counted in this window.

    Raises:
        InvalidRateLimitChannel, InvalidRateLimitPacket: see `state.check_packet_key`.
    """
    prefix = _sent_prefix(info)
    # guard: ratelimit-what-arrived-is-taken-off drop:arrived test_coins_that_arrived_stay_counted
    limit = None if arrived else state.limit(ctx, info.denom, info.channel_or_client_id)
    if limit is not None:
        if not state.is_pending(ctx, prefix, sequence):
            # guard: ratelimit-packets-of-other-windows-are-taken-off drop
            #   test_a_transcript_is_followed_to_its_last_block
            return
        state.set_limit(ctx, limit.without_outflow(info.amount))
    state.remove_pending_packet(ctx, prefix, sequence)


def finish_received(ctx: WriteContext, info: PacketInfo, sequence: int, *, accepted: bool) -> None:
    """Finish a received packet: subtract refused coins if they were counted in this window.

    Raises:
        InvalidRateLimitChannel, InvalidRateLimitPacket: see `state.check_packet_key`.
    """
    prefix = _received_prefix(info)
    limit = None if accepted else state.limit(ctx, info.denom, info.channel_or_client_id)
    if limit is not None:
        if not state.is_pending(ctx, prefix, sequence):
            # guard: ratelimit-late-answers-of-other-windows-are-taken-off drop
            #   test_a_transcript_is_followed_to_its_last_block
            return
        state.set_limit(ctx, limit.without_inflow(info.amount))
    state.remove_pending_packet(ctx, prefix, sequence)


def _sent_prefix(info: PacketInfo) -> bytes:
    return state.packets_prefix(state.SENT, info.channel_or_client_id, info.denom)


def _received_prefix(info: PacketInfo) -> bytes:
    return state.packets_prefix(state.RECEIVED, info.channel_or_client_id, info.denom)


def has_arrived(acknowledgement: bytes) -> bool:
    """Return whether an acknowledgement reports success.

    Raises:
        UnknownMessage: it is not a standard acknowledgement.
        InvalidAcknowledgement: it has neither a result nor an error, or an empty result.
    """
    # guard: ratelimit-the-sentinel-is-no-refusal test_coins_of_a_client_that_come_back
    if acknowledgement == SENTINEL:
        return False
    answer = acks.parse(acknowledgement)
    if answer is None:
        raise UnknownMessage("the acknowledgement of a transfer cannot be read")
    if answer.error is not None:
        return False
    # guard: h182-an-empty-result-is-an-arrival drop
    #   test_h182_an_acknowledgement_that_says_nothing_is_for_ics_20_to_judge
    #   test_h182_an_acknowledgement_that_says_nothing_fails_its_message
    if not answer.result:
        raise InvalidAcknowledgement("neither a result nor an error")
    return True
