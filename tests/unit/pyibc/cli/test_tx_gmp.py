"""`pyibc tx gmp`, `pyibc query gmp`: a call from a shell, and the account that it is executed by."""

import json
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from localnet.endpoint import LocalEndpoint
from pyibc.apps.gmp.packet_data import decode
from pyibc.apps.gmp.plugin import GmpPlugin
from pyibc.cli import query, tx
from pyibc.cli.query import applications as query_gmp
from pyibc.cli.tx import remote_accounts
from pyibc.core.packet_v2.events import read_packet_event_v2
from pyibc.core.packet_v2.types import JSON
from pyibc.relayer.rpc.transactions import FoundTx
from pyibc.testing.pair import ibc_plugins, two_chains


class Located(LocalEndpoint):
    """Endpoint that tells the block of a transaction, as that of a node does."""

    def submit_located(self, messages):
        outcome = self.submit(messages)
        return FoundTx(self.tip().height, outcome)


@pytest.fixture
def net(monkeypatch):
    """Alice's chain is asked by `tx`, the other by `query`."""
    made = two_chains(plugins=lambda: [*ibc_plugins(), GmpPlugin()])
    made.path = made.open_clients()
    at = {
        remote_accounts: Located(made.a.chain, made.a.users["alice"]),
        query_gmp: LocalEndpoint(made.b.chain, made.b.users["bob"]),
    }
    for module, chain in at.items():
        monkeypatch.setattr(module, "endpoint", lambda _, chain=chain: _yielding(chain))
    yield made
    made.close()


@contextmanager
def _yielding(chain):
    yield chain


def run(command, *arguments, **how):
    return CliRunner().invoke(command, ["gmp", *arguments], **how)


def pays(sender, receiver, amount):
    coins = [{"denom": "stake", "amount": str(amount)}]
    return {
        "@type": "/cosmos.bank.v1beta1.MsgSend",
        "from_address": sender,
        "to_address": receiver,
        "amount": coins,
    }


def test_a_call_and_its_account(net):
    owner = net.path.b.client_id, net.a.address("alice")
    account = run(query.command, "get-address", *owner, "0aff").output.strip()
    shown = json.loads(run(query.command, "get-address", *owner, "0aff", "--json").output)
    assert shown == {"account_address": account}
    refused = run(query.command, "get-account-id", account)
    assert (refused.exit_code, "not found" in refused.output) == (1, True)
    alice, bob = net.a.address("alice"), net.b.address("bob")
    funded = json.dumps(pays(bob, account, 100))
    outcome = net.b.execute("bob", remote_accounts.messages_in(Path("-"), funded.encode())[0])
    assert outcome.code == 0
    messages = json.dumps([pays(account, bob, 3), pays(account, bob, 4)])
    arguments = (net.path.a.client_id, "-", "--salt", "0aff", "--memo", "m")
    sent = run(tx.command, "call", *arguments, input=messages)
    assert (sent.output.startswith("sequence 1\ntransaction "), sent.exit_code) == (True, 0)
    net.relay(net.path)
    assert net.b.balance("bob", "stake") == 10**12 - 100 + 7
    shown = json.loads(run(query.command, "get-account-id", account).output)
    assert shown == {"client_id": owner[0], "sender": alice, "salt": "Cv8="}


def test_a_payload_as_it_is(net, tmp_path):
    file = tmp_path / "payload"
    file.write_bytes(b"\xff\0call")
    how = ("--raw", "--encoding", "json", "--receiver", "0xcontract", "--json")
    sent = run(tx.command, "call", net.path.a.client_id, str(file), *how)
    told = json.loads(sent.output)
    assert (told["chain_id"], told["sequence"]) == (net.a.chain.chain_id, 1)
    assert told["height"] == net.a.chain.tip().height
    events = [event for each in net.a.chain.block(net.a.chain.tip().height).txs for event in each.events]
    (event,) = [event for event in events if event[0] == "send_packet"]
    (payload,) = read_packet_event_v2(event).packet.payloads
    assert payload.encoding == JSON
    data = decode(payload.value, payload.version, payload.encoding)
    assert (data.payload, data.receiver, data.salt) == (b"\xff\0call", "0xcontract", b"")


WRONG = {
    "a salt": (("--salt", "0"), b"[]"),
    "a time": (("--timeout", "soon"), b"[]"),
    "no JSON": ((), b"{"),
    "an unknown message": ((), b'{"@type":"/no.such.Msg"}'),
}


@pytest.mark.parametrize(("arguments", "content"), WRONG.values(), ids=WRONG)
def test_wrong_use(net, arguments, content):
    result = run(tx.command, "call", net.path.a.client_id, "-", *arguments, input=content)
    assert result.exit_code == 2
    height = net.a.chain.tip().height
    assert all(kind != "send_packet" for each in net.a.chain.block(height).txs for kind, _ in each.events)


@pytest.mark.parametrize("data", [b"", b"\xff", b"\x12\x00\x12\x00"], ids=["nothing", "no message", "two"])
def test_a_node_that_does_not_say_what_came_of_it_is_no_wrong_use(net, monkeypatch, data):
    chain = Located(net.a.chain, net.a.users["alice"])
    submit = chain.submit
    monkeypatch.setattr(chain, "submit", lambda messages: submit(messages)._replace(data=data))
    monkeypatch.setattr(remote_accounts, "endpoint", lambda _: _yielding(chain))
    done = run(tx.command, "call", net.path.a.client_id, "-", input="[]")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "a call: malformed answer" in done.stderr


@pytest.mark.parametrize("words", [("get-address", "07-tendermint-0", "x"), ("get-account-id", "y")])
def test_an_answer_that_is_none_is_the_node_s_fault(net, monkeypatch, words):
    chain = LocalEndpoint(net.b.chain, net.b.users["bob"])
    monkeypatch.setattr(chain, "grpc", lambda *_: b"\xff")
    monkeypatch.setattr(query_gmp, "endpoint", lambda _: _yielding(chain))
    done = run(query.command, *words)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "malformed answer" in done.stderr
