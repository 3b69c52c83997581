"""Reads queues: heads and tails, packets, receipts with proofs."""

from typing import NamedTuple

from ibc_core.height import Height, revision_of
from ibc_core.queue.item import Item
from ibc_core.queue.packet import QueuePacket, Registration
from ibc_core.queue.states import decode_packet
from ibc_core.queue.types import STORE_NAME, Queue, element_key, head_key, tail_key
from ibc_relayer.endpoint import ChainEndpoint, Proven
from ibc_relayer.errors import MalformedAnswer
from ibc_relayer.rpc_read import doubted


class Bounds(NamedTuple):
    """A queue's head and tail."""

    head: int
    tail: int


class Prover(NamedTuple):
    """The state of a chain after one of its blocks, which the next header proves."""

    chain: ChainEndpoint
    store: str  # that holds its queues
    height: int  # of the block

    @property
    def header(self) -> Height:
        """Height of the header that proves it."""
        return Height(revision_of(self.chain.chain_id), self.height + 1)

    @property
    def header_time_ns(self) -> int:
        """Time in that header, unix nanoseconds."""
        return self.chain.light_block(self.height + 1).time_ns

    def bounds(self, queue: Queue) -> Bounds:
        """Head and tail of a queue.

        Raises:
            MalformedAnswer: there is no such queue.
        """
        keys = head_key(queue), tail_key(queue)
        return Bounds(*(_index(self.chain, key, self.prove(key).value) for key in keys))

    def item(self, queue: Queue, index: int) -> Item:
        """An element with its proof.

        Raises:
            MalformedAnswer: it does not exist.
        """
        key = element_key(queue, index)
        proven = self.prove(key)
        if proven.value is None:
            raise doubted(self.chain, MalformedAnswer(self.chain.chain_id, "queue", f"no element {index}"))
        return Item(key, proven.value, proven.proof)

    def prove(self, key: bytes) -> Proven:
        """A store entry, or its absence, with its proof."""
        return self.chain.prove(key, self.height, self.store)


def bounds(chain: ChainEndpoint, queue: Queue) -> Bounds:
    """Head and tail of a queue after the chain's last block, unproven.

    Raises:
        MalformedAnswer: there is no such queue.
    """
    keys = head_key(queue), tail_key(queue)
    return Bounds(*(_index(chain, key, chain.get(key, STORE_NAME)) for key in keys))


def packet(chain: ChainEndpoint, registration: Registration, index: int) -> QueuePacket | None:
    """A packet in its outgoing queue; None if it is no longer there."""
    raw = chain.get(element_key(registration.outgoing, index), STORE_NAME)
    return None if raw is None else decode_packet(raw, registration.local, registration.remote, index)


def _index(chain: ChainEndpoint, key: bytes, raw: bytes | None) -> int:
    if raw is None or len(raw) != 8:
        error = MalformedAnswer(chain.chain_id, "queue", f"{key!a:.200} is no index")
        raise error if raw is None else doubted(chain, error)
    return int.from_bytes(raw, "big")
