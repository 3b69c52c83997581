"""Extraction of packet events from a block, with their relayers.

Events of failed transactions are ignored. So are events of reverted application callbacks. Since the middle
of 2023, ibc-go prefixes the types of such events with `ibccallbackerror-`. Before, it emitted them
unchanged between the receive and the error acknowledgement, although it discarded the writes
(`undone_events`).
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeGuard

from pyibc.apps.transfer.packet_data import PORT_ID as TRANSFER_PORT
from pyibc.core.host.block import Attribute, Event
from pyibc.indexer.blocks.block import Block, Tx
from pyibc.indexer.errors import MalformedPacketEvent
from pyibc.indexer.events.acks import ERROR, AckResult, acknowledgements, classify_attributes
from pyibc.indexer.events.ics20 import Transfer, checked, refund_of
from pyibc.indexer.events.packet_facts import (
    ACK,
    RECV,
    SEND,
    TIMEOUT,
    TIMEOUT_NAMES,
    WRITE_ACK,
    PacketFacts,
    facts_of,
)
from pyibc.indexer.events.queue import QUEUE_TYPES, steps_of

CHANNEL_TYPES = frozenset({SEND, RECV, WRITE_ACK, ACK, *TIMEOUT_NAMES})
PACKET_TYPES = CHANNEL_TYPES | QUEUE_TYPES


def undone_events(events: Sequence[Event], kinds: Collection[str]) -> frozenset[int]:
    """Return the indices of a transaction's events of `kinds` that did not take effect.

    These are all events between a packet's receive and its error acknowledgement in the same message. A
    message begins with an event `message` with an `action`, and its events may have a `msg_index`.
    """
    present = [kind for kind, _ in events]
    if RECV not in present or WRITE_ACK not in present:
        return frozenset()  # as in most transactions
    undone = list[int]()
    received: _Receive | None = None  # the last one in the message
    since = list[int]()  # the events of `kinds` after that receive
    for index, (kind, attributes) in enumerate(events):
        if kind == RECV:
            received, since = _Receive(attributes), []
        elif received is None:
            continue
        elif kind == "message" and any(key == "action" for key, _ in attributes):
            received = None
        elif kind == WRITE_ACK and since and received.is_refused_by(dict(attributes)):
            undone += since
            received = None
        elif kind in kinds:
            since.append(index)
    return frozenset(undone)


class _Receive:
    """The receive of a packet, which is decoded once, however many acknowledgements follow."""

    def __init__(self, attributes: tuple[Attribute, ...]) -> None:
        self._received = attributes

    @cached_property
    def _attributes(self) -> dict[str, str]:
        return dict(self._received)

    @cached_property
    def _packet(self) -> tuple[object, ...] | None:
        try:
            return facts_of(RECV, self._attributes)[:6]
        except MalformedPacketEvent:
            return None

    def is_refused_by(self, written: dict[str, str]) -> bool:
        """Return whether an acknowledgement is an error, of this packet and in the same message."""
        if written.get("msg_index") != self._attributes.get("msg_index") or self._packet is None:
            return False
        try:
            answered = facts_of(WRITE_ACK, written)
        except MalformedPacketEvent:
            return False
        return answered[:6] == self._packet and answered.ack is not None and answered.ack.status == ERROR


class PacketEvent(NamedTuple):
    """Packet event of a block."""

    tx_index: int  # -1: block event
    event_index: int
    tx_hash: str
    type: str  # SEND, RECV, WRITE_ACK, ACK or TIMEOUT
    facts: PacketFacts
    relayer: str  # signer of the transaction
    message: str = ""  # `msg_index`, if the event has it


class Malformed(NamedTuple):
    """Packet event that could not be decoded."""

    tx_index: int
    event_index: int
    reason: str


def packet_events(block: Block) -> Iterator[PacketEvent | Malformed]:
    """Yield the packet events of `block`, in order."""
    yield from _walk(block.block_events, -1, Tx("", 0, block.block_events))
    for index, tx in enumerate(block.txs):
        if tx.code == 0:
            yield from _walk(tx.events, index, tx)


def _walk(events: tuple[Event, ...], tx_index: int, tx: Tx) -> list[PacketEvent | Malformed]:
    walker = _Walker(tx_index, tx)
    undone = undone_events(events, PACKET_TYPES)
    # guard: h4-indexer-counts-undone-events {enumerate(events) =>
    #   enumerate((kind.removeprefix("ibccallbackerror-"), [(key.removeprefix("ibccallbackerror-"), value) for
    #   key, value in pairs]) for kind, pairs in events)} test_h4_the_indexer_counts_no_undone_event
    for index, (kind, attributes) in enumerate(events):
        if index in undone:
            continue
        if kind in CHANNEL_TYPES:
            walker.packet(index, kind, dict(attributes))
        elif kind in QUEUE_TYPES:
            walker.queue(index, kind, dict(attributes))
        elif kind == "fungible_token_packet":
            walker.token(dict(attributes))
        elif kind == "timeout":
            walker.refund(dict(attributes))
    return walker.done()


class _Walker:
    """Reader of a transaction's events that matches application events to packet events.

    The application event follows the packet event of the same message, except for timeouts before ibc-go v8.
    Messages are distinguished by `msg_index`, if events have it.
    """

    def __init__(self, tx_index: int, tx: Tx) -> None:
        self._tx_index = tx_index
        self._tx = tx
        self._found: list[PacketEvent | Malformed] = []
        self._last: dict[str, int] = {}  # message -> index of its last packet event
        self._refund: dict[str, Transfer | None] = {}  # message -> refund before its timeout event
        self._relayer: str | None = None
        self._has_acks = False  # acknowledged packets

    def packet(self, index: int, kind: str, found: dict[str, str]) -> None:
        """Process a packet event."""
        try:
            facts = facts_of(kind, found)
        except MalformedPacketEvent as error:
            self._found.append(Malformed(self._tx_index, index, error.reason))
            return
        message = found.get("msg_index", "")
        self._has_acks |= kind == ACK
        if kind in TIMEOUT_NAMES:
            kind = TIMEOUT
            if _is_transfer(facts):
                facts = _with_transfer(facts, self._refund.pop(message, None))
        self._last[message] = len(self._found)
        relayer = "" if kind == SEND else self._signer()
        self._found.append(PacketEvent(self._tx_index, index, self._tx.hash, kind, facts, relayer, message))

    def queue(self, index: int, kind: str, found: dict[str, str]) -> None:
        """Process an event of the queue protocol, which stands for up to two steps of a packet."""
        try:
            steps = steps_of(kind, found)
        except MalformedPacketEvent as error:
            self._found.append(Malformed(self._tx_index, index, error.reason))
            return
        for step, facts in steps:
            relayer = "" if step == SEND else self._signer()
            self._found.append(PacketEvent(self._tx_index, index, self._tx.hash, step, facts, relayer))

    def token(self, found: dict[str, str]) -> None:
        """Process an ICS-20 event, which on the sending chain contains the acknowledgement."""
        event = self._last_event(found, ACK)
        if event is None or not _is_transfer(event.facts):
            return
        facts = _with_transfer(event.facts, _transfer_in(found))
        ack = _worse(facts.ack, classify_attributes(found))
        self._set(found, event, facts._replace(ack=ack))

    def refund(self, found: dict[str, str]) -> None:
        """Process an ICS-20 `timeout` event, before or after the packet event."""
        event = self._last_event(found, TIMEOUT)
        if event is None or event.facts.transfer is not None or not _is_transfer(event.facts):
            self._refund[found.get("msg_index", "")] = refund_of(found)
        else:
            self._set(found, event, _with_transfer(event.facts, refund_of(found)))

    def done(self) -> list[PacketEvent | Malformed]:
        """Return the packet events; acknowledgements that are not in events are read from the messages."""
        if self._has_acks and any(map(_is_unexplained, self._found)):
            known = acknowledgements(self._tx)
            self._found = [_explained(event, known) for event in self._found]
        return self._found

    def _last_event(self, found: dict[str, str], kind: str) -> PacketEvent | None:
        place = self._last.get(found.get("msg_index", ""))
        event = self._found[place] if place is not None else None
        return event if isinstance(event, PacketEvent) and event.type == kind else None

    def _set(self, found: dict[str, str], event: PacketEvent, facts: PacketFacts) -> None:
        self._found[self._last[found.get("msg_index", "")]] = event._replace(facts=facts)

    def _signer(self) -> str:
        if self._relayer is None:
            self._relayer = signer_of(self._tx)
        return self._relayer


def _is_transfer(facts: PacketFacts) -> bool:
    """Return whether ICS-20 events may be of a packet: by its data, or by its port if that is not known."""
    return facts.src_port == TRANSFER_PORT if facts.data_digest is None else bool(facts.transfers)


def _with_transfer(facts: PacketFacts, transfer: Transfer | None) -> PacketFacts:
    """Return the packet with the transfer of an ICS-20 event, unless its own data is known."""
    if facts.transfer is not None or facts.data_digest is not None:
        return facts
    return facts._replace(transfer=transfer)


def _transfer_in(found: dict[str, str]) -> Transfer | None:
    """Return the transfer in an ICS-20 event."""
    parts = (found.get(part, "") for part in ("sender", "receiver", "memo"))
    return checked(found.get("denom"), found.get("amount"), *parts)


def signer_of(tx: Tx) -> str:
    """Return the signer of `tx`, from its JSON, `tx.acc_seq`, `tx.fee_payer` or first `message.sender`."""
    if tx.signer:
        return tx.signer
    sequence = payer = sender = ""
    for kind, attributes in tx.events:
        if kind == "tx":
            for key, value in attributes:
                if key == "acc_seq":
                    sequence = sequence or value
                    if signer := sequence.partition("/")[0]:
                        return signer
                elif key == "fee_payer":
                    payer = payer or value
        elif kind == "message" and not sender:
            sender = next((value for key, value in attributes if key == "sender" and value), "")
    return payer or sender


def _worse(one: AckResult | None, other: AckResult | None) -> AckResult | None:
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda ack: (ack.status == "error", len(ack.detail)))


def _is_unexplained(event: PacketEvent | Malformed) -> TypeGuard[PacketEvent]:
    return isinstance(event, PacketEvent) and event.type == ACK and event.facts.ack is None


def _explained(
    event: PacketEvent | Malformed, known: dict[tuple[str, str, int], AckResult]
) -> PacketEvent | Malformed:
    if not _is_unexplained(event):
        return event
    facts = event.facts
    ack = known.get((facts.src_port, facts.src_channel, facts.sequence))
    return event if ack is None else event._replace(facts=facts._replace(ack=ack))
