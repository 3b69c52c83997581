"""Queries of queues: heads and tails, and elements with proofs."""

from typing import NamedTuple

from pyibc.core.height import Height, revision_of
from pyibc.queues.messages import Item
from pyibc.queues.packet import QueuePacket, Registration
from pyibc.queues.states import decode_packet
from pyibc.queues.types import STORE_NAME, Queue, element_key, head_key, tail_key
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.errors import MalformedAnswer
from pyibc.relayer.rpc.reading import reported


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
            error = MalformedAnswer(self.chain.chain_id, "queue", f"no element {index}")
            raise reported(self.chain.extras.report_malformed, error)
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
    """Return the packet at an index of a registration's outgoing queue; None if it was removed."""
    raw = chain.get(element_key(registration.outgoing, index), STORE_NAME)
    return None if raw is None else decode_packet(raw, registration.local, registration.remote, index)


def _index(chain: ChainEndpoint, key: bytes, raw: bytes | None) -> int:
    if raw is None or len(raw) != 8:
        error = MalformedAnswer(chain.chain_id, "queue", f"{key!a:.200} is not an index")
        raise error if raw is None else reported(chain.extras.report_malformed, error)
    return int.from_bytes(raw, "big")
