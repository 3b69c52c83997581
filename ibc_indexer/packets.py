"""Packet events out of a block: who sent, received, acknowledged, timed out which packet, relayed by whom.

Events of failed transactions do not count. Events whose type begins with `ibccallbackerror-` tell of an
application's work that was undone; their type is no packet event's, so they do not count either.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ibc_core.host.events import Event
from ibc_indexer.acks import AckResult, acknowledgements, classify_attributes
from ibc_indexer.blocks import Block, Tx
from ibc_indexer.errors import MalformedPacketEvent
from ibc_indexer.ics20 import Transfer, checked, refund_of
from ibc_indexer.packet_facts import (
    ACK,
    RECV,
    SEND,
    TIMEOUT,
    TIMEOUT_NAMES,
    WRITE_ACK,
    PacketFacts,
    facts_of,
)
from ibc_indexer.queue.facts import QUEUE_TYPES, steps_of

CHANNEL_TYPES = frozenset({SEND, RECV, WRITE_ACK, ACK, *TIMEOUT_NAMES})
PACKET_TYPES = CHANNEL_TYPES | QUEUE_TYPES


class PacketEvent(NamedTuple):
    """One packet event of one block."""

    tx_index: int  # -1: of the block itself
    event_index: int
    tx_hash: str
    type: str  # one of SEND, RECV, WRITE_ACK, ACK, TIMEOUT
    facts: PacketFacts
    relayer: str  # who signed the transaction
    message: str = ""  # `msg_index`, where the chain tells it


class Malformed(NamedTuple):
    """A packet event that could not be read."""

    tx_index: int
    event_index: int
    reason: str


def packet_events(block: Block) -> Iterator[PacketEvent | Malformed]:
    """The packet events of `block`, in order."""
    yield from _walk(block.block_events, -1, Tx("", 0, block.block_events))
    for index, tx in enumerate(block.txs):
        if tx.code == 0:
            yield from _walk(tx.events, index, tx)


def _walk(events: tuple[Event, ...], tx_index: int, tx: Tx) -> list[PacketEvent | Malformed]:
    walker = _Walker(tx_index, tx)
    # guard: h4-indexer-counts-undone-events {enumerate(events) =>
    #   enumerate((kind.removeprefix("ibccallbackerror-"), [(key.removeprefix("ibccallbackerror-"), value) for
    #   key, value in pairs]) for kind, pairs in events)} test_h4_the_indexer_counts_no_undone_event
    for index, (kind, attributes) in enumerate(events):
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
    """Goes through a transaction's events; knows which packet an application's event is about.

    The application's event follows the packet's within one message, but for a timeout's before ibc-go v8.
    Messages are told apart by `msg_index` where there is one.
    """

    def __init__(self, tx_index: int, tx: Tx) -> None:
        self._tx_index = tx_index
        self._tx = tx
        self._found: list[PacketEvent | Malformed] = []
        self._last: dict[str, int] = {}  # message -> its last packet event
        self._refund: dict[str, Transfer | None] = {}  # message -> a refund seen before its timeout
        self._relayer: str | None = None

    def packet(self, index: int, kind: str, found: dict[str, str]) -> None:
        """Takes a packet event."""
        try:
            facts = facts_of(kind, found)
        except MalformedPacketEvent as error:
            self._found.append(Malformed(self._tx_index, index, error.reason))
            return
        message = found.get("msg_index", "")
        if kind in TIMEOUT_NAMES:
            kind = TIMEOUT
            facts = facts._replace(transfer=self._refund.pop(message, None))
        self._last[message] = len(self._found)
        relayer = "" if kind == SEND else self._signer()
        self._found.append(PacketEvent(self._tx_index, index, self._tx.hash, kind, facts, relayer, message))

    def queue(self, index: int, kind: str, found: dict[str, str]) -> None:
        """Takes an event of the queue protocol, which tells one step of a packet's life, two, or none."""
        try:
            steps = steps_of(kind, found)
        except MalformedPacketEvent as error:
            self._found.append(Malformed(self._tx_index, index, error.reason))
            return
        for step, facts in steps:
            relayer = "" if step == SEND else self._signer()
            self._found.append(PacketEvent(self._tx_index, index, self._tx.hash, step, facts, relayer))

    def token(self, found: dict[str, str]) -> None:
        """Takes ICS-20's event: at the sender it says what the acknowledgement was."""
        event = self._last_event(found, ACK)
        if event is None:
            return
        transfer = event.facts.transfer or _told(found)
        ack = _worse(event.facts.ack, classify_attributes(found))
        self._set(found, event, event.facts._replace(transfer=transfer, ack=ack))

    def refund(self, found: dict[str, str]) -> None:
        """Takes ICS-20's `timeout` event, before or after the packet's."""
        event = self._last_event(found, TIMEOUT)
        if event is None or event.facts.transfer is not None:
            self._refund[found.get("msg_index", "")] = refund_of(found)
        else:
            self._set(found, event, event.facts._replace(transfer=refund_of(found)))

    def done(self) -> list[PacketEvent | Malformed]:
        """The packet events; acknowledgements that no event explains are read from the messages."""
        if any(isinstance(e, PacketEvent) and e.type == ACK and e.facts.ack is None for e in self._found):
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


def _told(found: dict[str, str]) -> Transfer | None:
    """The transfer that ICS-20's event tells of."""
    parts = (found.get(part, "") for part in ("sender", "receiver", "memo"))
    return checked(found.get("denom"), found.get("amount"), *parts)


def signer_of(tx: Tx) -> str:
    """The address that signed `tx`: by `tx.acc_seq`, `tx.fee_payer`, its JSON, its first `message.sender`."""
    if tx.signer:
        return tx.signer
    named = {"acc_seq": "", "fee_payer": "", "sender": ""}
    for kind, attributes in tx.events:
        if kind in {"tx", "message"}:
            for key, value in attributes:
                if key in named and not named[key] and (key == "sender") == (kind == "message"):
                    named[key] = value
    return named["acc_seq"].partition("/")[0] or named["fee_payer"] or named["sender"]


def _worse(one: AckResult | None, other: AckResult | None) -> AckResult | None:
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda ack: (ack.status == "error", len(ack.detail)))


def _explained(
    event: PacketEvent | Malformed, known: dict[tuple[str, str, int], AckResult]
) -> PacketEvent | Malformed:
    if not isinstance(event, PacketEvent) or event.type != ACK or event.facts.ack is not None:
        return event
    facts = event.facts
    ack = known.get((facts.src_port, facts.src_channel, facts.sequence))
    return event._replace(facts=facts._replace(ack=ack))
