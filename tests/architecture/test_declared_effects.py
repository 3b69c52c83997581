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
from handlers.dispatch import HANDLERS
from handlers.queue.dispatch import HANDLERS as QUEUE_HANDLERS
from ibc_module.apps.transfer.msg_transfer import TransferHandler
from ibc_module.core.application import AppAcknowledgement
from ibc_module.core.channel import Order
from light_client.tendermint.codec import pack_client_header
from localnet.testkit.headers import header_of
from localnet.testkit.lies import other_state
from localnet.testkit.scene import ACK, Scene
from localnet.testkit.side import NEVER
from localnet.testkit.stage import Attempt
from localnet.testkit.transfers import FAR, transfer
from localnet.testkit.two_chains import two_chains

BOTH = (Order.UNORDERED, Order.ORDERED)
USED_UP = "clients/{id}/ (where a proof is used up)"
"""Solo machines only: a tendermint client's proof leaves nothing to write."""

ELSEWHERE = (
    "client_v2.",
    "packet_v2.",
    "connection.update_params",
    "client.delete_creator",
    "client.recover",
    "client.software_upgrade",
    "client.update_params",
    "client.upgrade",
    "queue.",
)
"""Compared key by key with ibc-go's in the transcripts client, ibc_v2 and handshake_errors.

Those of the queue protocol in tests/unit/handlers/queue.
"""

SECTIONS = ("Runs on", "Proves", "Writes", "Emits")


# -- what is declared


def executing():
    """Module name below `handlers` -> its execute, for all that have one."""
    found = {}
    for module in pkgutil.walk_packages(handlers.__path__, "handlers."):
        loaded = importlib.import_module(module.name)
        if hasattr(loaded, "execute"):
            found[module.name.removeprefix("handlers.")] = loaded.execute
    return found


def declared(execute):
    """Section -> its text."""
    text = re.sub(r"\s+", " ", inspect.getdoc(execute))
    heads = "|".join(SECTIONS)
    return {
        name: value.strip().rstrip(".")
        for name, value in re.findall(rf"({heads}): (.*?)(?= (?:{heads}|Raises|Args|Returns):|$)", text)
    }


def names_in(text):
    """`a (ordered), deletes b | c` -> {a, b, c}."""
    plain = re.sub(r"\([^)]*\)", "", text.replace(USED_UP, "")).replace("deletes ", "")
    return {part.strip() for part in re.split(r"[,;|]", plain) if part.strip() not in {"", "nothing"}}


# -- what is seen


def family(key):
    """The family of paths that a key of the `ibc` store belongs to."""
    parts = key.decode("latin-1").split("/")
    if parts[0] != "clients":
        return parts[0]
    own = parts[2] if parts[2] in {"connections", "creator"} else ""
    return f"clients/{{id}}/{own}"


class Seen:
    """Families written and deleted, types emitted, over several attempts."""

    def __init__(self, attempts):
        self.writes, self.deletes, self.events = set(), set(), set()
        for attempt in attempts:
            assert attempt.error is None, attempt.error
            for (store, key), value in attempt.writes.items():
                if store == "ibc":
                    (self.deletes if value is None else self.writes).add(family(key))
            self.events |= {kind for kind, _ in attempt.events} - {"message", "scripted_received"}


@pytest.fixture(scope="module")
def scene():
    return Scene()


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


GOOD = {
    "client.create": lambda s: on_a(s, s.to_a.create_client()),
    "client.update": update_and_misbehaviour,
    "connection.open_init": lambda s: on_a(s, s.to_a.connection_open_init()),
    "connection.open_try": lambda s: on_b(s, s.to_b.connection_open_try(s.connections.init_on_a)),
    "connection.open_ack": lambda s: on_a(s, s.to_a.connection_open_ack(*s.connections.tried)),
    "connection.open_confirm": lambda s: on_b(s, s.to_b.connection_open_confirm(*s.connections.acked[::-1])),
    "channel.open_init": lambda s: on_a(s, s.to_a.channel_open_init("connection-0")),
    "channel.open_try": lambda s: on_b(s, s.to_b.channel_open_try("connection-0", s.channels.init_on_a)),
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
    "packet.timeout": lambda s: on_a(s, *(s.to_a.timeout(s.expired[order], order) for order in BOTH)),
    "packet.timeout_on_close": lambda s: on_a(
        s, *(s.to_a.timeout_on_close(s.stranded[order], order) for order in BOTH)
    ),
}
"""Handler -> all that it does when nothing is wrong."""


def test_every_handler_is_looked_at():
    assert set(GOOD) == {name for name in executing() if not name.startswith(ELSEWHERE)}


@pytest.mark.parametrize("name", executing())
def test_every_section_is_declared(name):
    assert set(declared(executing()[name])) == set(SECTIONS)


@pytest.mark.parametrize("name", GOOD)
def test_writes_and_events_are_as_declared(scene, name):
    says, seen = declared(executing()[name]), Seen(GOOD[name](scene))
    assert names_in(says["Writes"]) == seen.writes | seen.deletes
    deleted = {part.split("deletes ")[1] for part in re.split(r"[,;|]", says["Writes"]) if "deletes " in part}
    assert deleted == seen.deletes
    assert names_in(says["Emits"]) == seen.events


@pytest.mark.parametrize("name", GOOD)
def test_what_proves_nothing_needs_no_proof_and_the_rest_does(name):
    """A handler that declares a proof refuses its message without one; see the tables of refusals."""
    proves = declared(executing()[name])["Proves"]
    source = inspect.getsource(inspect.getmodule(executing()[name]))
    verifies = any(
        word in source
        for word in (".verify(", ".verify_packet(", "verify_client_message(", "prove_unreceived(")
    )
    assert verifies is not proves.startswith("nothing")


def test_every_message_has_a_handler_here():
    known = [*HANDLERS.values(), *QUEUE_HANDLERS.values()]
    handled = {handler.execute.__module__ for handler in known}
    without_message = {
        "handlers.packet.send",
        "handlers.packet.write_acknowledgement",
        "handlers.packet_v2.write_acknowledgement",
    }
    shared = {"handlers.packet.timeout_on_close"}  # executes what timeout executes
    assert handled | without_message | shared == {f"handlers.{name}" for name in executing()}


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
