"""`pyibc tx json`: messages without a .proto, sent to the chain that `pyibc init` writes."""

import json
import sys
from contextlib import closing
from importlib import import_module

import pytest
from click.testing import CliRunner

from pyibc.cli import one_chain
from pyibc.cli.init import write_project
from pyibc.cli.query import command as query
from pyibc.cli.tx import command
from pyibc.core.channel.types import Order
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.testing import ibc_plugins, two_chains
from tests.unit.pyibc.cli.query.conftest import A, B, NodeRpc

WRITE = "/mychain.Write"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """The module of a new project's application."""
    write_project("mychain", tmp_path / "mychain")
    monkeypatch.syspath_prepend(tmp_path / "mychain")
    yield import_module("mychain.chain")
    for name in [each for each in sys.modules if each.partition(".")[0] == "mychain"]:
        del sys.modules[name]


@pytest.fixture
def net(project, monkeypatch):
    """Two such chains, which make a block whenever a transaction is waited for."""
    with closing(two_chains(plugins=lambda: [*ibc_plugins(), *project.plugins()])) as made:
        parties = {A: made.a, B: made.b}
        nodes = {url: NodeRpc(party.chain) for url, party in parties.items()}

        def connect(url, wallet, gas, config):
            waits = config._replace(sleep=lambda _: parties[url].chain.make_block())
            return RpcEndpoint(nodes[url], wallet, gas=gas, config=waits)

        monkeypatch.setattr(one_chain.RpcEndpoint, "connect", connect)
        monkeypatch.setenv("ALICE", made.a.users["alice"]._key._key.secret.hex())
        yield made


def send(message, kind=WRITE):
    return CliRunner().invoke(command, ["json", kind, message, "--node", A, "--key", "env:ALICE", "--json"])


def test_a_message_in_json_is_sent_and_its_packet_is_told(net, project):
    path = net.open(project.PORT, Order.UNORDERED, project.VERSION)
    done = send(json.dumps({"text": "größer", "channel": path.a.channel_id}))
    assert (done.exit_code, done.stderr) == (0, "")
    row = json.loads(done.stdout)
    assert (row["messages"], row["packets"][0]["sequence"]) == (1, 1)
    net.relay(path)
    key = f"received/{path.b.channel_id}".encode()
    assert net.b.chain.get(key, project.STORE).decode() == "größer"
    shown = CliRunner().invoke(query, ["tx", row["tx"], "--node", A])
    assert f"message:  {WRITE} text=größer channel={path.a.channel_id} signer=cosmos1" in shown.stdout


@pytest.mark.parametrize(
    ("kind", "message", "said"),
    [
        ("mychain.Write", "{}", "TYPE 'mychain.Write' does not begin with /"),
        (WRITE, "{", "MESSAGE is not JSON"),
        (WRITE, "[" * 100_000, "MESSAGE is not JSON"),
        (WRITE, "[]", "MESSAGE is not a JSON object"),
        (WRITE, '{"text": NaN}', "MESSAGE is not JSON"),
        (WRITE, '{"text": "\\ud800"}', "MESSAGE is not JSON"),
        (WRITE, '{"text": "a", "signer": "bob"}', "signer is 'bob', but this account is cosmos1"),
    ],
)
def test_what_is_no_message_of_this_account_is_refused_and_nothing_sent(net, kind, message, said):
    before = net.a.chain.height
    done = send(message, kind)
    assert done.exit_code == 2
    assert done.stderr.startswith("error: ")
    assert said in done.stderr
    assert net.a.chain.height == before


@pytest.mark.parametrize(
    ("kind", "said"), [("/mychain.Wrong", "/mychain.Wrong"), (WRITE, "unknown field `txt`")]
)
def test_what_the_chain_does_not_know_is_refused_before_it_is_sent(net, kind, said):
    before = net.a.chain.height
    done = send('{"txt": "milk"}', kind)
    assert done.exit_code == 1
    assert said in done.stderr
    assert net.a.chain.height == before
