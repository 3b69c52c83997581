"""Holds what blocks told of packets against both chains' states: events are a hint, state is the truth.

A node that lags or lies gives a block without its events, or with others. State shows it: a pending packet
has its commitment on the sender, and the receiver knows what it has received and answered. What the state has
and no event told of is wanted (`block_search`), what it contradicts is corrected.

Answers carry the height they are of. One that is older than what is known decides nothing; that a packet has
been sent, received or answered never changes again, so such an answer is good from any height.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ibc_core.channel.types import ChannelState, Order
from ibc_core.packet.event_reader import SEND_PACKET, WRITE_ACKNOWLEDGEMENT
from ibc_relayer.backlog import Backlog, ChannelBacklog
from ibc_relayer.block_search import BlockSearch, Wanted
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import channel_end
from ibc_relayer.packet_queries import Commitments, Unreceived, acknowledgements, commitments, unreceived
from ibc_relayer.packets import EventKey
from ibc_relayer.path import SIDES, EndName, PathEnd, Side, other
from ibc_relayer.pending_packets import PendingPacket, Stage, is_committed

OLD = 20
"""Blocks by which an answer may be older than the last one."""

PacketKey = tuple[int, Side, int]
"""Index of the channel in the backlog, sender, sequence."""
Searches = tuple[BlockSearch, BlockSearch]
"""Of both chains' blocks."""


class _Truth(NamedTuple):
    """What both chains' states say of one direction's packets."""

    sent: Commitments
    unreceived: Unreceived
    answered: Commitments
    tips: tuple[int, int]  # of the sender and the receiver, before they were asked

    def stage(self, sequence: int) -> Stage:
        """How far a packet that is pending has come."""
        if sequence in self.unreceived.sequences:
            return Stage.SENT
        return Stage.ACKNOWLEDGED if sequence in self.answered.by_sequence else Stage.RECEIVED


class Reconciler:
    """Compares a backlog with state, direction by direction: an error leaves the rest for the next call."""

    def __init__(
        self,
        backlog: Backlog,
        endpoints: tuple[ChainEndpoint, ChainEndpoint],
        searches: Searches,
    ) -> None:
        """Nothing is asked before `run`."""
        self._endpoints = endpoints
        self._searches = searches
        self._directions = [
            _Direction(number, side, channel)
            for number, channel in enumerate(backlog.channels)
            for side in SIDES
        ]
        self._left = list[_Direction]()

    def run(self) -> set[PacketKey]:
        """Reconciles every direction, or those that the last call did not come to.

        Returns:
            Packets that were corrected or found missing.

        Raises:
            EndpointRefused: a chain does not serve the queries.
            EndpointUnavailable, MalformedAnswer: a chain does not answer, or what cannot be decoded.
        """
        found = set[PacketKey]()
        self._left = self._left or list(self._directions)
        while self._left:
            found |= self.apply([self._ask(self._left[-1])])
            self._left.pop()
        return found

    def question(self) -> Callable[[], list["Answer"]]:
        """Who is to be asked, beside the caller, for what both states say of every direction.

        What the caller reads meanwhile is not held against answers from before it. The question raises as
        `run`.
        """
        known = [each.known() for each in self._directions]
        asked = list(zip(self._directions, known, strict=True))
        return lambda: [self._ask(each)._replace(known=before) for each, before in asked]

    def apply(self, answers: Iterable["Answer"]) -> set[PacketKey]:
        """Corrects what they contradict; returns the packets that were corrected or found missing."""
        found = set[PacketKey]()
        for each, truth, closed_at, known in answers:
            receiver = other(each.sender)
            if each.channel.closed_at[receiver] is None:
                each.channel.closed_at[receiver] = closed_at
            each.apply(truth, self._searches, known)
            found.update((each.number, each.sender, sequence) for sequence in each.corrected)
        return found

    def _ask(self, of: "_Direction") -> "Answer":
        closed_at = _closed_at(of.channel, other(of.sender), self._endpoints[other(of.sender)])
        path, receiver = of.channel.path, other(of.sender)
        near, far = self._endpoints[of.sender], self._endpoints[receiver]
        tips = near.tip().height, far.tip().height
        sent = commitments(near, path.end(of.sender))
        sequences = sorted(sent.by_sequence)
        missing = unreceived(far, path.end(receiver), sequences)
        received = [each for each in sequences if each not in missing.sequences]
        answered = acknowledgements(far, path.end(receiver), received)
        return Answer(of, _Truth(sent, missing, answered, tips), closed_at)


class _Direction:
    """The packets of one channel from one side."""

    def __init__(self, number: int, sender: Side, channel: ChannelBacklog) -> None:
        self.number = number
        self.sender = sender
        self.channel = channel
        self.corrected = set[int]()
        self._packets = channel.sent_from(sender)
        self._doubts: dict[tuple[int, Stage | None], int] = {}
        self._raised: dict[tuple[int, Stage | None], int] = {}

    def known(self) -> "_Known":
        """What is known now."""
        return _Known(dict(self._packets.packets), self._packets.next_sequence_recv)

    def apply(self, truth: _Truth, searches: Searches, before: "_Known | None" = None) -> None:
        """Corrects what the state contradicts, and wants what it has and nobody told of.

        `before`: what was known when the state was asked; what has changed since is left alone.
        """
        self._doubts, self._raised, self.corrected = self._raised, {}, set()
        packets, sent = self._packets, truth.sent
        wanted = dict[EventKey, tuple[Wanted, int]]()
        for sequence, commitment in sorted(sent.by_sequence.items()):
            known = packets.packets.get(sequence)
            if known is None and packets.ended.get(sequence, 0) > sent.height:
                continue  # the answer is from before its end
            # guard: h240-what-was-read-since-is-held-against-older-answers drop
            #   test_h240_what_was_read_while_states_were_asked_is_not_held_against_them
            if before is not None and known is not before.packets.get(sequence):
                continue
            if known is not None and known.stage == Stage.SENT and not is_committed(known, commitment):
                packets.drop(sequence)
                known = None
            self._settle(sequence, known, truth, wanted)
        absent = [each for each in packets.packets if each not in sent.by_sequence]
        for sequence in absent:
            # guard: h240-what-was-sent-since-is-dropped drop
            #   test_h240_what_was_read_while_states_were_asked_is_not_held_against_them
            if before is not None and packets.packets[sequence] is not before.packets.get(sequence):
                continue
            if self._stands(sequence, None, sent.height, truth.tips[0]):
                packets.forget(sequence)
                self.corrected.add(sequence)
        packets.ended = {s: height for s, height in packets.ended.items() if height > sent.height - OLD}
        # guard: h240-an-ordered-channel-is-put-back always
        #   test_an_ordered_channel_s_next_sequence_is_not_put_back_meanwhile
        if before is None or packets.next_sequence_recv == before.next_sequence_recv:
            self._set_next(truth)
        self._want(wanted, searches)

    def _settle(
        self,
        sequence: int,
        known: PendingPacket | None,
        truth: _Truth,
        wanted: dict[EventKey, tuple[Wanted, int]],
    ) -> None:
        """Brings one pending packet to the stage that the receiver's state has."""
        stage, packets = truth.stage(sequence), self._packets
        committed = truth.answered.by_sequence.get(sequence, b"")
        if stage == Stage.ACKNOWLEDGED:
            if known is not None and known.stage == stage and is_committed(known, committed):
                return
            if known is not None and known.stage != Stage.RECEIVED:
                self._put(sequence, known._replace(stage=Stage.RECEIVED, acknowledgement=b""))
            key = WRITE_ACKNOWLEDGEMENT, self._end(self.sender), sequence
            wanted[key] = self._wanted(committed), truth.answered.last
        elif known is None:
            key = SEND_PACKET, self._end(self.sender), sequence
            is_received = stage == Stage.RECEIVED
            # guard: h240-looked-for-below-the-lowest-answer {truth.sent.last => truth.sent.height}
            #   test_h240_what_comes_between_two_pages_is_not_looked_for_in_older_blocks
            #   test_h240_an_event_is_looked_for_from_the_highest_answer_down
            wanted[key] = (
                self._wanted(truth.sent.by_sequence[sequence], received=is_received),
                truth.sent.last,
            )
        elif known.stage < stage:
            packets.mark_received(sequence)
            self.corrected.add(sequence)
        elif known.stage > stage:
            height = truth.unreceived.height if stage == Stage.SENT else truth.answered.height
            if self._stands(sequence, stage, height, truth.tips[1]):
                at = truth.sent.height if stage == Stage.SENT else known.height
                self._put(sequence, known._replace(stage=stage, height=at, acknowledgement=b""))

    def _stands(self, sequence: int, stage: Stage | None, height: int, tip: int) -> bool:
        """Whether a contradiction counts: the answer is not older than when it was first seen."""
        key = sequence, stage
        self._raised[key] = self._doubts.get(key, tip)
        # guard: h123-an-older-answer-decides always test_h123_an_older_answer_decides_nothing
        return height >= self._raised[key]

    def _set_next(self, truth: _Truth) -> None:
        """An ordered channel's next sequence: none is lower that is pending and not received."""
        packets, answer = self._packets, truth.unreceived
        if packets.order != Order.ORDERED or not truth.sent.by_sequence:
            return
        lowest = min(answer.sequences, default=max(truth.sent.by_sequence) + 1)
        is_lower = lowest in answer.sequences and answer.height >= truth.tips[1]
        packets.next_sequence_recv = lowest if is_lower else max(lowest, packets.next_sequence_recv)

    def _want(self, wanted: Mapping[EventKey, tuple[Wanted, int]], searches: Searches) -> None:
        for search in searches:
            search.keep(self._packets, wanted)
        for key, (each, height) in wanted.items():
            side = self.sender if key[0] == SEND_PACKET else other(self.sender)
            if searches[side].want(key, each, height):
                self.corrected.add(key[2])

    def _wanted(self, commitment: bytes, *, received: bool = False) -> Wanted:
        return Wanted(self._packets, self._end(other(self.sender)), received, commitment)

    def _end(self, side: Side) -> EndName:
        return self.channel.path.end(side).name

    def _put(self, sequence: int, pending: PendingPacket) -> None:
        self._packets.put(sequence, pending)
        self.corrected.add(sequence)


class _Known(NamedTuple):
    """What is known of one direction's packets at some time."""

    packets: Mapping[int, PendingPacket]
    next_sequence_recv: int


class Answer(NamedTuple):
    """What both states say of one direction."""

    direction: _Direction
    truth: _Truth
    closed_at: int | None  # where the receiver's end is closed: a block up to which it was
    known: _Known | None = None  # when they were asked; None: nothing was read since


def _closed_at(channel: ChannelBacklog, side: Side, endpoint: ChainEndpoint) -> int | None:
    """A block up to which an end was closed, which no end ceases to be; None: it is not, or that is known.

    Raises:
        EndpointUnavailable, MalformedAnswer: no answer, or one that cannot be decoded.
    """
    end = channel.path.end(side)
    if channel.closed_at[side] is not None or not isinstance(end, PathEnd):
        return None
    found = channel_end(endpoint, end.port_id, end.channel_id)
    is_closed = found is not None and found.state == ChannelState.CLOSED
    return endpoint.tip().height if is_closed else None
