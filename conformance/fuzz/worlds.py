"""Chains on which messages of every protocol have been executed: what hostile messages start from."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from conformance.fuzz.stage import Stage, recorded
from conformance.kit.outcomes import must
from conformance.kit.paired_chain import PairedChain
from conformance.kit.queue.pair import QueuePair
from conformance.kit.scenario import ACK, Scenario
from conformance.kit.solo_machine import SoloMachine
from conformance.kit.v2_chains import V2Chains
from ibc_core.any_message import AnyMessage
from ibc_core.channel.types import Order
from ibc_core.client.create import MsgCreateClient
from ibc_core.client.update import MsgUpdateClient
from ibc_core.wire.message import pack_msg
from ibc_relayer.wallet import Wallet
from ibc_testing.two_chains import Party
from localnet.chain import LocalChain


class Seed(NamedTuple):
    """A message that a chain executed, and the block that it stood in."""

    name: str  # its type, and what else sets it apart
    message: AnyMessage
    stage: Stage


class Worlds(NamedTuple):
    """What can be tried, and where."""

    seeds: tuple[Seed, ...]
    """One of each type of message, and of each light client."""
    last: Stage
    """The next block of a chain that knows every message and every query."""


class _World(NamedTuple):
    """A chain, and the accounts on it by address."""

    chain: LocalChain
    wallets: Mapping[str, Wallet]

    def stage(self, height: int) -> Stage:
        return Stage(self.chain, height, self.wallets)


def worlds() -> Worlds:
    """Makes the chains and takes them through the protocols."""
    queues = list(_queues())
    chains = [*_classic(), *_v2(), *queues]
    seeds: dict[str, Seed] = {}
    for world in chains:
        for height, message in recorded(world.chain):
            name = _name(message)
            seeds.setdefault(name, Seed(name, message, world.stage(height)))
    last = queues[0]
    return Worlds(tuple(seeds.values()), last.stage(last.chain.height + 1))


def pending() -> Worlds:
    """A chain before a block in which answers and timeouts of packets are still to come."""
    scene = Scenario()
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
    """The type of a message, without what all types begin with; of a solo machine's, its own."""
    short = short_name(message.type_url)
    return f"{short}(solo)" if b"solomachine" in message.value else short


def short_name(type_url: str) -> str:
    """A type as the names of cases have it."""
    return type_url.removeprefix("/").replace("ibc.core.", "").replace("ibc.applications.", "")


def _of_pair(side: PairedChain) -> _World:
    wallets = [side.relayer.wallet, side.user.wallet]
    return _World(side.chain, {each.address.text: each for each in wallets})


def _of_party(party: Party) -> _World:
    return _World(party.chain, {each.address.text: each for each in party.users.values()})


def _classic() -> Iterator[_World]:
    """Clients, connections, channels, packets; a solo machine; what a forger is caught by."""
    scene = Scenario()
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
    """A solo machine's client: made, and its key changed."""
    machine, heir = SoloMachine("fuzz", keys=3, threshold=2), SoloMachine("heir")
    outcome = must(side.submit(MsgCreateClient(*machine.states(), side.relayer.signer)))
    client_id = next(value for _, given in outcome.events for name, value in given if name == "client_id")
    must(side.submit(MsgUpdateClient(client_id, machine.header(heir), side.relayer.signer)))


def _v2() -> Iterator[_World]:
    """Packets between clients, of coins and of several payloads."""
    chains = V2Chains()
    chains.transfer()
    chains.send(chains.coins(5), chains.coins(6))
    chains.relay()
    yield _of_party(chains.a)
    yield _of_party(chains.b)


def _queues() -> Iterator[_World]:
    """Queues, and messages of the first ICS-4 text."""
    pair = QueuePair.registered(direct=True)
    for _ in range(2):
        pair.send(pair.path)
        pair.relay(pair.path)
    yield _of_pair(pair.a)
    yield _of_pair(pair.b)
