"""The plugin: off by default, its genesis, its applications' permissions."""

import pytest

from conformance.kit.outcomes import must
from conformance.kit.queue.app import ScriptedQueuePlugin
from conformance.kit.queue.pair import OPEN, QueuePair
from handlers.keepers_ref import KeepersRef
from ibc_module import hookimpl
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import Config, WiringError
from localnet.chain import LocalChain
from localnet.settings import Genesis
from pyibc.core.errors import LogicFault
from pyibc.default_plugins import plugins
from pyibc.queues.coins import QueueCoinsPlugin
from pyibc.queues.errors import InvalidQueuePacket
from pyibc.queues.handlers.send import TypeSender
from pyibc.queues.plugin import QueuePlugin
from pyibc.queues.types import STORE_NAME


def test_a_chain_without_it_has_not_one_byte_more():
    chain = LocalChain("plain-1", plugins=plugins(Config()), genesis=Genesis())
    assert STORE_NAME not in chain.app.store.names()
    assert not [kind for kind in chain.app.pipeline.messages() if "queue" in kind]
    assert not [path for path in chain.app.pipeline.queries() if "queue" in path]
    chain.close()


def test_it_needs_the_ibc_plugin():
    alone = QueuePlugin()
    with pytest.raises(WiringError, match="QueuePlugin has no keepers before a Pipeline holds it"):
        Pipeline([alone]).messages()


def test_applications_of_queues_need_it():
    with pytest.raises(WiringError, match="ScriptedQueuePlugin implements an unknown hook"):
        Pipeline([ScriptedQueuePlugin(), *plugins(Config(), transfer=False)])


def test_two_applications_cannot_have_one_type():
    parts = [ScriptedQueuePlugin(), ScriptedQueuePlugin()]
    with pytest.raises(WiringError, match=r"QueuePlugin and .*QueuePlugin both .* queue packets 'mock'"):
        Pipeline([*parts[:1], *plugins(Config(), transfer=False), QueuePlugin(OPEN), *parts[1:]])


def test_a_type_is_one_that_a_packet_can_have():
    with pytest.raises(InvalidQueuePacket):
        Pipeline([ScriptedQueuePlugin("a b"), *plugins(Config(), transfer=False), QueuePlugin(OPEN)])


def test_coins_need_a_bank():
    with pytest.raises(ValueError, match="ibc_bank"):
        Pipeline([QueueCoinsPlugin(), *plugins(Config(), transfer=False), QueuePlugin(OPEN)])


def test_an_application_cannot_send_while_it_is_made():
    class Eager:
        @hookimpl
        def ibc_register_queue_apps(self):
            return {"eager": lambda services: services.sender.send(None, None, b"")}

    with pytest.raises(LogicFault):
        Pipeline([Eager(), *plugins(Config(), transfer=False), QueuePlugin(OPEN)])
    with pytest.raises(LogicFault):
        TypeSender(KeepersRef(), "t").registration(None, None)


def test_a_chain_goes_on_from_its_genesis_without_loss():
    pair = QueuePair.registered(channels=2)
    for path in (pair.path, *pair.channel_paths):
        for data in (b"one", b"two", b"three"):
            must(pair.send(path, data))
    pair.sync()
    must(pair.b.submit(pair.receive(pair.path, range(2))))
    must(pair.b.submit(pair.receive(pair.channel_paths[1], [0])))
    exported = pair.b.chain.app.export_genesis()
    entries = pair.b.entries()
    assert len(exported["queue"]["entries"]) == len(entries) > 15
    parts = [*plugins(Config()), QueuePlugin(OPEN), ScriptedQueuePlugin(), QueueCoinsPlugin()]
    again = LocalChain("beta-1", plugins=parts, genesis=Genesis(exported))
    ctx = again.app.query_context()
    assert dict(ctx.reader(STORE_NAME).iterate(b"\0", None)) == entries
    assert again.app.export_genesis()["queue"] == exported["queue"]
    assert parts[3].keepers.queues.tail(ctx, pair.path.incoming) == 2
    assert parts[3].keepers.registrations.get(ctx, pair.channel_paths[1].a).local == pair.channel_paths[1].b
    again.close()
    pair.close()


@pytest.mark.parametrize("entries", [[["x"]], [["?", "AA=="]], "text", [1]])
def test_a_malformed_genesis_is_refused(entries):
    parts = [*plugins(Config()), QueuePlugin(OPEN)]
    with pytest.raises(ValueError, match=r"genesis: queue\.entries"):
        LocalChain("bad-1", plugins=parts, genesis=Genesis({"queue": {"entries": entries}}))
