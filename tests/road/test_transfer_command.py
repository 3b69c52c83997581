"""`pyibc tx transfer` against nodes in this process: over one chain to the third, and what is wrong use."""

import json

import pytest
from click.testing import CliRunner

from conformance.kit.serving import serving
from pyibc.apps.packet_forward.plugin import PacketForwardPlugin
from pyibc.apps.transfer.coins import voucher
from pyibc.apps.transfer.denom import native
from pyibc.cli.relay import command as relay
from pyibc.cli.tx import command as tx
from pyibc.default_plugins import plugins
from pyibc.relayer.money.wallet import Wallet

RELAYER, OWNER = "11" * 32, "22" * 32
ADDRESS = Wallet(bytes.fromhex(OWNER), "cosmos").address
RECEIVER = Wallet.from_seed("receiver", "cosmos").address


def listed(config):
    return [PacketForwardPlugin(), *plugins(config)]


@pytest.fixture
def nodes(monkeypatch):
    """Three chains, behind their RPC."""
    monkeypatch.setenv("OWNER", OWNER)
    monkeypatch.setenv("RELAYER", RELAYER)
    with serving(("one-1", "two-2", "three-3"), listed, [RELAYER, OWNER], 0.1) as servers:
        yield servers


def between(a, b):
    return ["--a", a.url, "--b", b.url, "--key", "env:RELAYER"]


def invoked(command, *words):
    result = CliRunner().invoke(command, list(words))
    assert result.exit_code == 0, result.output
    return result.output


def transfer(node, *words):
    return json.loads(invoked(tx, "transfer", *words, "--node", node.url, "--key", "env:OWNER", "--json"))


def held(node, address, denom):
    app = node.chain.app
    return app.bank.balance(app.query_context(), address.raw, denom)


def test_over_one_chain_to_the_third_by_command(nodes):
    one, two, three = nodes
    invoked(relay, "create", "path", *between(two, three))  # so that two's channels have different names
    opened = [json.loads(invoked(relay, "create", "path", *between(*pair), "--new-channel", "--json"))
              for pair in ((one, two), (two, three))]  # fmt: skip
    (near, far), (on, last) = [(path["a"]["channel_id"], path["b"]["channel_id"]) for path in opened]
    assert on != far
    sent = transfer(one, near, RECEIVER.text, "7grain", "--forward", f"{on},retries=2,timeout=5m")
    assert sent["sequence"] == 1
    assert json.loads(sent["memo"])["forward"] == {
        "channel": on, "port": "transfer", "receiver": RECEIVER.text, "retries": 2, "timeout": 300 * 10**9,
    }  # fmt: skip
    for pair, channel in (((one, two), near), ((two, three), on), ((one, two), near)):
        invoked(relay, *between(*pair), "--channel", channel)
    name = voucher(voucher(native("grain"), "transfer", far), "transfer", last)
    assert held(three, RECEIVER, name.coin_denom) == 7
    assert held(one, ADDRESS, "grain") == 10**6 - 7


def test_over_a_client_the_timeout_is_in_seconds(nodes):
    one, two, _ = nodes
    made = json.loads(invoked(relay, "create", "path", "--protocol", "v2", *between(one, two), "--json"))
    assert transfer(one, made["a"]["client_id"], RECEIVER.text, "7grain", "--memo", "hello")["sequence"] == 1
    assert held(one, ADDRESS, "grain") == 10**6 - 7


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["channel-0", "r", "5"], "not an amount of a coin"),
        (["channel-0", "r", "0stake"], "not an amount of a coin"),
        (["channel-0", "r", "5stake", "--timeout", "0s"], "--timeout"),
        (["channel-0", "r", "5stake", "--timeout", "10"], "--timeout"),
        (
            ["channel-0", "r", "5stake", "--forward", "channel-1", "--memo", ""],
            "cannot be combined with --memo",
        ),
        (["07-tendermint-0", "r", "5stake", "--forward", "channel-1"], "'07-tendermint-0' is not one"),
        (["channel-0", "r", "5stake", "--forward", "c"], "--forward c:"),
        (["channel-0", " ", "5stake", "--forward", "channel-1"], "RECEIVER is empty"),
        (["channel-0", "r", "5stake", "--forward", "channel-1,retries=256"], "retries are 0 to 255"),
        (["channel-0", "r", "5stake", "--forward", "channel-1,retries=-1"], "retries are 0 to 255"),
        (["channel-0", "r", "5stake", "--forward", "channel-1,timeout=5"], "'5' is not a time"),
        (["channel-0", "r", "5stake", "--forward", "channel-1,hurry=1"], "'hurry' is not among"),
    ],
)
def test_wrong_use(words, said):
    result = CliRunner().invoke(tx, ["transfer", *words])
    assert result.exit_code == 2, result.output
    assert said in result.output
