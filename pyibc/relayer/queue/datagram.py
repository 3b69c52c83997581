"""Messages that are pending for one chain over one path, with proofs of the other. Read-only."""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from pyibc.codec.anys import AnyMessage
from pyibc.core.height import Height, revision_of
from pyibc.core.wire.message import Msg, pack_msg
from pyibc.queues.messages import Item, MsgAdvance, MsgHandleReceipt, MsgQueueTimeout, MsgReceive
from pyibc.queues.packet import QueuePacket, Registration, expired
from pyibc.queues.states import decode_packet
from pyibc.queues.types import STORE_NAME, Queue, element_key, head_key, tail_key
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.grpc_query import malformed
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.errors import MalformedAnswer
from pyibc.relayer.links.batch import BatchLimits, pack

# -- queries of queues: heads and tails, and elements with proofs


class Bounds(NamedTuple):
    """Head and tail of a queue."""

    head: int
    tail: int


class Prover(NamedTuple):
    """State of a chain after one of its blocks, which the next header proves."""

    chain: ChainEndpoint
    store: str  # name of the store with its queues
    height: int  # of the block

    @property
    def header(self) -> Height:
        """Height of the header that proves the state."""
        return Height(revision_of(self.chain.chain_id), self.height + 1)

    @property
    def header_time_ns(self) -> int:
        """Time of that header, in unix nanoseconds."""
        return self.chain.light_block(self.height + 1).time_ns

    def bounds(self, queue: Queue) -> Bounds:
        """Return head and tail of a queue.

        Raises:
            MalformedAnswer: there is no such queue.
        """
        keys = head_key(queue), tail_key(queue)
        return Bounds(*(_index(self.chain, key, self.prove(key).value) for key in keys))

    def item(self, queue: Queue, index: int) -> Item:
        """Return an element with its proof.

        Raises:
            MalformedAnswer: the element does not exist.
        """
        key = element_key(queue, index)
        proven = self.prove(key)
        if proven.value is None:
            raise malformed(self.chain, "queue", f"no element {index}")
        return Item(key, proven.value, proven.proof)

    def prove(self, key: bytes) -> Proven:
        """Return a store entry, or its absence, with its proof."""
        return self.chain.prove(key, self.height, self.store)


def bounds(chain: ChainEndpoint, queue: Queue) -> Bounds:
    """Return head and tail of a queue after the chain's last block, unproven.

    Raises:
        MalformedAnswer: there is no such queue.
    """
    keys = head_key(queue), tail_key(queue)
    return Bounds(*(_index(chain, key, chain.get(key, STORE_NAME)) for key in keys))


def packet(chain: ChainEndpoint, registration: Registration, index: int) -> QueuePacket | None:
    """Return a packet of its outgoing queue; None if it was removed."""
    raw = chain.get(element_key(registration.outgoing, index), STORE_NAME)
    return None if raw is None else decode_packet(raw, registration.local, registration.remote, index)


def _index(chain: ChainEndpoint, key: bytes, raw: bytes | None) -> int:
    reason = f"{key!a:.200} is not an index"
    if raw is None:
        raise MalformedAnswer(chain.chain_id, "queue", reason)
    if len(raw) != 8:
        raise malformed(chain, "queue", reason)
    return int.from_bytes(raw, "big")


# -- messages that are pending for one chain over one path, with proofs of the other. Read-only


class QueueKind(Enum):
    """Message type of the queue protocol."""

    RECEIVE = "receive"
    HANDLE_RECEIPT = "handle_receipt"
    TIMEOUT = "timeout"
    ADVANCE = "advance"


class Direction(Enum):
    """Direction of a message's packets from the target; a refused message delays its own direction only."""

    OUTGOING = "outgoing"  # packets sent by the target: their receipts and timeouts
    INCOMING = "incoming"  # packets sent to the target


class QueueDatagram(NamedTuple):
    """Message with its proofs, ready to be sent."""

    kind: QueueKind
    number: int  # of packets, receipts, or receipts to clean up
    message: AnyMessage

    @property
    def size(self) -> int:
        """Bytes that the message adds to a transaction, rounded up."""
        return len(self.message.value) + len(self.message.type_url) + 16


class _Proven(NamedTuple):
    """Item with its size in a message."""

    item: Item

    @property
    def size(self) -> int:
        return len(self.item.key) + len(self.item.value) + len(self.item.proof) + 32


class PendingCounts(NamedTuple):
    """Numbers of packets that are pending for a chain, according to unproven state."""

    arriving: int  # sent to the chain and not received
    answered: int  # sent by the chain, with a receipt on the other chain
    expired: int  # sent by the chain, not received, and expired
    handled: int  # received by the chain, with receipts handled on the other chain


def count_pending(
    target: ChainEndpoint, prover: ChainEndpoint, ours: Registration, theirs: Registration
) -> PendingCounts:
    """Count the packets pending for the target after the prover's last block.

    `ours` is the registration on the target, `theirs` that on the prover.

    If all packets have expired, their own chain times them out. If an unexpired one follows, they are relayed
    with it, and their receipts state that they have expired.
    """
    sent, received = bounds(prover, theirs.outgoing), bounds(target, ours.incoming)
    own, answers = bounds(target, ours.outgoing), bounds(prover, theirs.incoming)
    arriving = range(max(received.tail, sent.head), sent.tail)
    unanswered = range(max(own.head, answers.tail), own.tail)
    return PendingCounts(
        0 if _all_expired(prover, theirs, arriving, target) else len(arriving),
        max(0, answers.tail - own.head),
        len(unanswered) if _all_expired(target, ours, unanswered, prover) else 0,
        max(0, sent.head - received.head),
    )


def _all_expired(
    sender: ChainEndpoint, registration: Registration, indexes: range, receiver: ChainEndpoint
) -> bool:
    """Return whether the receiver's next block would execute none of the packets."""
    tip = receiver.tip()
    following = Height(revision_of(receiver.chain_id), tip.height + 1)
    found = (packet(sender, registration, index) for index in indexes)
    return all(each is not None and expired(each, following, tip.time_ns) for each in found)


class DatagramBuilder(NamedTuple):
    """Builds one chain's messages for one path, proven at one height of the other chain."""

    target: ChainEndpoint
    prover: Prover
    ours: Registration  # of the target
    theirs: Registration
    limits: BatchLimits  # of one message's items
    run: int  # packets of a timeout, or receipts of an advance

    def build(self, direction: Direction, pending: PendingCounts) -> list[QueueDatagram]:
        """Return the messages of one direction, in the order in which the target must execute them."""
        return list(self._outgoing(pending) if direction is Direction.OUTGOING else self._incoming(pending))

    def _incoming(self, pending: PendingCounts) -> Iterator[QueueDatagram]:
        if not pending.arriving and not pending.handled:
            return
        received, sent = bounds(self.target, self.ours.incoming), self.prover.bounds(self.theirs.outgoing)
        if sent.head > received.head:
            yield from self._advances(received, sent)
        if pending.arriving:
            indexes = range(max(received.tail, sent.head), sent.tail)
            for items in self._items(self.theirs.outgoing, indexes):
                message = MsgReceive(self.ours.remote, self.prover.header, tuple(items), self.target.signer)
                yield _datagram(QueueKind.RECEIVE, len(items), message)

    def _outgoing(self, pending: PendingCounts) -> Iterator[QueueDatagram]:
        if not pending.answered and not pending.expired:
            return
        own, answers = bounds(self.target, self.ours.outgoing), self.prover.bounds(self.theirs.incoming)
        for items in self._items(self.theirs.incoming, range(own.head, answers.tail)):
            message = MsgHandleReceipt(self.ours.remote, self.prover.header, tuple(items), self.target.signer)
            yield _datagram(QueueKind.HANDLE_RECEIPT, len(items), message)
        first = max(own.head, answers.tail)
        late = self._late(range(first, own.tail)) if pending.expired else 0
        for start in range(first, first + late, self.run):
            yield self._timeout(start, min(self.run, first + late - start))

    def _late(self, indexes: range) -> int:
        """Return how many leading packets have expired by the header that proves their absence."""
        number = 0
        for index in indexes:
            found = packet(self.target, self.ours, index)
            if found is None or not expired(found, self.prover.header, self.prover.header_time_ns):
                break
            number += 1
        return number

    def _timeout(self, first: int, number: int) -> QueueDatagram:
        proof = self.prover.prove(element_key(self.theirs.incoming, first)).proof
        remote, header = self.ours.remote, self.prover.header
        message = MsgQueueTimeout(remote, first, number, header, proof, self.target.signer)
        return _datagram(QueueKind.TIMEOUT, number, message)

    def _advances(self, received: Bounds, sent: Bounds) -> Iterator[QueueDatagram]:
        proof = self.prover.prove(head_key(self.theirs.outgoing)).proof
        for start in range(received.head, sent.head, self.run):
            to = min(start + self.run, sent.head)
            header = self.prover.header
            message = MsgAdvance(self.ours.remote, sent.head, to, header, proof, self.target.signer)
            yield _datagram(QueueKind.ADVANCE, to - start, message)

    def _items(self, queue: Queue, indexes: Sequence[int]) -> Iterator[list[Item]]:
        proven = [_Proven(self.prover.item(queue, index)) for index in indexes]
        for batch in pack(proven, self.limits):
            yield [each.item for each in batch]


def _datagram(kind: QueueKind, number: int, message: Msg) -> QueueDatagram:
    return QueueDatagram(kind, number, pack_msg(message))
