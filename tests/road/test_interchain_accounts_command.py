"""`pyibc tx ica` and `pyibc query ica` against nodes in this process, and `pyibc relay` for what they do."""

import json
from contextlib import closing

import pytest
from click.testing import CliRunner

from conformance.kit.serving import serving
from pyibc.apps.interchain_accounts.packet_data import controller_port
from pyibc.apps.interchain_accounts.plugin import InterchainAccountsPlugin
from pyibc.cli.query import command as query
from pyibc.cli.relay import command as relay
from pyibc.cli.tx import command as tx
from pyibc.codec.protojson import read_any
from pyibc.default_plugins import plugins
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.money.fees import GasPrice
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint

RELAYER, OWNER = "11" * 32, "22" * 32
ADDRESS = Wallet(bytes.fromhex(OWNER), "cosmos").address.text


def listed(config):
    return [InterchainAccountsPlugin(), *plugins(config)]


@pytest.fixture
def nodes():
    """Two chains with interchain accounts, behind their RPC."""
    with serving(("one-1", "two-2"), listed, [RELAYER, OWNER], 0.1) as servers:
        yield servers


def invoked(command, *words):
    result = CliRunner().invoke(command, list(words))
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def submitted(url, message):
    gas = GasConfig(price=GasPrice.parse("0stake"))
    with closing(RpcEndpoint.connect(url, Wallet(bytes.fromhex(OWNER), "cosmos"), gas, RpcConfig())) as chain:
        return chain.submit([read_any(message)]).code


@pytest.mark.parametrize("encoding", ["proto3", "proto3json"])
def test_an_account_by_command(nodes, tmp_path, monkeypatch, encoding):
    monkeypatch.setenv("OWNER", OWNER)
    monkeypatch.setenv("RELAYER", RELAYER)
    both = ["--a", nodes[0].url, "--b", nodes[1].url, "--key", "env:RELAYER", "--json"]
    mine = ["--node", nodes[0].url, "--key", "env:OWNER", "--json"]
    for part in ("client", "connection"):
        made = invoked(relay, "create", part, *both)
    connection = made["a"]["connection_id"]
    opened = invoked(tx, "ica", "register", connection, "--encoding", encoding, "--order", "ordered", *mine)
    port, channel = opened["port_id"], opened["channel_id"]
    assert port == controller_port(ADDRESS)
    invoked(relay, "create", "path", "--port", port, "--channel", channel, *both)
    asked = ["account", connection, ADDRESS, "--node", nodes[0].url, "--json"]
    account = invoked(query, "ica", *asked)["address"]
    pay = {"@type": "/cosmos.bank.v1beta1.MsgSend", "amount": [{"denom": "grain", "amount": "7"}]}
    fund = {**pay, "from_address": ADDRESS, "to_address": account}
    assert submitted(nodes[1].url, fund) == 0
    spend = {**pay, "from_address": account, "to_address": ADDRESS}
    file = tmp_path / "messages.json"
    file.write_text(json.dumps([spend]))
    assert invoked(tx, "ica", "send", connection, str(file), "--timeout", "1h30m", *mine)["sequence"] == 1
    done = CliRunner().invoke(relay, ["--port", port, "--channel", channel, *both[:-1]])
    assert done.exit_code == 0, done.output
    app = nodes[1].chain.app
    raw = app.addresses.decode(account, "account").raw
    assert app.bank.balance(app.query_context(), raw, "grain") == 0


@pytest.mark.parametrize("side", ["controller", "host"])
def test_parameters_by_command(nodes, side):
    found = invoked(query, "ica", "params", side, "--node", nodes[0].url)
    on_host = {"host_enabled": True, "allow_messages": ["*"]}
    assert found == ({"controller_enabled": True} if side == "controller" else on_host)


def test_nothing_to_send_over(nodes, tmp_path, monkeypatch):
    monkeypatch.setenv("OWNER", OWNER)
    file = tmp_path / "messages.json"
    file.write_text(json.dumps({"@type": "/cosmos.bank.v1beta1.MsgSend"}))
    words = ["ica", "send", "connection-0", str(file), "--node", nodes[0].url, "--key", "env:OWNER"]
    result = CliRunner().invoke(tx, words)
    assert result.exit_code == 1
    assert f"no active channel on connection-0 for {controller_port(ADDRESS)}" in result.output


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "Expecting property name"),
        ('{"@type": "/no.Msg"}', "no known type"),
        ('[{"@type": "/cosmos.bank.v1beta1.MsgSend", "more": 1}]', "more"),
    ],
)
def test_a_file_of_no_messages_is_wrong_use(tmp_path, content, said):
    file = tmp_path / "messages.json"
    file.write_text(content)
    result = CliRunner().invoke(tx, ["ica", "send", "connection-0", str(file)])
    assert result.exit_code == 2
    assert said in result.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--node", "http://127.0.0.1:9"], "--node needs --key"),
        (["--network", "no-such-network"], "no-such-network"),
        (["--key", "env:OWNER"], "--key needs --node"),
    ],
)
def test_wrong_use(words, said):
    result = CliRunner().invoke(tx, ["ica", "register", "connection-0", *words])
    assert result.exit_code == 2
    assert said in result.output


def test_a_time_that_is_none(tmp_path):
    file = tmp_path / "messages.json"
    file.write_text("{}")
    result = CliRunner().invoke(tx, ["ica", "send", "connection-0", str(file), "--timeout", "0s"])
    assert result.exit_code == 2
    assert "--timeout" in result.output
