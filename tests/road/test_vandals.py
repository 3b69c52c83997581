"""What the core keeps, remembers or hands out cannot be changed by the application that receives it."""

import gc
import os
from functools import _lru_cache_wrapper

import pytest

from conformance.kit.queue.pair import QueuePair
from conformance.kit.staged_block import StagedBlock
from conformance.kit.vandal import PORT, SEND, VERSION, Send, Vandal, VandalPlugin
from ibc_core.channel.close_init import MsgChannelCloseInit
from ibc_core.channel.types import Order
from ibc_core.coin import coin
from ibc_core.kept import Kept
from ibc_core.packet_v2.send import MsgSendPacket
from ibc_core.packet_v2.types import NS_PER_S, Payload
from ibc_core.wire.message import pack_msg
from ibc_module.direct.plugin import DirectPlugin
from ibc_module.json_message import json_message
from ibc_module.plugin import Config, plugins
from ibc_testing.clock import SECOND
from ibc_testing.transfers import transfer, transfer_v2
from ibc_testing.two_chains import two_chains
from localnet.host.app import HostApp

FUNDS = (coin("stake", 10**12), coin("uatom", 10**9))
ROUNDS = 3
LONG = int(os.environ.get("IBC_VANDAL_BLOCKS", "0"))
"""Blocks of the long run; 0: it is left out."""


class Life:
    """Two chains with vandals, or with their innocent twins, on every way that packets go."""

    def __init__(self, *, is_active):
        self.made, self.is_active = [], is_active
        self.net = two_chains(plugins=self.parts, funds=FUNDS)
        self.own = self.net.open(PORT, Order.ORDERED, VERSION)
        self.coins = self.net.open("transfer", Order.UNORDERED, "ics20-1")
        self.clients = self.net.open_clients()
        self.until = self.net.clock.now_ns + 10**7 * SECOND

    def parts(self):
        plugin = VandalPlugin(is_active=self.is_active)
        self.made.append(plugin.vandal)
        return [*plugins(Config()), DirectPlugin(), plugin]

    def round(self, number):
        """Packets of every kind from A: answered, refused and too late."""
        net, a = self.net, self.net.a
        bob, signer = net.b.address("bob"), a.address("alice")
        soon = net.clock.now_ns + 30 * SECOND
        payload = Payload(PORT, PORT, VERSION, "text/plain", b"payload %d" % number)
        until_s = a.chain.tip().time_ns // NS_PER_S + 600
        a.execute(
            "alice",
            json_message(SEND, Send(signer, self.own.a.channel_id, self.until, f"packet {number}")),
            transfer(a, "alice", self.coins.a, "uatom", 5 + number, bob),
            transfer(a, "alice", self.coins.a, "uatom", 5, "nobody"),
            transfer_v2(a, "alice", self.clients.a, "uatom", 7, bob),
            pack_msg(MsgSendPacket(self.clients.a.client_id, until_s, (payload,), signer)),
        )
        net.relay(self.own, self.coins, self.clients)
        a.execute("alice", transfer(a, "alice", self.coins.a, "uatom", 3, bob, until=soon))
        net.clock.advance(60 * SECOND)
        net.b.chain.make_block([])
        net.relay(self.coins)

    def end(self):
        """A packet of the ordered channel comes back, which closes it; a user closes another."""
        net, a = self.net, self.net.a
        until = net.clock.now_ns + 30 * SECOND
        a.execute("alice", json_message(SEND, Send(a.address("alice"), self.own.a.channel_id, until, "late")))
        net.clock.advance(60 * SECOND)
        net.b.chain.make_block([])
        net.relay(self.own)
        spare = net.open(PORT, Order.UNORDERED, VERSION).b
        net.b.execute("alice", pack_msg(MsgChannelCloseInit(PORT, spare.channel_id, net.b.address("alice"))))

    def blocks(self):
        return [
            (chain.block(height).app_hash, chain.block(height).txs, chain.block(height).block_events)
            for chain in (self.net.a.chain, self.net.b.chain)
            for height in range(1, chain.height + 1)
        ]


GENESIS = {}


@pytest.fixture(scope="module", autouse=True)
def remembered_genesis():
    """What each chain of a test starts from."""
    init = HostApp.init_chain

    def remembering(self, time_ns, genesis):
        GENESIS[self.config.chain_id] = genesis
        return init(self, time_ns, genesis)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HostApp, "init_chain", remembering)
        yield


def lived(*, is_active):
    life = Life(is_active=is_active)
    for number in range(ROUNDS):
        life.round(number)
    life.end()
    return life


MET = {
    *("Opening", "Opened", "Closing", "Received", "Acknowledged", "TimedOut", "Packet", "Height", "Address"),
    *("SendingV2", "ReceivedV2", "AcknowledgedV2", "Payload", "PayloadAnswer", "AppAcknowledgement"),
    *("Services", "PortGate", "PortGateV2", "BankGate", "AccountsGate", "AddressCodec", "ModuleHandler"),
    *("ConfinedContext", "ConfinedStore", "ConfinedReader", "ConfinedGas", "ConfinedBranch"),
    *("PacketData", "TransferData", "Denom", "ChannelCounterparty", "BoundApp", "BoundAppV2"),
}
"""What the vandals must have had in their hands."""


def test_h80_vandals_change_nothing_and_are_refused():
    """Blocks, events, codes and gas are those of a chain whose applications are innocent."""
    wild, tame = lived(is_active=True), lived(is_active=False)
    found = [vandal for vandal in wild.made if vandal.met]
    assert [each.changed for each in found] == [[], []]
    assert MET - set().union(*[each.met for each in found]) == set()
    assert [each.met for each in tame.made] == [set(), set()]
    codes = [outcome.code for _, txs, _ in wild.blocks() for outcome in txs]
    assert len(codes) > 30
    assert not any(codes)
    assert wild.blocks() == tame.blocks()


# -- replicas


def forget():
    """Empties every cache of the process: the replica after it is one that has just started."""
    for found in gc.get_objects():
        if isinstance(found, Kept):
            found.clear()
        elif type(found) is _lru_cache_wrapper and found.__module__.split(".")[0] in {
            *("ibc_core", "ibc_module", "keepers", "handlers", "light_client", "localnet"),
        }:
            found.cache_clear()


def replica(chain, home):
    """A new node."""
    return HostApp(chain.app.config, [*plugins(Config()), DirectPlugin(), VandalPlugin(is_active=True)], home)


HISTORIES = ("as it comes", "through the mempool", "proposed twice", "without memory", "restarted")


def relive(chain, history, home):
    """Executes a chain's blocks anew, with another history; returns the first height at which it differs."""
    app = replica(chain, home)
    app.init_chain(chain.block(1).time_ns, GENESIS[chain.chain_id])
    for height in range(1, chain.height + 1):
        block = chain.block(height)
        txs = [outcome.tx for outcome in block.txs]
        if history == "through the mempool" and height > 1:
            for raw in txs:
                app.check_tx(raw)
                app.check_tx(raw, recheck=True)
                app.simulate(raw)
        if history == "proposed twice":
            app.finalize_block(block.time_ns, txs[::-1])
        if history == "without memory":
            forget()
        final = app.finalize_block(block.time_ns, txs)
        if final.app_hash != block.app_hash or final.outcomes != block.txs:
            return height
        app.commit(b"time %d" % block.time_ns)
        if history == "restarted" and height % 7 == 0:
            app.store.close()
            app = replica(chain, home)
            app.resume(block.time_ns)
    app.store.close()
    return None


@pytest.mark.parametrize("history", HISTORIES)
def test_h80_replicas_of_vandals_agree_whatever_they_lived_through(wild_life, history, tmp_path):
    for chain in (wild_life.net.a.chain, wild_life.net.b.chain):
        assert relive(chain, history, tmp_path / chain.chain_id) is None


@pytest.fixture(scope="module")
def wild_life(remembered_genesis):
    return lived(is_active=True)


@pytest.mark.slow
@pytest.mark.skipif(not LONG, reason="IBC_VANDAL_BLOCKS says how many blocks")
def test_h80_replicas_of_vandals_agree_for_many_blocks(tmp_path):
    life, number = Life(is_active=True), 0
    while life.net.a.chain.height + life.net.b.chain.height < LONG:
        life.round(number)
        number += 1
    for history in HISTORIES:
        for chain in (life.net.a.chain, life.net.b.chain):
            assert relive(chain, history, tmp_path / history / chain.chain_id) is None


# -- queues


@pytest.fixture(scope="module")
def pair():
    return QueuePair.registered(channels=1)


def test_h80_vandals_on_queues_change_nothing(pair):
    vandal = Vandal(is_active=True, store="scripted_queue")
    app = pair.a.mock.app
    message = pair.send_message(pair.path, b"x")
    app.script["on_send"] = lambda *_: None
    wanted = StagedBlock(pair.a.chain).attempt(message)
    app.script["on_send"] = lambda ctx, *told: vandal.attack(ctx, *told, app.sender)
    got = StagedBlock(pair.a.chain).attempt(message)
    app.script.clear()
    assert vandal.changed == []
    assert {"QueuePacket", "End", "Address", "TypeSender"} <= vandal.met
    assert got == wanted == StagedBlock(pair.a.chain).attempt(message)
