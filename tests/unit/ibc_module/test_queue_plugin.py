"""The plugin: off by default, its genesis, its applications' permissions."""

import pytest

from conformance.kit.outcomes import must
from conformance.kit.queues import OPEN, QueuePair
from conformance.kit.scripted_queue_app import ScriptedQueuePlugin
from handlers.queue.sender import TypeSender, Wiring
from ibc_core.errors import InvalidQueuePacket, LogicFault, ProtectedStore
from ibc_core.host.confined import ConfinedContext
from ibc_core.queue.packet import QueueConfig
from ibc_core.queue.types import STORE_NAME
from ibc_module import hookimpl
from ibc_module.apps.queue_coins.plugin import QueueCoinsPlugin
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import Config, QueuePlugin, plugins
from localnet.chain import LocalChain
from localnet.genesis import Genesis


def test_a_chain_without_it_has_not_one_byte_more():
    chain = LocalChain("plain-1", plugins=plugins(Config()), genesis=Genesis())
    assert STORE_NAME not in chain.app.store.names()
    assert not [kind for kind in chain.app.pipeline.messages() if "queue" in kind]
    assert not [path for path in chain.app.pipeline.queries() if "queue" in path]
    chain.close()


def test_it_is_listed_by_a_host_that_wants_it():
    pipeline = Pipeline(plugins(Config(), transfer=False, queue=QueueConfig(require_timeout=True)))
    assert STORE_NAME in pipeline.stores()
    assert len([kind for kind in pipeline.messages() if kind.startswith("/pyibc.queue.v1.")]) == 6


def test_it_stands_behind_the_ibc_plugin():
    ibc, clients = plugins(Config(), transfer=False)
    with pytest.raises(RuntimeError, match="before a Pipeline"):
        Pipeline([QueuePlugin(lambda: ibc.keepers), ibc, clients])
    with pytest.raises(RuntimeError, match="before a Pipeline"):
        QueuePlugin(lambda: ibc.keepers).keepers  # noqa: B018


def test_two_applications_cannot_have_one_type():
    parts = [ScriptedQueuePlugin(), ScriptedQueuePlugin()]
    with pytest.raises(ValueError, match="type of queue packets 'mock'"):
        Pipeline([*parts[:1], *plugins(Config(), transfer=False, queue=OPEN), *parts[1:]])


def test_a_type_is_one_that_a_packet_can_have():
    with pytest.raises(InvalidQueuePacket):
        Pipeline([ScriptedQueuePlugin("a b"), *plugins(Config(), transfer=False, queue=OPEN)])


def test_coins_need_a_bank():
    with pytest.raises(ValueError, match="ibc_bank"):
        Pipeline([QueueCoinsPlugin(), *plugins(Config(), transfer=False, queue=OPEN)])


def test_an_application_cannot_send_while_it_is_made():
    class Eager:
        @hookimpl
        def ibc_register_queue_apps(self):
            return {"eager": lambda services: services.sender.send(None, None, b"")}

    with pytest.raises(LogicFault):
        Pipeline([Eager(), *plugins(Config(), transfer=False, queue=OPEN)])
    with pytest.raises(LogicFault):
        TypeSender(Wiring(), "t").registration(None, None)


def test_the_context_below_a_confined_one_is_the_protocols_only():
    base = object()
    assert ConfinedContext.opened(base) is base
    with ConfinedContext(base) as inner:
        assert ConfinedContext.opened(inner) is base
    with pytest.raises(ProtectedStore):
        ConfinedContext.opened(inner)


def test_a_chain_goes_on_from_its_genesis_without_loss():
    pair = QueuePair.registered(channels=2)
    for lane in (pair.lane, *pair.lanes):
        for data in (b"one", b"two", b"three"):
            must(pair.send(lane, data))
    pair.sync()
    must(pair.b.submit(pair.receive(pair.lane, range(2))))
    must(pair.b.submit(pair.receive(pair.lanes[1], [0])))
    exported = pair.b.chain.app.export_genesis()
    entries = pair.b.entries()
    assert len(exported["queue"]["entries"]) == len(entries) > 15
    parts = [*plugins(Config(), queue=OPEN), ScriptedQueuePlugin(), QueueCoinsPlugin()]
    again = LocalChain("beta-1", plugins=parts, genesis=Genesis(exported))
    ctx = again.app.query_context()
    assert dict(ctx.reader(STORE_NAME).iterate(b"\0", None)) == entries
    assert again.app.export_genesis()["queue"] == exported["queue"]
    assert parts[3].keepers.queues.tail(ctx, pair.lane.incoming) == 2
    assert parts[3].keepers.registrations.get(ctx, pair.lanes[1].a).local == pair.lanes[1].b
    again.close()
    pair.close()


@pytest.mark.parametrize("entries", [[["x"]], [["?", "AA=="]], "text", [1]])
def test_a_malformed_genesis_is_refused(entries):
    parts = plugins(Config(), queue=OPEN)
    with pytest.raises(ValueError, match=r"genesis: queue\.entries"):
        LocalChain("bad-1", plugins=parts, genesis=Genesis({"queue": {"entries": entries}}))
