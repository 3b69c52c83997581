"""Comparison of the packets known from blocks with both chains' states; state decides.

A node that lags or lies may return a block without its events, or with other events. State shows it: the
commitment of a pending packet is on the sender, and the receiver has its receipt and acknowledgement. If
state has an entry whose event was not read, the event is searched for (`blocks.search`); data that state
contradicts are corrected.

An answer carries its height. An answer older than known data decides nothing. That a packet was sent,
received or acknowledged never changes again, so such an answer counts at any height.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.packet.events import SEND_PACKET, WRITE_ACKNOWLEDGEMENT
from pyibc.relayer.blocks.search import BlockSearch, MissingEvent
from pyibc.relayer.chain.endpoint import ChainEndpoint, last_height
from pyibc.relayer.packets.backlog import Backlog, ChannelBacklog
from pyibc.relayer.packets.packets import EventKey
from pyibc.relayer.packets.pending_packets import PendingPacket, Stage, is_committed
from pyibc.relayer.packets.queries import (
    Commitments,
    Unreceived,
    acknowledgements,
    commitments,
    unreceived,
)
from pyibc.relayer.paths.ends import channel_end
from pyibc.relayer.paths.path import SIDES, EndName, PathEnd, Side, other

MAX_AGE = 20
"""Blocks by which an answer may be older than the previous one."""

PacketKey = tuple[int, Side, int]
"""Channel index in the backlog, sender's side, sequence."""
Searches = tuple[BlockSearch, BlockSearch]
"""Searches in the blocks of both chains, by side."""


class _PacketStates(NamedTuple):
    """Packets of one direction according to both chains' states."""

    sent: Commitments
    unreceived: Unreceived
    acknowledged: Commitments
    tips: tuple[int, int]  # of the sender and the receiver, before the queries

    def stage(self, sequence: int) -> Stage:
        """Return the stage of a pending packet."""
        if sequence in self.unreceived.sequences:
            return Stage.SENT
        return Stage.ACKNOWLEDGED if sequence in self.acknowledged.by_sequence else Stage.RECEIVED


class StateComparison:
    """Compares a backlog with state by direction; after an error the next call does the remaining ones."""

    def __init__(
        self,
        backlog: Backlog,
        endpoints: tuple[ChainEndpoint, ChainEndpoint],
        searches: Searches,
    ) -> None:
        """Query nothing before `run`."""
        self._endpoints = endpoints
        self._searches = searches
        self._directions = [
            _Direction(number, side, channel)
            for number, channel in enumerate(backlog.channels)
            for side in SIDES
        ]
        self._remaining = list[_Direction]()

    def run(self) -> set[PacketKey]:
        """Compare every direction, or those that the last call did not reach.

        Returns:
            Packets that were corrected or found missing.

        Raises:
            EndpointRefused: a chain does not serve the queries.
            EndpointUnavailable, MalformedAnswer: a chain does not answer, or its answer cannot be decoded.
        """
        found = set[PacketKey]()
        self._remaining = self._remaining or list(self._directions)
        while self._remaining:
            found |= self.apply([self._query(self._remaining[-1])])
            self._remaining.pop()
        return found

    def prepare(self) -> Callable[[], list["StateAnswer"]]:
        """Return a function that queries both states for every direction, concurrently with the caller.

        Packets that the caller learns of meanwhile are not compared with these older answers. The function
        raises as `run`.
        """
        before = [each.snapshot() for each in self._directions]
        queried = list(zip(self._directions, before, strict=True))
        return lambda: [self._query(each)._replace(before=known) for each, known in queried]

    def apply(self, answers: Iterable["StateAnswer"]) -> set[PacketKey]:
        """Correct what `answers` contradict; return the packets that were corrected or found missing."""
        found = set[PacketKey]()
        for each, states, closed_at, before in answers:
            receiver = other(each.sender)
            if each.channel.closed_at[receiver] is None:
                each.channel.closed_at[receiver] = closed_at
            each.apply(states, self._searches, before)
            found.update((each.number, each.sender, sequence) for sequence in each.corrected)
        return found

    def _query(self, of: "_Direction") -> "StateAnswer":
        closed_at = _closed_at(of.channel, other(of.sender), self._endpoints[other(of.sender)])
        path, receiver = of.channel.path, other(of.sender)
        near, far = self._endpoints[of.sender], self._endpoints[receiver]
        tips = last_height(near), last_height(far)
        sent = commitments(near, path.end(of.sender))
        sequences = sorted(sent.by_sequence)
        missing = unreceived(far, path.end(receiver), sequences)
        received = [each for each in sequences if each not in missing.sequences]
        acknowledged = acknowledgements(far, path.end(receiver), received)
        return StateAnswer(of, _PacketStates(sent, missing, acknowledged, tips), closed_at)


class _Direction:
    """Packets of one channel from one side."""

    def __init__(self, number: int, sender: Side, channel: ChannelBacklog) -> None:
        self.number = number
        self.sender = sender
        self.channel = channel
        self.corrected = set[int]()
        self._packets = channel.sent_from(sender)
        self._contradictions: dict[tuple[int, Stage | None], int] = {}  # of the last comparison
        self._current: dict[tuple[int, Stage | None], int] = {}

    def snapshot(self) -> "_Snapshot":
        """Return the known packets."""
        return _Snapshot(dict(self._packets.packets), self._packets.next_sequence_recv)

    def apply(self, states: _PacketStates, searches: Searches, before: "_Snapshot | None" = None) -> None:
        """Correct what state contradicts, and search for the events of entries that only state has.

        `before`: known packets when the state was queried; packets that changed since are left alone.
        """
        self._contradictions, self._current, self.corrected = self._current, {}, set()
        packets, sent = self._packets, states.sent
        wanted = dict[EventKey, tuple[MissingEvent, int]]()
        for sequence, commitment in sorted(sent.by_sequence.items()):
            known = packets.packets.get(sequence)
            if known is None and packets.ended.get(sequence, 0) > sent.height:
                continue  # the packet was completed after the answer
            # guard: h240-what-was-read-since-is-held-against-older-answers drop
            #   test_h240_what_was_read_while_states_were_asked_is_not_held_against_them
            if before is not None and known is not before.packets.get(sequence):
                continue
            if known is not None and known.stage == Stage.SENT and not is_committed(known, commitment):
                packets.drop(sequence)
                known = None
            self._reconcile(sequence, known, states, wanted)
        absent = [each for each in packets.packets if each not in sent.by_sequence]
        for sequence in absent:
            # guard: h240-what-was-sent-since-is-dropped drop
            #   test_h240_what_was_read_while_states_were_asked_is_not_held_against_them
            if before is not None and packets.packets[sequence] is not before.packets.get(sequence):
                continue
            if self._is_contradicted(sequence, None, sent.height, states.tips[0]):
                packets.forget(sequence)
                self.corrected.add(sequence)
        packets.ended = {s: height for s, height in packets.ended.items() if height > sent.height - MAX_AGE}
        # guard: h240-an-ordered-channel-is-put-back always
        #   test_an_ordered_channel_s_next_sequence_is_not_put_back_meanwhile
        if before is None or packets.next_sequence_recv == before.next_sequence_recv:
            self._set_next(states)
        self._want(wanted, searches)

    def _reconcile(
        self,
        sequence: int,
        known: PendingPacket | None,
        states: _PacketStates,
        wanted: dict[EventKey, tuple[MissingEvent, int]],
    ) -> None:
        """Bring one pending packet to the stage that the receiver's state has."""
        stage, packets = states.stage(sequence), self._packets
        committed = states.acknowledged.by_sequence.get(sequence, b"")
        if stage == Stage.ACKNOWLEDGED:
            if known is not None and known.stage == stage and is_committed(known, committed):
                return
            if known is not None and known.stage != Stage.RECEIVED:
                self._put(sequence, known._replace(stage=Stage.RECEIVED, acknowledgement=b""))
            key = WRITE_ACKNOWLEDGEMENT, self._end(self.sender), sequence
            wanted[key] = self._wanted(committed), states.acknowledged.last
        elif known is None:
            key = SEND_PACKET, self._end(self.sender), sequence
            is_received = stage == Stage.RECEIVED
            # guard: h240-looked-for-below-the-lowest-answer {states.sent.last => states.sent.height}
            #   test_h240_what_comes_between_two_pages_is_not_looked_for_in_older_blocks
            #   test_h240_an_event_is_looked_for_from_the_highest_answer_down
            wanted[key] = (
                self._wanted(states.sent.by_sequence[sequence], received=is_received),
                states.sent.last,
            )
        elif known.stage < stage:
            packets.mark_received(sequence)
            self.corrected.add(sequence)
        elif known.stage > stage:
            height = states.unreceived.height if stage == Stage.SENT else states.acknowledged.height
            if self._is_contradicted(sequence, stage, height, states.tips[1]):
                at = states.sent.height if stage == Stage.SENT else known.height
                self._put(sequence, known._replace(stage=stage, height=at, acknowledgement=b""))

    def _is_contradicted(self, sequence: int, stage: Stage | None, height: int, tip: int) -> bool:
        """Return whether a contradiction counts: its answer is not older than its first occurrence."""
        key = sequence, stage
        self._current[key] = self._contradictions.get(key, tip)
        # guard: h123-an-older-answer-decides always test_h123_an_older_answer_decides_nothing
        return height >= self._current[key]

    def _set_next(self, states: _PacketStates) -> None:
        """Set an ordered channel's next sequence; no lower one is pending and not received."""
        packets, answer = self._packets, states.unreceived
        if packets.order != Order.ORDERED or not states.sent.by_sequence:
            return
        lowest = min(answer.sequences, default=max(states.sent.by_sequence) + 1)
        is_lower = lowest in answer.sequences and answer.height >= states.tips[1]
        packets.next_sequence_recv = lowest if is_lower else max(lowest, packets.next_sequence_recv)

    def _want(self, wanted: Mapping[EventKey, tuple[MissingEvent, int]], searches: Searches) -> None:
        for search in searches:
            search.retain(self._packets, wanted)
        for key, (each, height) in wanted.items():
            side = self.sender if key[0] == SEND_PACKET else other(self.sender)
            if searches[side].search_for(key, each, height):
                self.corrected.add(key[2])

    def _wanted(self, commitment: bytes, *, received: bool = False) -> MissingEvent:
        return MissingEvent(self._packets, self._end(other(self.sender)), received, commitment)

    def _end(self, side: Side) -> EndName:
        return self.channel.path.end(side).name

    def _put(self, sequence: int, pending: PendingPacket) -> None:
        self._packets.put(sequence, pending)
        self.corrected.add(sequence)


class _Snapshot(NamedTuple):
    """Known packets of one direction at some time."""

    packets: Mapping[int, PendingPacket]
    next_sequence_recv: int


class StateAnswer(NamedTuple):
    """Packets of one direction according to both states, and the backlog before the queries."""

    direction: _Direction
    states: _PacketStates
    closed_at: int | None  # height at which the receiver's channel end is closed
    before: _Snapshot | None = None  # None: no block was read since the queries


def _closed_at(channel: ChannelBacklog, side: Side, endpoint: ChainEndpoint) -> int | None:
    """Return a height at which a channel end is closed; None: it is open, or known to be closed.

    A closed channel end is never opened again.

    Raises:
        EndpointUnavailable, MalformedAnswer: no answer, or its answer cannot be decoded.
    """
    end = channel.path.end(side)
    if channel.closed_at[side] is not None or not isinstance(end, PathEnd):
        return None
    found = channel_end(endpoint, end.port_id, end.channel_id)
    is_closed = found is not None and found.state == ChannelState.CLOSED
    return endpoint.tip().height if is_closed else None
