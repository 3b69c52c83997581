"""Where callers' accounts stand, who is told of them, and how they outlive a restart."""

import pytest

from conformance.memory import MemoryStore
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import Config
from pyibc.apps.gmp import state
from pyibc.apps.gmp.messages import cosmos_tx
from pyibc.apps.gmp.packet_data import AccountIdentifier, CallAccount
from pyibc.apps.gmp.plugin import GmpPlugin
from pyibc.core.errors import CallAccountNotFound, InvalidAddress, InvalidIdentifier, InvalidRequest, NotFound
from pyibc.core.host.overlay import BlockContext
from pyibc.core.setup_error import InvalidGenesis
from pyibc.default_plugins import plugins
from pyibc.proto.ibc.applications.gmp.v1 import query_pb2 as pb

QUERY = "/ibc.applications.gmp.v1.Query/"
CLIENT = "07-tendermint-0"


def stores(entries=None):
    return {"ibc": MemoryStore(), "acc": MemoryStore(), "gmp": MemoryStore(entries)}


def ask(net, name, **said):
    request = getattr(pb, f"Query{name}Request")(**said).SerializeToString()
    route = net.b.chain.app.pipeline.queries()[f"{QUERY}{name}"]
    raw = route(net.b.chain.app.query_context(), request)
    return getattr(pb, f"Query{name}Response").FromString(raw)


def test_the_keys_are_those_of_the_recordings():
    identifier = AccountIdentifier(CLIENT, "s", b"\1\0")
    (by_owner, raw), (by_address, same) = state.account_entries(CallAccount("a", identifier), b"x" * 32)
    assert by_owner == b"\0" + CLIENT.encode() + b"\0s\0\1\0"
    assert by_address == b"\1" + b"x" * 32
    assert raw == same


def test_h165_no_two_senders_share_a_key():
    """ibc-go writes only the first byte of a character that has several."""
    one, two = (AccountIdentifier(CLIENT, sender, b"") for sender in ("\u00e9", "\u00e8"))
    assert state.account_key(one) != state.account_key(two)
    ctx = BlockContext("chain-1", 1, 1, stores())
    state.set_account(ctx, CallAccount("a", one), b"x" * 32)
    assert state.account(ctx, one) == CallAccount("a", one)
    assert state.account(ctx, two) is None
    with pytest.raises(InvalidAddress):
        state.account(ctx, one._replace(sender="a\0b"))


def test_the_queries(net):
    said = {"client_id": net.identifier.client_id, "sender": net.alice}
    assert ask(net, "AccountAddress", **said).account_address == net.account.text
    assert ask(net, "AccountAddress", **said, salt="0aFF").account_address == net.of_salt(b"\n\xff").text
    with pytest.raises(NotFound):
        ask(net, "AccountIdentifier", account_address=net.account.text)
    net.fund(net.account)
    net.call(cosmos_tx([net.send(1)]))
    net.relay()
    assert ask(net, "AccountAddress", **said).account_address == net.account.text
    found = ask(net, "AccountIdentifier", account_address=net.account.text).account_id
    assert (found.client_id, found.sender, found.salt) == (net.identifier.client_id, net.alice, b"")


@pytest.mark.parametrize(
    ("name", "said", "error"),
    [
        ("AccountAddress", {"client_id": CLIENT, "sender": "s", "salt": "0"}, InvalidRequest),
        ("AccountAddress", {"client_id": CLIENT, "sender": "s", "salt": "0 00"}, InvalidRequest),
        ("AccountAddress", {"client_id": CLIENT, "sender": "s", "salt": "\u0660\u0660"}, InvalidRequest),
        ("AccountAddress", {"client_id": "x", "sender": "s"}, InvalidIdentifier),
        ("AccountAddress", {"client_id": CLIENT, "sender": " "}, InvalidAddress),
        ("AccountIdentifier", {"account_address": "x"}, InvalidAddress),
    ],
)
def test_questions_without_an_answer(net, name, said, error):
    with pytest.raises(error):
        ask(net, name, **said)


def genesis_of(net):
    app = net.b.chain.app
    return dict(app.pipeline.export_genesis(app.query_context()))["gmp"]


def started(net, genesis):
    """A new store with what a genesis says."""
    ctx = BlockContext("chain-1", 1, 1, stores())
    net.plugins[1].chain_init_genesis(ctx, {"gmp": genesis})
    return dict(ctx.writes("gmp"))


def called(net):
    net.fund(net.account)
    net.fund(net.of_salt(b"\xff"))
    net.call(cosmos_tx([net.send(1)]))
    net.call(cosmos_tx([net.send(1, account=net.of_salt(b"\xff"))]), salt=b"\xff")
    net.relay()


def test_a_restart_keeps_the_accounts(net):
    called(net)
    genesis = genesis_of(net)
    assert len(genesis["ics27_accounts"]) == 2
    assert genesis["other_entries"] == []
    assert genesis["ics27_accounts"][0] == {
        "account_address": net.account.text,
        "account_id": {"client_id": net.identifier.client_id, "sender": net.alice, "salt": None},
    }
    assert started(net, genesis) == net.store()
    assert started(net, {}) == {}


SPOILT = {
    "no object": (lambda g: [], "is not an object"),
    "an address": (lambda g: g["ics27_accounts"][0].update(account_address="x"), "account_address"),
    "a client": (lambda g: g["ics27_accounts"][0]["account_id"].update(client_id="x"), "client_id"),
    "a sender": (lambda g: g["ics27_accounts"][0]["account_id"].update(sender="a\0"), "account_address"),
    "a salt": (lambda g: g["ics27_accounts"][0]["account_id"].update(salt="AA" * 22), "salt"),
    "an account twice": (lambda g: g["ics27_accounts"].append(g["ics27_accounts"][0]), "comes twice"),
    "an address twice": (
        lambda g: g["ics27_accounts"][1].update(account_address=g["ics27_accounts"][0]["account_address"]),
        "comes twice",
    ),
    "an unknown field": (lambda g: g.update(x=1), "x"),
}


@pytest.mark.parametrize(("spoil", "says"), SPOILT.values(), ids=SPOILT)
def test_a_genesis_that_is_refused(net, spoil, says):
    called(net)
    genesis = genesis_of(net)
    replaced = spoil(genesis)
    with pytest.raises(InvalidGenesis, match=says):
        started(net, genesis if replaced is None else replaced)


def test_an_account_that_the_host_has_no_more(net):
    called(net)
    ctx = BlockContext("chain-1", 1, 1, stores(net.store()))
    with pytest.raises(CallAccountNotFound):
        net.plugins[1]._accounts.ensure(ctx, net.identifier)
    assert list(ctx.writes("gmp")) == []


def test_a_host_without_accounts():
    with pytest.raises(ValueError, match="ibc_accounts"):
        Pipeline([*plugins(Config(), transfer=False), GmpPlugin()])
