"""Random packets between two chains with tampering applications, or their honest twins, on every route."""

from collections.abc import Callable, Sequence
from random import Random

from conformance.kit.replica import Job, Lived, digest
from conformance.kit.tampering import Tamperer
from conformance.kit.tampering_apps import (
    EAT,
    PORT,
    QUERY,
    REFUSED,
    SEND,
    TYPE,
    VERSION,
    Eat,
    Send,
    TamperingPlugin,
)
from ibc_module.json_message import json_message
from ibc_module.plugin import Config
from localnet.chain import LocalChain
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.messages import MsgChannelCloseInit
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.packet_v2.messages import MsgSendPacket
from pyibc.core.packet_v2.types import NS_PER_S, Payload
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.direct.plugin import DirectPlugin
from pyibc.queues.messages import MsgQueueSend
from pyibc.queues.packet import QueueConfig
from pyibc.queues.plugin import QueuePlugin
from pyibc.queues.types import End
from pyibc.relayer.queue.link import QueueLink
from pyibc.relayer.queue.path import make_queue_path
from pyibc.testing.pair import SECOND, Party, two_chains
from pyibc.testing.transfers import transfer, transfer_v2

FUNDS = (coin("stake", 10**12), coin("uatom", 10**9))


def parts(*, is_active: bool = True) -> list[object]:
    """Return the plugins of one chain."""
    queues = QueuePlugin(QueueConfig(open_registration=True))
    return [*plugins(Config()), DirectPlugin(), queues, TamperingPlugin(is_active=is_active)]


class TrafficRun:
    """Two chains and the packets sent between them."""

    def __init__(self, *, is_active: bool, seed: int = 0) -> None:
        """Create it; `seed` selects the packets and is the same for the honest twin."""
        self.tamperers: list[Tamperer] = []
        self._is_active = is_active
        self._rng = Random(seed)  # noqa: S311 - to be repeated, not secret
        net = self.net = two_chains(plugins=self._parts, funds=FUNDS)
        self.own = net.open(PORT, Order.ORDERED, VERSION)
        self._coins = net.open("transfer", Order.UNORDERED, "ics20-1")
        self._clients = net.open_clients()
        self._queues = make_queue_path(net.a.endpoint, net.b.endpoint)
        self._until = net.clock.now_ns + 10**8 * SECOND
        self._ways: Sequence[Callable[[int], AnyMessage]] = (
            self._packet, self._transfer, self._to_nobody, self._transfer_v2, self._payload,
            self._queue_packet, self._from_a_message, self._eat, self._coins_at_home,
        )  # fmt: skip

    def _parts(self) -> list[object]:
        made = parts(is_active=self._is_active)
        self.tamperers += [each.tamperer for each in made if isinstance(each, TamperingPlugin)]
        return made

    @property
    def chains(self) -> tuple[LocalChain, LocalChain]:
        """Both chains."""
        return self.net.a.chain, self.net.b.chain

    @property
    def height(self) -> int:
        """Number of blocks of both chains."""
        return sum(chain.height for chain in self.chains)

    def round(self, number: int, ways: int = 4) -> None:
        """Send packets of some kinds from A; each is acknowledged, refused, or timed out."""
        net, a = self.net, self.net.a
        a.execute("alice", *[way(number) for way in self._rng.sample(self._ways, ways)])
        self._relay()
        if self._rng.random() < 0.5:
            soon = net.clock.now_ns + 30 * SECOND
            a.execute("alice", self._late_transfer(soon), self._late_queue_packet(soon))
            net.clock.advance(60 * SECOND)
            net.b.chain.make_block([])
            self._relay()
        a.execute("bob", self._too_much())
        for chain in self.chains:
            chain.query(QUERY, b"calls")

    def _relay(self) -> None:
        self.net.relay(self.own, self._coins, self._clients)
        QueueLink([self._queues], self.net.a.endpoint, self.net.b.endpoint).until_idle()

    def end(self) -> None:
        """Time out a packet of the ordered channel, which closes it; close another channel; export."""
        net, a = self.net, self.net.a
        until = net.clock.now_ns + 30 * SECOND
        a.execute("alice", json_message(SEND, Send(a.address("alice"), self.own.a.channel_id, until, "late")))
        net.clock.advance(60 * SECOND)
        net.b.chain.make_block([])
        net.relay(self.own)
        spare = net.open(PORT, Order.UNORDERED, VERSION).b
        net.b.execute("alice", pack_msg(MsgChannelCloseInit(PORT, spare.channel_id, net.b.address("alice"))))
        for chain in self.chains:
            chain.app.export_genesis()

    def blocks(self) -> list[tuple[object, ...]]:
        """Return the blocks, which must be the same with tampering and without."""
        return [
            (block.app_hash, block.txs, block.block_events)
            for chain in self.chains
            for block in (chain.block(height) for height in range(1, chain.height + 1))
        ]

    # -- sent packets

    @property
    def _a(self) -> Party:
        return self.net.a

    @property
    def _bob(self) -> str:
        return self.net.b.address("bob")

    @property
    def _signer(self) -> str:
        return self.net.a.address("alice")

    def _packet(self, number: int) -> AnyMessage:
        return json_message(SEND, Send(self._signer, self.own.a.channel_id, self._until, f"packet {number}"))

    def _transfer(self, number: int) -> AnyMessage:
        return transfer(self._a, "alice", self._coins.a, "uatom", 5 + number % 7, self._bob)

    def _to_nobody(self, number: int) -> AnyMessage:
        return transfer(self._a, "alice", self._coins.a, "uatom", 1 + number % 5, "nobody")

    def _transfer_v2(self, number: int) -> AnyMessage:
        return transfer_v2(self._a, "alice", self._clients.a, "uatom", 1 + number % 3, self._bob)

    def _payload(self, number: int) -> AnyMessage:
        until_s = self._a.chain.tip().time_ns // NS_PER_S + 600
        payload = Payload(PORT, PORT, VERSION, "text/plain", b"payload %d" % number)
        return pack_msg(MsgSendPacket(self._clients.a.client_id, until_s, (payload,), self._signer))

    def _queue_packet(self, number: int) -> AnyMessage:
        data = REFUSED if self._rng.random() < 0.3 else b"element %d" % number
        return self._to_queue(data, self._until)

    def _to_queue(self, data: bytes, until: int) -> AnyMessage:
        ours, theirs = End(self._a.chain.chain_id), End(self.net.b.chain.chain_id)
        return pack_msg(MsgQueueSend(ours, theirs, None, TYPE, data, ZERO_HEIGHT, until, self._signer))

    def _from_a_message(self, _: int) -> AnyMessage:
        return json_message(SEND, Send(self._signer, "", self._until, self.net.b.chain.chain_id))

    def _eat(self, number: int) -> AnyMessage:
        return json_message(EAT, Eat(self._signer, [number % 256, 2, 3]))

    def _coins_at_home(self, number: int) -> AnyMessage:
        return AnyMessage(MSG_SEND, encode_send(self._signer, self._bob, (coin("stake", 1 + number),)))

    def _late_transfer(self, soon: int) -> AnyMessage:
        return transfer(self._a, "alice", self._coins.a, "uatom", 3, self._bob, until=soon)

    def _late_queue_packet(self, soon: int) -> AnyMessage:
        return self._to_queue(b"late", soon)

    def _too_much(self) -> AnyMessage:
        return transfer(self._a, "bob", self._coins.a, "uatom", 10**10, self._bob)


def job(chain: LocalChain) -> Job:
    """Return the job of a replica of a chain that ran with tampering applications."""
    headers = [chain.record(height).header for height in range(1, chain.height + 1)]
    lived = [
        Lived(
            header.time_ns,
            header.next_validators_hash,
            tuple([outcome.tx for outcome in block.txs]),
            block.app_hash,
            digest(block.txs),
        )
        for header, block in zip(headers, map(chain.block, range(1, chain.height + 1)), strict=True)
    ]
    genesis = chain.app._genesis  # noqa: SLF001 - what InitChain was given
    return Job(chain.app.config, "conformance.kit.tampering_run:parts", lived[0].time_ns, genesis, lived)
