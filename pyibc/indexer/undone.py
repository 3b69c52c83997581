"""Events of receives that an error acknowledgement undid, in chains that do not mark them.

Since the middle of 2023, ibc-go prefixes the types of such events with `ibccallbackerror-`. Before, it
emitted them unchanged between the receive and the error acknowledgement, although it discarded the writes.
"""

from collections.abc import Collection, Sequence
from functools import cached_property

from pyibc.core.host.block import Event
from pyibc.indexer.acks import ERROR
from pyibc.indexer.errors import MalformedPacketEvent
from pyibc.indexer.packet_facts import RECV, WRITE_ACK, facts_of


def undone_events(events: Sequence[Event], kinds: Collection[str]) -> frozenset[int]:
    """Return the indices of a transaction's events of `kinds` that did not take effect.

    These are all events between a packet's receive and its error acknowledgement in the same message. A
    message begins with an event `message` with an `action`, and its events may have a `msg_index`.
    """
    undone = list[int]()
    received: _Receive | None = None  # the last one in the message
    since = list[int]()  # the events of `kinds` after that receive
    for index, (kind, attributes) in enumerate(events):
        if kind == RECV:
            received, since = _Receive(dict(attributes)), []
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

    def __init__(self, attributes: dict[str, str]) -> None:
        self._attributes = attributes

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
