"""Two chains with queues, and hand-made registrations, sends, headers, proofs and receipts.

`QueuePair.registered()` creates them: `path` has the chains' ends [IBC-packets], `channel_paths` the ends of
channels [IBC-channels]. Proofs are at the latest height of the other client; `sync` updates it.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from conformance.kit.outcomes import must
from conformance.kit.pair import Pair, ahead
from conformance.kit.paired_chain import Extra, PairedChain, made
from conformance.kit.queue.app import MOCK, ScriptedQueuePlugin
from conformance.kit.sides import A, B
from pyibc.core.coin import Coin, coin
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.host.block import TxOutcome
from pyibc.queues.coins import QueueCoinsPlugin
from pyibc.queues.messages import (
    Item,
    MsgAdvance,
    MsgHandleReceipt,
    MsgQueueSend,
    MsgQueueTimeout,
    MsgReceive,
    MsgRegister,
)
from pyibc.queues.packet import QueueConfig
from pyibc.queues.types import STORE_NAME, End, Queue, Role, element_key, head_key, queue_of
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.paths.open_path import create_client
from pyibc.testing.pair import ManualClock

OPEN = QueueConfig(open_registration=True)


class EndPath(NamedTuple):
    """Two ends that exchange packets."""

    a: End
    b: End

    @property
    def outgoing(self) -> Queue:
        """The queue of packets at `a`."""
        return queue_of(self.a, self.b, Role.SEND)

    @property
    def incoming(self) -> Queue:
        """The queue of receipts at `b`."""
        return queue_of(self.b, self.a, Role.RECEIPT)

    def back(self) -> "EndPath":
        """The opposite direction."""
        return EndPath(self.b, self.a)


class QueueChain(PairedChain):
    """A chain with queues, a scripted application on them, and coins."""

    def __init__(
        self,
        chain_id: str,
        clock: Callable[[], int],
        coins: Sequence[Coin] = (),
        queue: QueueConfig = OPEN,
        extra: Extra = (),
        **options: Any,
    ) -> None:
        self.mock = ScriptedQueuePlugin()
        super().__init__(
            chain_id, clock, coins, [self.mock, QueueCoinsPlugin(), *made(extra)], queue=queue, **options
        )

    def bounds(self, queue: Queue) -> tuple[int, int]:
        """Return head and tail of a queue after the last block."""
        ctx = self.chain.app.query_context()
        return self.queues.queues.head(ctx, queue), self.queues.queues.tail(ctx, queue)

    def entries(self) -> dict[bytes, bytes]:
        """Return all entries of the queue store after the last block."""
        return dict(self.chain.app.query_context().reader(STORE_NAME).iterate(b"\0", None))


class QueuePair(Pair):
    """Chains `a` and `b` with clients of each other and registered queue ends."""

    a: QueueChain
    b: QueueChain
    path: EndPath
    channel_paths: list[EndPath]

    @classmethod
    def registered(
        cls,
        chain_ids: tuple[str, str] = (A.chain_id, B.chain_id),
        channels: int = 0,
        coins: Sequence[Coin] = (),
        **options: Any,
    ) -> "QueuePair":
        """Return two new chains with registered ends and updated clients.

        Args:
            chain_ids: The chain ids.
            channels: Number of channels whose ends are registered as well, over one connection.
            coins: Balances of the user account on each chain; by default 10^12 `ualpha` on A, `ubeta`
                on B.
            **options: Passed to `QueueChain`.
        """
        clock = ManualClock()
        held = [coins or [coin(denom, 10**12)] for denom in ("ualpha", "ubeta")]
        pair = cls(
            QueueChain(chain_ids[0], clock, held[0], side=A, **options),
            QueueChain(chain_ids[1], partial(ahead, clock), held[1], side=B, **options),
            clock,
        )
        for side in (pair.a, pair.b):
            target = pair.other(side).relayer
            side.client_id = create_client(side.relayer, target).client_id
        pair.path = EndPath(End(chain_ids[0]), End(chain_ids[1]))
        pair.channel_paths = [channel_path(chain_ids, number) for number in range(channels)]
        for path in (pair.path, *pair.channel_paths):
            pair.register(path)
        pair.sync()
        return pair

    def register(self, path: EndPath) -> None:
        """Register the ends of `path` on both chains.

        Raises:
            RuntimeError: a chain refuses the registration.
        """
        for side, local, remote in ((self.a, path.a, path.b), (self.b, path.b, path.a)):
            must(side.submit(MsgRegister(side.client_id, local, remote, b"", side.relayer.signer)))

    def side(self, end: End) -> QueueChain:
        """Return the chain of an end."""
        return self.a if end.chain == self.a.chain.chain_id else self.b

    def twin(self, side: QueueChain) -> QueueChain:
        """Return the counterparty chain."""
        return self.b if side is self.a else self.a

    # -- messages: `path.a` is the sending end, `path.b` the receiving end

    def send(
        self,
        path: EndPath,
        data: bytes = b"data",
        packet_type: str = MOCK,
        max_height: Height = ZERO_HEIGHT,
        max_time_ns: int = 0,
    ) -> TxOutcome:
        """Send a packet from the user of `path.a`, in its own block."""
        message = self.send_message(path, data, packet_type, max_height, max_time_ns)
        return self.side(path.a).submit_as_user(message)

    def send_message(
        self,
        path: EndPath,
        data: bytes,
        packet_type: str = MOCK,
        max_height: Height = ZERO_HEIGHT,
        max_time_ns: int = 0,
    ) -> MsgQueueSend:
        """Return the MsgSend of a packet from the user of `path.a`."""
        signer = self.side(path.a).user.signer
        return MsgQueueSend(path.a, path.b, None, packet_type, data, max_height, max_time_ns, signer)

    def receive(self, path: EndPath, indexes: Iterable[int]) -> MsgReceive:
        """Return the MsgReceive that delivers packets to `path.b`."""
        queue, prover = path.outgoing, self.side(path.a)
        items, height = self.items(prover, [element_key(queue, index) for index in indexes])
        return MsgReceive(path.a, height, items, self.side(path.b).relayer.signer)

    def handle(self, path: EndPath, indexes: Iterable[int]) -> MsgHandleReceipt:
        """Return the MsgHandleReceipt that delivers receipts to `path.a`."""
        queue, prover = path.incoming, self.side(path.b)
        items, height = self.items(prover, [element_key(queue, index) for index in indexes])
        return MsgHandleReceipt(path.b, height, items, self.side(path.a).relayer.signer)

    def timeout(self, path: EndPath, index: int, count: int = 1) -> MsgQueueTimeout:
        """Return the MsgTimeout for packets of `path.a`."""
        key = element_key(path.incoming, index)
        proven = self.proven(self.side(path.b), key)
        signer = self.side(path.a).relayer.signer
        return MsgQueueTimeout(path.b, index, count, proven.height, proven.proof, signer)

    def advance(self, path: EndPath, to: int | None = None) -> MsgAdvance:
        """Return the MsgAdvance that deletes receipts at `path.b` up to `to` or to the head of `path.a`."""
        proven = self.proven(self.side(path.a), head_key(path.outgoing))
        head = int.from_bytes(proven.value or b"", "big")
        signer = self.side(path.b).relayer.signer
        return MsgAdvance(path.a, head, head if to is None else to, proven.height, proven.proof, signer)

    def items(self, prover: QueueChain, keys: Sequence[bytes]) -> tuple[tuple[Item, ...], Height]:
        """Return entries of the prover's queue store with proofs, and the height of the proofs."""
        proofs = [(key, self.proven(prover, key)) for key in keys]
        items = tuple([Item(key, proven.value or b"", proven.proof) for key, proven in proofs])
        return items, self.known(self.twin(prover))

    def proven(self, prover: QueueChain, key: bytes) -> Proven:
        """Return an entry of the prover's queue store, or its absence, with a proof."""
        height = self.known(self.twin(prover)).revision_height
        return prover.chain.prove(key, height - 1, STORE_NAME)

    # -- relaying

    def relay(self, path: EndPath) -> None:
        """Relay pending packets to `path.b` and receipts back to `path.a`, and delete handled receipts.

        Raises:
            RuntimeError: a chain refuses a message.
        """
        a, b = self.side(path.a), self.side(path.b)
        self.sync()
        if b.bounds(path.incoming)[1] < a.bounds(path.outgoing)[0]:  # A has timed packets out
            must(b.submit(self.advance(path)))
        if received := range(b.bounds(path.incoming)[1], a.bounds(path.outgoing)[1]):
            must(b.submit(self.receive(path, received)))
            self.sync()
        if handled := range(a.bounds(path.outgoing)[0], b.bounds(path.incoming)[1]):
            must(a.submit(self.handle(path, handled)))
            self.sync()
        if b.bounds(path.incoming)[0] < a.bounds(path.outgoing)[0]:
            must(b.submit(self.advance(path)))

    def close(self) -> None:
        """Close both chains."""
        self.a.chain.close()
        self.b.chain.close()


def channel_path(chain_ids: tuple[str, str], number: int) -> EndPath:
    """Return the ends of channel `number`; identifiers differ between the chains, as in practice."""
    return EndPath(
        End(chain_ids[0], "connection-0", f"channel-{number}"),
        End(chain_ids[1], "connection-7", f"channel-{number + 10}"),
    )
