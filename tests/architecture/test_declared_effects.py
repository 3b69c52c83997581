"""What each handler's docstring declares, against what a block saw when it ran.

`Writes` is compared by families of paths, `Emits` by types of events; `message` and the test application's
own events are nobody's declaration.
"""

import importlib
import inspect
import pkgutil
import re
from dataclasses import replace

import pytest

import handlers
import pyibc.queues.handlers
from conformance.kit import sides
from conformance.kit.direct_scenario import DirectScenario
from conformance.kit.forged_headers import other_state
from conformance.kit.headers import header_of
from conformance.kit.mutate_state import freeze_client
from conformance.kit.paired_chain import NEVER
from conformance.kit.scenario import ACK, Scenario
from conformance.kit.staged_block import Attempt, StagedBlock
from handlers.dispatch import HANDLERS
from ibc_module.upgrades import UpgradeNeeded
from light_client.interface import ProofEffect
from light_client.tendermint.client import TendermintLightClient
from light_client.tendermint.codec import pack_client_header
from pyibc.apps.transfer.msg_server import TransferHandler
from pyibc.codec.anys import decode_any
from pyibc.core import paths
from pyibc.core.application.classic import AppAcknowledgement
from pyibc.core.channel.types import Order
from pyibc.core.client.messages import (
    MsgDeleteClientCreator,
    MsgRecoverClient,
    MsgUpdateClientParams,
    MsgUpgradeClient,
)
from pyibc.core.client_v2 import MsgUpdateClientConfig
from pyibc.core.connection.messages import MsgUpdateConnectionParams
from pyibc.core.wire.merkle import encode_merkle_proof
from pyibc.direct.handlers import closing
from pyibc.direct.handlers.handler import HANDLERS_DIRECT
from pyibc.queues.handlers.dispatch import HANDLERS as QUEUE_HANDLERS
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.pair import two_chains
from pyibc.testing.transfers import FAR, transfer
from tests.missing import nothing_missing

pytestmark = pytest.mark.registry

BOTH = (Order.UNORDERED, Order.ORDERED)
USED_UP = "clients/{id}/ (by a single-use proof)"
"""Solo machines only: a tendermint client's proof leaves nothing to write, unless `proofs_used_up` say so."""
OWN_OF_CLIENTS = {"connections", "creator", "counterparty", "config"}
"""What stands below a client and is not its light client's."""
AUTHORITY = Wallet.from_seed("authority", "cosmos").address.text
ELSEWHERE = ("queue.",)
"""Those of the queue protocol write to a store of their own: tests/unit/pyibc/queues/handlers."""

SECTIONS = ("Runs on", "Proves", "Writes", "Emits")


# -- what is declared


def executing():
    """Name of a handler below its package -> its execute, for all that have one."""
    found = {"packet.cleanup": closing.execute}
    for package, prefix in ((handlers, ""), (pyibc.queues.handlers, "queue.")):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            loaded = importlib.import_module(module.name)
            if hasattr(loaded, "execute"):
                found[prefix + module.name.removeprefix(f"{package.__name__}.")] = loaded.execute
    return found


def declared(execute):
    """Section -> its text."""
    text = re.sub(r"\s+", " ", inspect.getdoc(execute))
    heads = "|".join(SECTIONS)
    return {
        name: value.strip().rstrip(".")
        for name, value in re.findall(rf"({heads}): (.*?)(?= (?:{heads}|Raises|Args|Returns):|$)", text)
    }


def source_of(name):
    """The file of a handler."""
    return f"handlers/{name.replace('.', '/')}.py"


def names_in(text):
    """`a (ordered), deletes b | c` -> {a, b, c}."""
    plain = re.sub(r"\([^)]*\)", "", text.replace(USED_UP, "")).replace("deletes ", "")
    return {part.strip() for part in re.split(r"[,;|]", plain) if part.strip() not in {"", "nothing"}}


# -- what is seen


def family(store, key):
    """The family of paths that a key belongs to."""
    if store == "upgrade":
        return "plan" if key == paths.UPGRADE_PLAN else "upgradedIBCState"
    for tag, name in V2.items():
        if paths.split_packet_v2_path(key, tag) is not None:
            return f"{{id}}{name}"
    parts = key.decode("latin-1").split("/")
    if parts[0] == "nextSequenceSend" and len(parts) == 2:
        return "nextSequenceSend/{id}"
    if parts[0] != "clients":
        return parts[0]
    own = parts[2] if parts[2] in OWN_OF_CLIENTS else ""
    return f"clients/{{id}}/{own}"


V2 = {
    paths.COMMITMENT_V2: " 01",
    paths.RECEIPT_V2: " 02",
    paths.ACKNOWLEDGEMENT_V2: " 03",
    paths.ASYNC_PACKET: "async_packet",
}
"""What stands between client and sequence in keys of IBC v2 -> how docstrings say it."""


class Seen:
    """Families written and deleted, types emitted, over several attempts."""

    def __init__(self, attempts):
        self.writes, self.deletes, self.events = set(), set(), set()
        for attempt in attempts:
            assert attempt.error is None, attempt.error
            for (store, key), value in attempt.writes.items():
                if store in {"ibc", "upgrade"}:
                    (self.deletes if value is None else self.writes).add(family(store, key))
            self.events |= {kind for kind, _ in attempt.events} - {"message", "scripted_received"}

    def all(self):
        return self.writes | self.deletes


@pytest.fixture(scope="module")
def scene():
    return Scenario()


def on_a(scene, *messages):
    return [scene.stage(scene.a).attempt(message) for message in messages]


def on_b(scene, *messages):
    return [scene.stage(scene.b).attempt(message) for message in messages]


def update_and_misbehaviour(scene):
    """A header, and a second one of the same height that contradicts it."""
    scene.b.chain.make_block([])
    scene.b.chain.make_block([])
    stage, message = scene.stage(scene.a), scene.to_a.update_client()
    honest = header_of(scene.b.chain, scene.b.chain.height, scene.pair.known(scene.a).revision_height)
    fork = other_state(honest, scene.b.chain.keyring)
    return [
        stage.attempt(message),
        stage.attempt(replace(message, client_message=pack_client_header(fork))),
    ]


def sends(scene):
    """What an application's sendPacket does: it is no message of its own."""
    for order in BOTH:
        stage = scene.stage(scene.a)
        end = scene.path(order).a
        scene.a.scripted.sender.send_packet(stage.ctx, end.port_id, end.channel_id, NEVER, 0, b"x")
        yield Attempt(b"", None, stage.writes(), tuple(stage.ctx.events))


def late_answers(scene):
    """An answer that comes after its packet."""
    stage, packet = scene.stage(scene.b), scene.packets[Order.UNORDERED].fresh
    scene.b.app.script["on_recv_packet"] = lambda *_: None
    stage.attempt(scene.to_b.recv(packet))
    scene.b.app.script.clear()
    before, start = stage.writes(), len(stage.ctx.events)
    scene.b.scripted.sender.write_acknowledgement(stage.ctx, packet, ACK)
    written = {key: value for key, value in stage.writes().items() if key not in before}
    yield Attempt(b"", None, written, tuple(stage.ctx.events[start:]))


def received(scene):
    """Answered with success: what an application writes is its own."""
    scene.b.app.script["on_recv_packet"] = lambda *_: AppAcknowledgement(success=True, data=ACK)
    attempts = on_b(scene, *(scene.to_b.recv(scene.packets[order].fresh) for order in BOTH))
    scene.b.app.script.clear()
    return attempts


def cleaned_up(_):
    """By the module itself: a message does the same for an application that lets it."""
    modules = DirectScenario()
    for order in BOTH:
        claim = 2 if order is Order.ORDERED else b"done"
        yield StagedBlock(modules.net.a.chain).call(modules.on_a.cleanup(modules.received[order], claim))


GOOD = {
    "client.create": lambda s: on_a(s, s.to_a.create_client()),
    "client.update": update_and_misbehaviour,
    "connection.open_init": lambda s: on_a(s, s.to_a.connection_open_init()),
    "connection.open_try": lambda s: on_b(s, s.to_b.connection_open_try(s.connections.init_on_a)),
    "connection.open_ack": lambda s: on_a(s, s.to_a.connection_open_ack(*s.connections.tried)),
    "connection.open_confirm": lambda s: on_b(s, s.to_b.connection_open_confirm(*s.connections.acked[::-1])),
    "channel.open_init": lambda s: on_a(s, s.to_a.channel_open_init(sides.CONNECTION_ON_A)),
    "channel.open_try": lambda s: on_b(
        s, s.to_b.channel_open_try(sides.CONNECTION_ON_B, s.channels.init_on_a)
    ),
    "channel.open_ack": lambda s: on_a(s, s.to_a.channel_open_ack(*s.channels.tried)),
    "channel.open_confirm": lambda s: on_b(s, s.to_b.channel_open_confirm(*s.channels.acked[::-1])),
    "channel.close_init": lambda s: on_a(s, s.to_a.channel_close_init(s.unordered.a.channel_id)),
    "channel.close_confirm": lambda s: on_a(
        s, s.to_a.channel_close_confirm(s.closed_unordered.a.channel_id, s.closed_unordered.b.channel_id)
    ),
    "packet.send": sends,
    "packet.recv": received,
    "packet.write_acknowledgement": late_answers,
    "packet.acknowledge": lambda s: on_a(
        s, *(s.to_a.acknowledge(s.packets[order].received, ACK) for order in BOTH)
    ),
    "packet.cleanup": cleaned_up,
    "packet.timeout": lambda s: on_a(s, *(s.to_a.timeout(s.expired[order], order) for order in BOTH)),
    "packet.timeout_on_close": lambda s: on_a(
        s, *(s.to_a.timeout_on_close(s.stranded[order], order) for order in BOTH)
    ),
}
"""Handler -> all that it does when nothing is wrong, in a `Scenario`."""


# -- of IBC v2, and of who may say so


def late_answers_v2(governed):
    stage, keepers = governed.stage(governed.b), governed.b.keepers
    stage.attempt(governed.recv(governed.later))
    before, start = stage.writes(), len(stage.ctx.events)
    module = importlib.import_module("handlers.packet_v2.write_acknowledgement")
    answered = module.validate(keepers, stage.ctx, governed.later, (ACK,))
    module.execute(keepers, stage.ctx, answered, module.head(governed.later))
    written = {key: value for key, value in stage.writes().items() if key not in before}
    yield Attempt(b"", None, written, tuple(stage.ctx.events[start:]))


def registered(governed):
    stage = governed.stage(governed.a)
    stage.attempt(governed.to_a.create_client())
    return [stage.attempt(governed.register(governed.a, f"07-tendermint-{sides.A.numbers.client + 1}"))]


def recovered(governed):
    governed.b.chain.make_block([])
    stage, client = governed.stage(governed.a), governed.a.client_id
    stage.attempt(governed.to_a.create_client())
    freeze_client(stage.ctx, client)
    return [stage.attempt(MsgRecoverClient(client, f"07-tendermint-{sides.A.numbers.client + 1}", AUTHORITY))]


def planned(governed):
    stage = governed.stage(governed.a)
    return [stage.attempt(governed.plan(height)) for height in (10**6, 10**6 + 1)]


def upgraded(governed):
    """A's client of B follows B to its next revision; B makes no more blocks, so it is no scene of others."""
    governed = type(governed)()
    b = governed.b
    height = b.chain.height + 4
    route = b.chain.app.pipeline.messages()["/ibc.core.client.v1.MsgIBCSoftwareUpgrade"]
    message = governed.plan(height)
    b.inside(lambda ctx: route.deliver(ctx, message))
    while b.chain.height < height - 1:
        b.chain.make_block([])
    with pytest.raises(UpgradeNeeded):
        b.chain.make_block([])
    ForeignClient(governed.a.relayer, b.relayer, governed.a.client_id).update_to(height)
    states, proofs = zip(
        *(
            b.chain.app.store.prove("upgrade", path(height), height - 1)
            for path in (paths.upgraded_client_path, paths.upgraded_consensus_state_path)
        ),
        strict=True,
    )
    parts = [*map(decode_any, states), *map(encode_merkle_proof, proofs)]
    message = MsgUpgradeClient(governed.a.client_id, *parts, governed.a.relayer.signer)
    return [governed.stage(governed.a).attempt(message)]


def one(side, message):
    """The handler's one message to `a` or `b`, built when the scene is there."""
    return lambda g: [g.stage(getattr(g, side)).attempt(message(g))]


GOVERNED = {
    "client.register_counterparty": registered,
    "client.update_config": one(
        "a", lambda g: MsgUpdateClientConfig(g.a.client_id, (g.a.relayer.signer,), AUTHORITY)
    ),
    "packet_v2.send": one("a", lambda g: g.send(b"more", 60)),
    "packet_v2.recv": lambda g: [g.stage(g.b).attempt(g.recv(packet)) for packet in (g.sent, g.later)],
    "packet_v2.write_acknowledgement": late_answers_v2,
    "packet_v2.acknowledge": one("a", lambda g: g.acknowledge(g.answered)),
    "packet_v2.timeout": one("a", lambda g: g.timeout(g.expired)),
    "connection.update_params": one("a", lambda g: MsgUpdateConnectionParams(10**9, AUTHORITY)),
    "client.delete_creator": one("a", lambda g: MsgDeleteClientCreator(g.a.client_id, AUTHORITY)),
    "client.recover": recovered,
    "client.software_upgrade": planned,
    "client.update_params": one("a", lambda g: MsgUpdateClientParams(("07-tendermint",), AUTHORITY)),
    "client.upgrade": upgraded,
}
"""Handler -> all that it does when nothing is wrong, in `Governed`. `client.upgrade` moves the chain on."""


@pytest.fixture
def runs(request):
    """`runs(name)` -> what the handler does in its scene."""

    def run(name):
        if name in GOOD:
            return Seen(GOOD[name](request.getfixturevalue("scene")))
        return Seen(GOVERNED[name](request.getfixturevalue("governed")))

    return run


@pytest.fixture
def proofs_used_up(monkeypatch):
    """Tendermint clients whose every proof leaves something to write, as a solo machine's does."""

    def with_effect(verify):
        def verified(self, ctx, client_id, *arguments):
            verify(self, ctx, client_id, *arguments)
            return ProofEffect(client_id, ctx.ibc.get(paths.client_state_path(client_id)))

        return verified

    for name in ("verify_membership_if_active", "verify_non_membership_if_active"):
        monkeypatch.setattr(TendermintLightClient, name, with_effect(getattr(TendermintLightClient, name)))


def test_every_handler_is_looked_at():
    handlers_here = {name for name in executing() if not name.startswith(ELSEWHERE)}
    looked_at = {*GOOD, *GOVERNED}
    nothing_missing(
        f"{source_of(name)}: add what it does to tests/architecture/test_declared_effects.py: to GOVERNED "
        "if its message needs an authority or is of IBC v2, else to GOOD"
        for name in sorted(handlers_here - looked_at)
    )
    assert looked_at <= handlers_here


@pytest.mark.parametrize("name", executing())
def test_every_section_is_declared(name):
    there = declared(executing()[name])
    nothing_missing(
        f"{source_of(name)}: the docstring of execute has no section `{section}: ...`"
        for section in SECTIONS
        if section not in there
    )


@pytest.mark.parametrize("name", [*GOOD, *GOVERNED])
def test_writes_and_events_are_as_declared(runs, name):
    says, seen = declared(executing()[name]), runs(name)
    file = source_of(name)
    assert names_in(says["Writes"]) == seen.all(), (
        f"{file}: execute wrote what is on the right; `Writes` in its docstring is on the left"
    )
    plain = re.sub(r" \([^)]*\)", "", says["Writes"].replace(USED_UP, ""))
    deleted = {part.split("deletes ")[1] for part in re.split(r"[,;|]", plain) if "deletes " in part}
    assert deleted == seen.deletes, f"{file}: `Writes` says `deletes ...` of what execute deletes"
    assert names_in(says["Emits"]) == seen.events, (
        f"{file}: execute emitted what is on the right; `Emits` in its docstring is on the left"
    )


@pytest.mark.parametrize("name", [name for name in [*GOOD, *GOVERNED] if name != "client.upgrade"])
def test_a_proof_that_is_used_up_is_settled_by_whoever_brought_it(proofs_used_up, runs, name):
    """A handler that verifies and forgets to settle would let a solo machine's signature be used again."""
    text = declared(executing()[name])["Writes"]
    used_up = {"clients/{id}/"} if USED_UP in text else set()
    assert runs(name).all() == names_in(text) | used_up, (
        f"{source_of(name)}: the handler that verifies a proof settles and declares what it leaves to write"
    )


@pytest.mark.parametrize("name", executing())
def test_whoever_brings_a_proof_says_that_it_is_used_up(name):
    """All but messages of clients: those prove headers and states, not entries of the other chain's store."""
    says = declared(executing()[name])
    brings = not says["Proves"].startswith("nothing") and not name.startswith("client.")
    assert (USED_UP in says["Writes"]) is brings, (
        f"{source_of(name)}: `Writes` names `{USED_UP}` where, and only where, `Proves` names a proof"
    )


@pytest.mark.parametrize("name", [*GOOD, *GOVERNED])
def test_what_proves_nothing_needs_no_proof_and_the_rest_does(name):
    """A handler that declares a proof refuses its message without one; see the tables of refusals."""
    proves = declared(executing()[name])["Proves"]
    source = inspect.getsource(inspect.getmodule(executing()[name]))
    verifies = any(
        word in source
        for word in (
            "verify(",
            "verify_packet(",
            "verify_client_message(",
            "prove_unreceived(",
            "verify_non_membership(",
            "verify_upgrade_and_update_state(",
        )
    )
    assert verifies is not proves.startswith("nothing"), (
        f"{source_of(name)}: `Proves` says `nothing` where, and only where, the module verifies nothing"
    )


def test_every_handler_has_a_message():
    known = {**HANDLERS, **HANDLERS_DIRECT, **QUEUE_HANDLERS}
    handled = {handler.execute.__module__ for handler in known.values()}
    without_message = {
        "handlers.packet.send",
        "handlers.packet.write_acknowledgement",
        "handlers.packet_v2.write_acknowledgement",
    }
    shared = {"handlers.packet.timeout_on_close"}  # executes what timeout executes
    unrouted = {each.__module__ for each in executing().values()} - (handled | without_message | shared)
    nothing_missing(
        f"{name.replace('.', '/')}.py has no route: add a line to handlers/dispatch.py, or its protocol's own"
        for name in sorted(unrouted)
    )


def test_a_transfer_declares_what_it_does():
    says = declared(TransferHandler.execute)
    assert says["Runs on"] == "A"
    assert says["Proves"] == "nothing"
    net = two_chains()
    path = net.open("transfer", Order.UNORDERED, "ics20-1")
    outcome = net.a.execute(
        "alice", transfer(net.a, "alice", path.a, "stake", 1, net.b.address("bob"), until=FAR)
    )
    kinds = {kind for kind, _ in outcome.events} - {"message", "tx"}
    assert names_in(says["Emits"]) - {"the bank's events"} == kinds - {
        "coin_spent",
        "coin_received",
        "transfer",
    }
    net.close()
