"""`pyibc relay` against nodes in this process."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing

import pytest
from click.testing import CliRunner

from conformance.kit.serving import serving
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.chain.parts import plugins_with_queues
from pyibc.cli.relay import command
from pyibc.core.height import Height
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.proto.ibc.core.channel.v1 import query_pb2
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.packets.queries import PACKET_COMMITMENTS
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint

KEY, USER_KEY = "11" * 32, "22" * 32


@pytest.mark.parametrize(
    ("arguments", "exit_code", "said"),
    [
        (["--a", "http://127.0.0.1:9"], 2, "use --a, --b and --key"),
        (["--network", "no-such-network"], 2, "no-such-network"),
        (["--order", "sideways"], 2, "sideways"),
        (["--a", "ftp://x", "--b", "ftp://y", "--key", "KEY"], 2, "not an http(s) URL"),
        (["--prefix", "x", "y"], 2, "use --a, --b and --key"),
        (["--drivers", "nowhere"], 2, "--drivers: 'nowhere' is not module:callable"),
        (["--drivers", "json:nothing"], 2, "--drivers: 'json:nothing': module 'json' has no attribute"),
        (["--attestors-a", "one-1:2"], 2, "--attestors-a must be CHAIN:THRESHOLD:0xADDRESS@URL,..."),
        (
            ["--attestors-b", "two-2:2:0x1a@http://x"],
            2,
            "--attestors-b: not an attestor: 0xADDRESS@URL is expected",
        ),
        (["--attestors-b", f"two-2:2:0x{'1a' * 20}@http://x"], 2, "two-2: threshold 2 of 1 is out of range"),
        (
            ["--attestors-b", f"two-2:1:0x{'1a' * 20}@http://x", "--drivers", "os:getcwd"],
            2,
            "use either --drivers or attestors",
        ),
        (["--drivers", "os:getcwd"], 2, "--drivers: 'os:getcwd' returned a str, not Drivers"),
    ],
)
def test_wrong_use(key_file, arguments, exit_code, said) -> None:
    result = CliRunner().invoke(command, [a.replace("KEY", key_file) for a in arguments])
    assert result.exit_code == exit_code
    assert said in result.output


def test_malformed_key(tmp_path) -> None:
    (tmp_path / "key").write_text("1234")
    (tmp_path / "key").chmod(0o600)
    arguments = ["--a", "http://a", "--b", "http://b", "--key", str(tmp_path / "key")]
    result = CliRunner().invoke(command, arguments)
    assert (result.exit_code, "not 64 hex digits" in result.output) == (2, True)


@pytest.fixture
def nodes():
    """Two chains that make blocks, behind their RPC."""
    with serving(("one-1", "two-2"), plugins, [KEY, USER_KEY], 0.25) as servers:
        yield servers


@pytest.fixture
def arguments(nodes, key_file):
    """Which chains, and with whose key."""
    return ["--a", nodes[0].url, "--b", nodes[1].url, "--key", key_file]


def test_opens_a_channel_and_finds_it_again(arguments, tmp_path) -> None:
    nothing = CliRunner().invoke(command, arguments)
    assert (nothing.exit_code, "`pyibc relay create path --protocol channel`" in nothing.output) == (1, True)
    first = CliRunner().invoke(command, ["create", "path", *arguments, "--gas-price", "0.001stake"])
    second = CliRunner().invoke(command, [*arguments, "--json", "--journal", str(tmp_path / "j.db")])
    assert (first.exit_code, second.exit_code) == (0, 0), first.output + second.output
    assert "one-1 channel-0 <-> channel-0 two-2" in first.output
    said = json.loads(second.output)
    assert (said["a"]["channel_id"], said["b"]["channel_id"]) == ("channel-0", "channel-0")
    assert (said["transactions"], said["given_up"]) == (0, {})


PERIOD_NS = 3_600 * 10**9
DRIVERS = f"""
from pyibc.relayer import ClientSettings, Drivers, TendermintDriver

def make():
    return Drivers(TendermintDriver(ClientSettings(trusting_ns={PERIOD_NS})))
"""


@pytest.mark.parametrize("protocol", ["channel", "v2", "queue"])
def test_new_clients_are_made_by_the_drivers_given(tmp_path, key_file, monkeypatch, protocol) -> None:
    (tmp_path / "shop_of_drivers.py").write_text(DRIVERS)
    monkeypatch.syspath_prepend(tmp_path)
    with serving(("one-1", "two-2"), plugins_with_queues, [KEY], 0.1) as (one, two):
        options = [
            "--key",
            key_file,
            "--protocol",
            protocol,
            "--drivers",
            "shop_of_drivers:make",
        ]
        done = CliRunner().invoke(command, ["create", "path", "--a", one.url, "--b", two.url, *options])
        assert done.exit_code == 0, done.output
        relayed = CliRunner().invoke(command, ["--a", one.url, "--b", two.url, *options])
        assert relayed.exit_code == 0, relayed.output
        refused = CliRunner().invoke(command, ["--a", one.url, "--b", two.url, *options[:-2]])
        assert refused.exit_code == 1
        assert "trusting_period 3600 s (ours 1209600 s)" in refused.output
        wallet, config = Wallet(bytes.fromhex(KEY), "cosmos"), RpcConfig(poll_s=0.1)
        a, b = (RpcEndpoint.connect(each.url, wallet, GasConfig(), config) for each in (one, two))
        with closing(a), closing(b):
            periods = [
                ForeignClient(*ends, "07-tendermint-0").view().trusting_ns for ends in ((a, b), (b, a))
            ]
    assert periods == [PERIOD_NS, PERIOD_NS]


def _send(endpoint, number) -> None:
    user = endpoint.signer
    msg = MsgTransfer("transfer", "channel-0", "stake", "5", user, user, Height(2, 10**6), 0, "")
    outcome = endpoint.submit([pack_msg(msg)] * number)
    assert outcome.code == 0, outcome


def _unanswered(endpoint) -> int:
    request = query_pb2.QueryPacketCommitmentsRequest(port_id="transfer", channel_id="channel-0")
    answer = endpoint.grpc(PACKET_COMMITMENTS, request.SerializeToString())
    return len(query_pb2.QueryPacketCommitmentsResponse.FromString(answer).commitments)


def _said(log):
    return [json.loads(line) for line in log.read_text().splitlines()]


def _wait_for(condition) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    pytest.fail("not in a minute")


@pytest.mark.parametrize("journal", [True, False])
def test_killed_with_packets_in_flight_and_started_again(nodes, arguments, tmp_path, journal) -> None:
    log = tmp_path / "log"
    more = [
        "--follow",
        "--json",
        "--interval",
        "0.1",
        *(["--journal", str(tmp_path / "j")] if journal else []),
    ]

    def start() -> subprocess.Popen[bytes]:
        with log.open("ab") as out:
            return subprocess.Popen(
                [sys.executable, "-m", "pyibc", "relay", *arguments, *more], stdout=out, stderr=out
            )

    opened = CliRunner().invoke(command, ["create", "path", *arguments])
    assert opened.exit_code == 0, opened.output
    relayer = start()
    _wait_for(lambda: _said(log))
    user = Wallet(bytes.fromhex(USER_KEY), "cosmos")
    terms = GasConfig()
    with closing(RpcEndpoint.connect(nodes[0].url, user, terms, RpcConfig())) as endpoint:
        _send(endpoint, 20)
        os.kill(relayer.pid, signal.SIGKILL)
        relayer.wait()
        _send(endpoint, 20)
        log.write_text("")
        relayer = start()
        _wait_for(lambda: _unanswered(endpoint) == 0)
    _wait_for(lambda: _said(log) and _said(log)[-1]["acknowledged"] >= 20)
    relayer.send_signal(signal.SIGINT)
    assert relayer.wait(30) == 0
    last = _said(log)[-1]
    assert (last["given_up"], last["unreadable"]) == ({}, 0)
