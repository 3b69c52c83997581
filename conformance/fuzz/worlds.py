"""Chains that have executed messages of every protocol, as a basis for hostile messages."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from conformance.fuzz.application_traffic import ApplicationTraffic, live_applications
from conformance.fuzz.block_stage import Stage, recorded
from conformance.fuzz.builtin_apps import apps
from conformance.kit.outcomes import must
from conformance.kit.paired_chain import PairedChain
from conformance.kit.queue.pair import QueuePair
from conformance.kit.scenario import ACK, Scenario
from conformance.kit.solo_machine import SoloMachine
from conformance.kit.v2_chains import V2Chains
from keepers.keepers import Keepers
from localnet.chain import LocalChain
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.types import Order
from pyibc.core.client.messages import MsgCreateClient, MsgUpdateClient
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import PacketV2
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.pair import Party


class Seed(NamedTuple):
    """A message that a chain executed, and the block that contained it."""

    name: str  # its type, and a distinguishing suffix
    message: AnyMessage
    stage: Stage


class PacketRoute(NamedTuple):
    """A packet that an application received, with the receiving chain; its data can be replaced."""

    name: str
    packet: Packet | PacketV2
    version: str  # of the channel; "" for IBC v2
    keepers: Keepers
    stage: Stage  # the block after the last one


class Worlds(NamedTuple):
    """Everything that cases run on."""

    seeds: tuple[Seed, ...]
    """One message per type and per light client."""
    last: Stage
    """The next block of a chain that knows every message and every query."""
    routes: tuple[PacketRoute, ...] = ()
    """Channels and clients over which packets reach applications."""


class _World(NamedTuple):
    """A chain, and the accounts on it by address."""

    chain: LocalChain
    wallets: Mapping[str, Wallet]

    def stage(self, height: int) -> Stage:
        return Stage(self.chain, height, self.wallets)


def worlds() -> Worlds:
    """Make the chains and take them through the protocols."""
    queues = list(_queues())
    lives = live_applications()
    chains = [*_classic(), *_v2(), *map(_of_party, lives.parties), *queues]
    seeds: dict[str, Seed] = {}
    for world in chains:
        for height, message in recorded(world.chain):
            name = _name(message)
            seeds.setdefault(name, Seed(name, message, world.stage(height)))
    last = queues[0]
    return Worlds(tuple(seeds.values()), last.stage(last.chain.height + 1), tuple(_ways(lives)))


def _ways(lives: ApplicationTraffic) -> Iterator[PacketRoute]:
    for each in lives.received:
        world = _of_party(each.party)
        stage = world.stage(world.chain.height + 1)
        yield PacketRoute(each.name, each.packet, each.version, each.keepers, stage)


def pending() -> Worlds:
    """Return a chain before a block in which acknowledgements and timeouts are still due."""
    scene = Scenario(apps)
    a, to_a = scene.a, scene.to_a
    stage = _of_pair(a).stage(a.chain.height + 1)
    waiting = [
        to_a.acknowledge(scene.packets[Order.UNORDERED].received, ACK),
        to_a.timeout(scene.expired[Order.UNORDERED]),
        to_a.timeout_on_close(scene.stranded[Order.UNORDERED]),
        to_a.channel_close_confirm(scene.closed_ordered.a.channel_id, scene.closed_ordered.b.channel_id),
    ]
    seeds = [pack_msg(each) for each in waiting]
    return Worlds(tuple([Seed(_name(each), each, stage) for each in seeds]), stage)


def _name(message: AnyMessage) -> str:
    """Return a message type without the common prefix; messages of solo machines get a name of their own."""
    short = short_name(message.type_url)
    return f"{short}(solo)" if b"solomachine" in message.value else short


def short_name(type_url: str) -> str:
    """Return a type name as used in case names."""
    return type_url.removeprefix("/").replace("ibc.core.", "").replace("ibc.applications.", "")


def _of_pair(side: PairedChain) -> _World:
    wallets = [side.relayer.wallet, side.user.wallet]
    return _World(side.chain, {each.address.text: each for each in wallets})


def _of_party(party: Party) -> _World:
    return _World(party.chain, {each.address.text: each for each in party.users.values()})


def _classic() -> Iterator[_World]:
    """Create clients, connections, channels and packets; a solo machine; evidence of misbehaviour."""
    scene = Scenario(apps)
    a, b, to_a, to_b = scene.a, scene.b, scene.to_a, scene.to_b
    must(a.submit(to_a.timeout(scene.expired[Order.UNORDERED])))
    must(a.submit(to_a.timeout_on_close(scene.stranded[Order.UNORDERED])))
    closed = scene.closed_unordered
    must(a.submit(to_a.channel_close_confirm(closed.a.channel_id, closed.b.channel_id)))
    must(b.submit(to_b.recv(scene.packets[Order.UNORDERED].fresh)))
    _solo(a)
    yield _of_pair(a)
    yield _of_pair(b)


def _solo(side: PairedChain) -> None:
    """Create a solo machine client and rotate its key."""
    machine, heir = SoloMachine("fuzz", keys=3, threshold=2), SoloMachine("heir")
    outcome = must(side.submit(MsgCreateClient(*machine.states(), side.relayer.signer)))
    client_id = next(value for _, given in outcome.events for name, value in given if name == "client_id")
    must(side.submit(MsgUpdateClient(client_id, machine.header(heir), side.relayer.signer)))


def _v2() -> Iterator[_World]:
    """Send IBC v2 packets with coins and with several payloads."""
    chains = V2Chains(apps)
    chains.transfer()
    chains.send(chains.coins(5), chains.coins(6))
    chains.relay()
    yield _of_party(chains.a)
    yield _of_party(chains.b)


def _queues() -> Iterator[_World]:
    """Create queues and run messages of the first ICS-4 text."""
    pair = QueuePair.registered(direct=True, extra=apps)
    for _ in range(2):
        pair.send(pair.path)
        pair.relay(pair.path)
    yield _of_pair(pair.a)
    yield _of_pair(pair.b)
