"""The kit raises what an application under test raised, unless the test asks for the chain's answer."""

import traceback

import pytest

from ibc_module import hookimpl
from pyibc.apps import json_message
from pyibc.core.channel.types import Order
from pyibc.core.errors import ApplicationFault
from pyibc.core.wire.tx import decode_tx
from pyibc.examples import ping_app
from pyibc.examples.ping_app import PING, Ping, PingApp, PingPlugin
from pyibc.testing import faults_answered, ibc_plugins, two_chains

QUERY = "/careless.Query/Broken"


class CarelessApp(PingApp):
    def on_recv_packet(self, ctx, received):
        ctx.store("ping").set(b"received", b"1")
        raise TypeError("in on_recv_packet")


class Careless(PingPlugin):
    """Fails where a test switches it on."""

    message = check = packet = False

    @hookimpl
    def ibc_register_apps(self, services):
        self.services = services
        return {ping_app.PORT: CarelessApp() if self.packet else PingApp()}

    @hookimpl
    def chain_check_tx(self, ctx, messages, recheck):
        if self.check and any(each.type_url == PING for each in messages):
            raise KeyError("in check_tx")

    @hookimpl
    def chain_queries(self):
        return {QUERY: self.broken}

    def broken(self, ctx, request):
        raise AttributeError("in a query")

    def send(self, ctx, msg):
        if self.message:
            try:
                {}["first"]
            except KeyError as error:
                raise TypeError("in a message") from error
        return super().send(ctx, msg)


def net(**broken):
    kind = type("Plugin", (Careless,), broken)
    return two_chains(plugins=lambda: [*ibc_plugins(), kind()])


@pytest.fixture
def opened():
    made = []

    def make(**broken):
        made.append(net(**broken))
        return made[-1], made[-1].open("ping", Order.UNORDERED, ping_app.VERSION)

    yield make
    for each in made:
        each.close()


def ping(party, path):
    return json_message(PING, Ping(party.address("alice"), path.a.channel_id, 2 * 10**18))


def test_an_exception_in_a_message_is_raised_with_its_traceback_and_cause(opened):
    pair, path = opened(message=True)
    height = pair.a.chain.height
    with pytest.raises(TypeError, match="in a message") as raised:
        pair.a.execute("alice", ping(pair.a, path))
    frames = [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    assert frames[-1] == "send"
    assert isinstance(raised.value.__cause__, KeyError)
    assert raised.value.__notes__ == [
        "A chain answers this with undefined/111222; `with faults_answered(party):` asks for that answer."
    ]
    # The block is committed as on any chain, and the next one is made on it.
    assert pair.a.chain.height == height + 1
    assert pair.a.chain.block(height + 1).txs[0].code == ApplicationFault.code
    assert decode_tx(pair.a.chain.block(height + 1).txs[0].tx).messages[0].type_url == PING
    pair.a.chain.make_block()


def test_a_test_that_asks_gets_the_answer_of_the_chain(opened):
    pair, path = opened(message=True)
    with faults_answered(pair.a, pair.b):
        outcome = pair.a.execute("alice", ping(pair.a, path))
    assert (outcome.codespace, outcome.code) == (ApplicationFault.codespace, ApplicationFault.code)
    with pytest.raises(TypeError):
        pair.a.execute("alice", ping(pair.a, path))


def test_an_exception_for_a_relayed_packet_is_raised(opened):
    pair, path = opened(packet=True)
    assert pair.a.execute("alice", ping(pair.a, path)).code == 0
    with pytest.raises(TypeError, match="in on_recv_packet"):
        pair.relay(path)
    assert pair.b.chain.get(b"received", "ping") is None
    with faults_answered(pair.a, pair.b):
        pair.relay(path)  # given up


def test_an_exception_in_check_tx_is_raised(opened):
    pair, path = opened(check=True)
    with pytest.raises(KeyError, match="in check_tx"):
        pair.a.execute("alice", ping(pair.a, path))


@pytest.mark.parametrize("way", ["grpc", "query"])
def test_an_exception_in_a_query_is_raised(opened, way):
    pair, _ = opened()
    with pytest.raises(AttributeError, match="in a query"):
        getattr(pair.a.chain, way)(QUERY, b"")
    with faults_answered(pair.a), pytest.raises(ApplicationFault):
        pair.a.chain.grpc(QUERY, b"")


def test_a_refusal_is_an_answer(opened):
    pair, path = opened()
    outcome = pair.a.execute("alice", json_message(PING, Ping("nobody", path.a.channel_id, 1)))
    assert outcome.code != 0
