"""`pyibc relay create --names` and `pyibc tx channel close` against nodes in this process."""

import json

import pytest
from click.testing import CliRunner

from conformance.kit.scripted_app import PORT, VERSION, ScriptedPlugin
from conformance.kit.serving import serving
from localnet.endpoint import LocalEndpoint
from pyibc.cli.relay import command as relay
from pyibc.cli.tx import command as tx
from pyibc.default_plugins import plugins
from pyibc.direct.plugin import DirectPlugin
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.ends import channel_end

KEY = "11" * 32
NAMES = "x-end-on-one", "x-end-on-two"
CONNECTIONS = "conn-end-on-one", "conn-end-on-two"


RUNNER = CliRunner(env={"RELAYER": KEY})


@pytest.fixture(scope="module")
def nodes():

    def listed(config):
        return [*plugins(config), DirectPlugin(), ScriptedPlugin(PORT)]

    with serving(("one-1", "two-2"), listed, [KEY], 0.1) as servers:
        yield servers


def run(command, nodes, *words):
    if command is tx:
        where = ["--node", nodes[0].url, "--key", "env:RELAYER", "--json"]
    else:
        where = ["--a", nodes[0].url, "--b", nodes[1].url, "--key", "env:RELAYER", "--json"]
    return RUNNER.invoke(command, [*words, *where])


def said(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def states(nodes):
    wallet = Wallet(bytes.fromhex(KEY), "cosmos")
    ends = [channel_end(LocalEndpoint(node.chain, wallet, on_demand=False), PORT, name)
            for node, name in zip(nodes, NAMES, strict=True)]  # fmt: skip
    return [end.state.name for end in ends]


def test_named_ends_are_opened_relayed_and_closed_by_command(nodes):
    options = ("--port", PORT, "--version", VERSION)
    said(run(relay, nodes, "create", "client"))
    made = said(run(relay, nodes, "create", "connection", "--names", *CONNECTIONS))
    assert [made[side]["connection_id"] for side in "ab"] == list(CONNECTIONS)
    over = ("--connection", CONNECTIONS[0], "--names", *NAMES)
    opened = said(run(relay, nodes, "create", "channel", *options, *over))
    assert [opened[side]["channel_id"] for side in "ab"] == list(NAMES)
    assert states(nodes) == ["OPEN", "OPEN"]
    assert said(run(relay, nodes, "create", "path", "--port", PORT, "--channel", NAMES[0])) == opened
    closed = said(run(tx, nodes, "channel", "close", PORT, NAMES[0]))
    end = {"chain_id": "one-1", "port_id": PORT, "channel_id": NAMES[0], "state": "CLOSED"}
    assert end.items() <= closed.items()
    assert closed.keys() - end.keys() == {"tx", "height", "gas_used", "gas_wanted"}
    told = said(run(relay, nodes, "--port", PORT, "--channel", NAMES[0]))
    assert told["given_up"] == {}
    assert states(nodes) == ["CLOSED", "CLOSED"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["create", "path", "--names", *NAMES, "--new-channel"], "cannot be combined with --new-channel"),
        (
            ["create", "path", "--names", *NAMES, "--channel", "channel-0"],
            "cannot be combined with --channel",
        ),
        (["create", "connection", "--names", *CONNECTIONS, "--new"], "cannot be combined with --new"),
        (["create", "path", "--names", *NAMES, "--protocol", "v2"], "--names: not with --protocol v2"),
    ],
)
def test_names_say_which_one_is_meant(nodes, words, text):
    result = run(relay, nodes, *words)
    assert result.exit_code == 2, result.output
    assert text in result.output
