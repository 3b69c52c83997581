"""History of one packet on both chains: from state what is true, from events when it happened and why.

Nodes may have no event index, or may have pruned the blocks; then heights, data and error texts are missing,
but not the fate of the packet.
"""

from enum import Enum
from itertools import takewhile
from typing import NamedTuple

from pyibc.core import paths
from pyibc.core.channel.events import CALLBACK_ERROR_PREFIX
from pyibc.core.host.block import Event, tx_hash
from pyibc.core.packet import events as kinds
from pyibc.core.packet import types as v1
from pyibc.core.packet.acknowledgement import parse, success
from pyibc.core.packet.events import PACKET_EVENTS, WRITE_ACKNOWLEDGEMENT
from pyibc.core.packet_v2 import types as v2
from pyibc.core.packet_v2.types import decode_acknowledgement
from pyibc.proto.ibc.core.channel.v2 import query_pb2 as pb
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.grpc_query import ask, malformed, read_of
from pyibc.relayer.chain.values import Tip, height_on
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.packets.packets import (
    AnyPacket,
    AnyPacketEvent,
    acknowledgement_key_of,
    commitment_key_of,
    commitment_of,
    elapsed,
    name_on_a,
    name_on_b,
    readable_events,
    receipt_key_of,
)
from pyibc.relayer.paths.path import EndName

_NEXT_SEND_V2 = "/ibc.core.channel.v2.Query/NextSequenceSend"


class Route(NamedTuple):
    """Ends of a packet and its sequence."""

    on_a: EndName
    on_b: EndName
    sequence: int
    is_ordered: bool

    @property
    def is_v2(self) -> bool:
        """True over a pair of clients."""
        return len(self.on_a) == 1


class Fate(Enum):
    """Stage or end of a packet's life."""

    NOT_SENT = "not sent"
    PENDING = "pending"  # may still be received
    EXPIRED = "expired"  # can no longer be received; chain a has not been told
    RECEIVED = "received"  # the application on b has not acknowledged it yet
    ANSWERED = "acknowledged"  # with an acknowledgement that the nodes do not tell, or not a standard one
    DELIVERED = "delivered"  # acknowledged with success
    REFUSED = "refused"  # acknowledged with an error
    TIMED_OUT = "timed out"
    UNKNOWN = "unknown"  # chain a has deleted the commitment; the nodes do not tell whether b received it


class Sighting(NamedTuple):
    """Packet event in a block."""

    height: int
    tx: str  # hash of the transaction; "" for an event of the block itself
    event: AnyPacketEvent
    following: tuple[Event, ...]  # events after it, up to the next packet event: those of the application


class History(NamedTuple):
    """Fate and events of a packet. An event is None if it did not happen, or if the node does not tell it."""

    fate: Fate
    is_ended: bool = False  # chain a has deleted the commitment: nothing is left to relay
    packet: AnyPacket | None = None
    error: str = ""  # of an error acknowledgement
    sent: Sighting | None = None
    received: Sighting | None = None
    written: Sighting | None = None
    acknowledged: Sighting | None = None
    timed_out: Sighting | None = None


class _State(NamedTuple):
    """Entries of the chains' states about a packet."""

    commitment: bytes | None
    is_received: bool
    acknowledgement: bytes | None  # its commitment


def history_of(a: ChainEndpoint, b: ChainEndpoint, route: Route) -> History:
    """Return the history of a packet from `a` to `b`.

    Raises:
        EndpointUnavailable: a chain does not answer.
        EndpointRefused: a chain refuses a query of state.
        MalformedAnswer: an answer cannot be decoded, or contradicts the chain's state.
    """
    # in this order, a packet that moves in between is seen at the earlier stage; b's tip is no later than its
    # state, so that a packet that the tip's time has expired cannot have been received since
    tip = b.tip()
    if route.sequence >= _next_sequence(a, route):
        return History(Fate.NOT_SENT)
    commitment = a.get(commitment_key_of(route.on_a, route.sequence))
    is_received = _is_received(b, route)
    state = _State(commitment, is_received, b.get(acknowledgement_key_of(route.on_b, route.sequence)))
    is_ended = state.commitment is None
    sent = _sighting(a, kinds.SEND_PACKET, route)
    received = _sighting(b, kinds.RECV_PACKET, route) if state.is_received else None
    written = _sighting(b, WRITE_ACKNOWLEDGEMENT, route) if state.acknowledgement else None
    acknowledged = _sighting(a, kinds.ACKNOWLEDGE_PACKET, route) if is_ended else None
    timed_out = _sighting(a, kinds.TIMEOUT_PACKET, route) if is_ended and acknowledged is None else None
    packet = _packet(a, state, sent, received)
    fate, error = _fate(b, tip, route, state, written, packet)
    if is_ended:
        fate = _last(fate, acknowledged, timed_out)
    if fate is Fate.REFUSED and received is not None:
        error = _reason(received) or error
    return History(fate, is_ended, packet, error, sent, received, written, acknowledged, timed_out)


def _fate(
    b: ChainEndpoint,
    tip: Tip,
    route: Route,
    state: _State,
    written: Sighting | None,
    packet: AnyPacket | None,
) -> tuple[Fate, str]:
    """Return the fate by chain b, and the text of an error acknowledgement."""
    if state.acknowledgement is not None:
        return _answer(b, route, state.acknowledgement, written)
    if state.is_received:
        return Fate.RECEIVED, ""
    if packet is not None and elapsed(packet, height_on(b.chain_id, tip.height), tip.time_ns):
        return Fate.EXPIRED, ""
    return Fate.PENDING, ""


def _last(on_b: Fate, acknowledged: Sighting | None, timed_out: Sighting | None) -> Fate:
    """Return the fate of a packet that has ended on chain a; `on_b` is the fate by chain b.

    The node of chain b may lag behind: that it has no receipt proves no timeout.
    """
    if on_b is Fate.RECEIVED or (acknowledged is not None and on_b in {Fate.PENDING, Fate.EXPIRED}):
        return Fate.ANSWERED
    if on_b is Fate.EXPIRED or (timed_out is not None and on_b is Fate.PENDING):
        return Fate.TIMED_OUT
    # guard: a-node-that-lags-proves-a-timeout drop
    #   test_a_packet_that_ended_without_a_trace_on_either_chain_is_not_told_as_timed_out
    if on_b is Fate.PENDING:
        return Fate.UNKNOWN
    return on_b


def _answer(b: ChainEndpoint, route: Route, commitment: bytes, written: Sighting | None) -> tuple[Fate, str]:
    """Return the fate of an acknowledged packet; without the event by the commitment, if it is of success."""
    if written is None:
        known = v2.acknowledgement_commitment((success(),)) if route.is_v2 else None
        is_success = commitment == (known or v1.acknowledgement_commitment(success()))
        return (Fate.DELIVERED if is_success else Fate.ANSWERED), ""
    raw = written.event.acknowledgement
    if route.is_v2:
        entries = read_of(b, WRITE_ACKNOWLEDGEMENT, lambda: decode_acknowledgement(raw))
        found = v2.acknowledgement_commitment(entries)
    else:
        entries, found = (raw,), v1.acknowledgement_commitment(raw)
    # guard: an-acknowledgement-that-the-chain-has-not-written-is-believed drop
    #   test_an_acknowledgement_other_than_the_committed_one_is_malformed
    if found != commitment:
        raise malformed(b, "packet events", "the event's acknowledgement is not the committed one")
    if entries == (v2.SENTINEL,):
        return Fate.REFUSED, ""
    parsed = [parse(each) for each in entries]
    errors = [each.error for each in parsed if each is not None and each.error is not None]
    if errors:
        return Fate.REFUSED, errors[0]
    return (Fate.DELIVERED if all(each and each.success for each in parsed) else Fate.ANSWERED), ""


def _packet(
    a: ChainEndpoint, state: _State, sent: Sighting | None, received: Sighting | None
) -> AnyPacket | None:
    seen = sent or received
    if seen is None:
        return None
    packet = seen.event.packet
    # guard: a-packet-that-the-chain-has-not-sent-is-believed drop
    #   test_a_packet_other_than_the_committed_one_is_malformed
    if state.commitment is not None and commitment_of(packet) != state.commitment:
        raise malformed(a, "packet events", "the event's packet is not the committed one")
    return packet


def _reason(received: Sighting) -> str:
    """Return the error that the application emitted, which is more than the acknowledgement may have."""
    pairs = (pair for _, pairs in received.following for pair in pairs)
    return next((text for key, text in pairs if key.removeprefix(CALLBACK_ERROR_PREFIX) == "error"), "")


# -- state


def _next_sequence(a: ChainEndpoint, route: Route) -> int:
    if route.is_v2:
        request = pb.QueryNextSequenceSendRequest(client_id=route.on_a[0])
        return ask(a, _NEXT_SEND_V2, request, pb.QueryNextSequenceSendResponse).next_sequence_send
    port_id, channel_id = route.on_a
    return int.from_bytes(a.get(paths.next_sequence_send_path(port_id, channel_id)) or b"", "big")


def _is_received(b: ChainEndpoint, route: Route) -> bool:
    if route.is_ordered:
        port_id, channel_id = route.on_b
        expected = b.get(paths.next_sequence_recv_path(port_id, channel_id)) or b""
        # guard: the-next-packet-counts-as-received {> => >=}
        #   test_a_packet_of_an_ordered_channel_is_received_once_the_next_one_is_expected
        return int.from_bytes(expected, "big") > route.sequence
    return b.get(receipt_key_of(route.on_b, route.sequence)) is not None


# -- events


def _sighting(chain: ChainEndpoint, kind: str, route: Route) -> Sighting | None:
    """Return a packet event; None: the node's index or its blocks do not have it."""
    key = kind, route.on_a, route.sequence
    find = chain.extras.find
    height = None if find is None else find(key, route.on_b)
    if height is None:
        return None
    try:
        block = chain.block(height)
    except EndpointRefused:  # pruned
        return None
    listed = [(tx_hash(each.tx).hex().upper(), each.events) for each in block.txs if each.code == 0]
    for tx, events in (*listed, ("", block.block_events)):
        for number, event in enumerate(events):
            observed = next(readable_events([event]), None)
            if observed is not None and _is_of(observed, kind, route):
                # guard: the-error-of-another-packet-is-shown {each[0] not in PACKET_EVENTS => True}
                #   test_the_error_of_another_packet_in_the_transaction_is_not_its_own
                later = takewhile(lambda each: each[0] not in PACKET_EVENTS, events[number + 1 :])
                return Sighting(height, tx, observed, tuple(later))
    return None


def _is_of(observed: AnyPacketEvent, kind: str, route: Route) -> bool:
    packet = observed.packet
    ends = name_on_a(packet), name_on_b(packet)
    return (observed.kind, *ends, packet.sequence) == (kind, route.on_a, route.on_b, route.sequence)
