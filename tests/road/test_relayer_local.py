"""Real chains, headers and proofs: ICS-20 transfers and the relayer, in process and over RPC."""

from collections.abc import Callable
from math import inf
from threading import Event, Thread
from typing import NamedTuple

import pytest

from conformance.kit.seconds import SECONDS
from ibc_module.plugin import Config
from localnet.chain import LocalChain
from localnet.consensus.sign_state import validator_keys
from localnet.endpoint import LocalEndpoint
from localnet.rpc.server import RpcServer
from localnet.settings import Genesis, funded
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.packet.events import ACKNOWLEDGE_PACKET, RECV_PACKET, read_packet_event
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.relayer.links.link import relay
from pyibc.relayer.links.options import Options
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.packets.backlog import events_of
from pyibc.relayer.paths.open_path import make_path
from pyibc.relayer.rpc.client import HttpRpc, RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.testing.pair import START_NS, ManualClock

FOREVER = START_NS + 10**18
PEOPLE = ("alice", "relayer", "rival")
QUICK = Options(sleep=lambda _seconds: None, clock=SECONDS, retry_wait_s=inf)


class Side(NamedTuple):
    chain: LocalChain
    relayer: LocalEndpoint
    rival: LocalEndpoint
    user: LocalEndpoint

    def send(self, receiver: str, count: int, timeout: Height = ZERO_HEIGHT) -> None:
        message = MsgTransfer(
            "transfer", "channel-0", "stake", "7", self.user.signer, receiver, timeout, FOREVER, ""
        )
        packed = pack_msg(message)
        assert self.user.submit([packed] * count).code == 0

    def packets(self, kind: str) -> list[int]:
        blocks = (self.chain.block(height) for height in range(1, self.chain.height + 1))
        seen = (read_packet_event(event) for block in blocks for event in events_of(block))
        return sorted(event.packet.sequence for event in seen if event is not None and event.kind == kind)


@pytest.fixture
def sides():
    """Two chains of four validators each."""
    made = []
    for chain_id in ("alpha-1", "beta-2"):
        wallets = [Wallet.from_seed(name, "cosmos") for name in PEOPLE]
        holders = [(wallet.address.text, [coin("stake", 10**12)]) for wallet in wallets]
        genesis = Genesis(funded(holders), START_NS)
        chain = LocalChain(chain_id, plugins=plugins(Config()), genesis=genesis, clock=ManualClock())
        user, relayer, rival = (LocalEndpoint(chain, wallet) for wallet in wallets)
        made.append(Side(chain, relayer, rival, user))
    yield tuple(made)
    for side in made:
        side.chain.close()


def opened(a: Side, b: Side):
    return make_path(a.relayer, b.relayer, "transfer", Order.UNORDERED, "ics20-1")


def test_validators_replaced_between_updates(sides) -> None:
    """A skip that too few trusted validators vouch for goes over headers in between."""
    a, b = sides
    path = opened(a, b)
    old = list(a.chain.keys)
    for generation in range(3):
        new = validator_keys(f"generation-{generation}", 4)
        a.chain.make_block(updates={**dict.fromkeys(new, 10), **dict.fromkeys(old, 0)})
        for _ in range(4):
            a.chain.make_block()
        old = new
    a.send(b.user.signer, 1)
    done = relay(path, a.relayer, b.relayer, options=QUICK)
    assert (done.acknowledged, done.refused) == (1, 0)
    assert done.updates >= 4


def test_journal_across_restarts(sides, tmp_path) -> None:
    a, b = sides
    path = opened(a, b)
    for count in (3, 4):
        a.send(b.user.signer, count)
        done = relay(path, a.relayer, b.relayer, journal=tmp_path / "relayer.db", options=QUICK)
        assert (done.delivered, done.acknowledged) == (count, count)
    assert done.blocks < 10


def test_over_rpc(sides) -> None:
    """The same relayer over HTTP: nothing but CometBFT's JSON-RPC between it and the chains."""
    a, b = sides
    servers = [RpcServer(side.chain) for side in sides]
    for server in servers:
        server.start(0.01)
    stop = _block_makers(sides)
    try:
        config = RpcConfig(poll_s=0.01)
        wallet = Wallet.from_seed("relayer", "cosmos")
        ends = [RpcEndpoint(HttpRpc(server.url, config), wallet, config=config) for server in servers]
        path = make_path(ends[0], ends[1], "transfer", Order.UNORDERED, "ics20-1")
        a.send(b.user.signer, 30)
        done = relay(path, ends[0], ends[1], options=QUICK)
        assert (done.delivered, done.acknowledged, done.given_up) == (30, 30, {})
        for end in ends:
            end.close()
    finally:
        stop()
        for server in servers:
            server.stop()
    assert b.packets(RECV_PACKET) == a.packets(ACKNOWLEDGE_PACKET) == list(range(1, 31))


def _block_makers(sides) -> Callable[[], None]:
    """Makes a block of each chain four times a second."""
    stop = Event()

    def make() -> None:
        while not stop.wait(0.25):
            for side in sides:
                side.chain.make_block()

    thread = Thread(target=make)
    thread.start()

    def join() -> None:
        stop.set()
        thread.join()

    return join
