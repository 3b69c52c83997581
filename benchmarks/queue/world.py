"""Two chains with channels and queues between them, and messages of both for the same coins."""

from typing import NamedTuple

from benchmarks.packets_world import FAR, MESSAGES_PER_TX, Past, World, holder
from ibc_module.plugin import Config
from localnet.endpoint import LocalEndpoint
from pyibc.chain.parts import plugins_with_queues
from pyibc.codec.anys import AnyMessage
from pyibc.core.height import Height
from pyibc.core.wire.message import pack_msg
from pyibc.queues.coins import COINS, CoinTransfer, QueueDenom, encode_transfer
from pyibc.queues.messages import Item, MsgHandleReceipt, MsgQueueSend, MsgReceive
from pyibc.queues.packet import Registration
from pyibc.queues.types import STORE_NAME, Queue
from pyibc.relayer.queue.datagram import Prover, bounds
from pyibc.relayer.queue.path import make_queue_path


class QueuesWorld(World):
    """Chains A and B, with a channel and a pair of queues; both stores have the same size."""

    def __init__(self, keys: int = 100_000, balances: int = 50_000) -> None:
        def protocol() -> list[object]:
            return [*plugins_with_queues(Config()), Past(keys, STORE_NAME)]

        super().__init__(keys, balances, protocol=protocol)
        self.queues = make_queue_path(self.on_a, self.on_b)

    def packets(self, count: int) -> list[AnyMessage]:
        """Send `count` packets of coins from A, each to an account of B that never had a voucher."""
        ends = self.queues.a.local, self.queues.a.remote
        made = []
        for n in range(count):
            user = self.users[n // MESSAGES_PER_TX % len(self.users)].address.text
            data = encode_transfer(CoinTransfer(QueueDenom("stake"), 1, user, holder(n).text))
            message = MsgQueueSend(*ends, None, COINS, data, FAR, 0, user)
            made.append(pack_msg(message))
        return made

    def arrivals(self) -> "Proven":
        """Return all pending packets of A, proven at A's last height."""
        sent = bounds(self.on_a, self.queues.a.outgoing)
        return self._proven(self.on_b, self.on_a, self.queues.b, self.queues.a.outgoing, range(*sent))

    def receives(self, proven: "Proven", together: int) -> list[AnyMessage]:
        """Return messages that deliver so many packets each to B."""
        signer, remote = self.on_b.signer, self.queues.b.remote
        return [pack_msg(MsgReceive(remote, proven.height, batch, signer)) for batch in proven.by(together)]

    def answers(self) -> "Proven":
        """Return all receipts that A has not handled, proven at B's last height."""
        head, tail = (
            bounds(self.on_a, self.queues.a.outgoing).head,
            bounds(self.on_b, self.queues.b.incoming).tail,
        )
        return self._proven(self.on_a, self.on_b, self.queues.a, self.queues.b.incoming, range(head, tail))

    def receipts(self, proven: "Proven", together: int) -> list[AnyMessage]:
        """Return messages that deliver so many receipts each to A."""
        signer, remote = self.on_a.signer, self.queues.a.remote
        return [
            pack_msg(MsgHandleReceipt(remote, proven.height, batch, signer)) for batch in proven.by(together)
        ]

    def _proven(
        self, host: LocalEndpoint, target: LocalEndpoint, ours: Registration, where: Queue, indexes: range
    ) -> "Proven":
        height = self.update(host, target, ours.client_id)
        prover = Prover(target, STORE_NAME, height - 1)
        return Proven(prover.header, [prover.item(where, index) for index in indexes])


class Proven(NamedTuple):
    """Entries of a queue store with their proofs."""

    height: Height
    items: list[Item]

    def by(self, number: int) -> list[tuple[Item, ...]]:
        """Yield the entries in groups of `number`."""
        return [tuple(self.items[n : n + number]) for n in range(0, len(self.items), number)]
