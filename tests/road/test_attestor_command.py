"""Attestors as processes, and a chain that is followed by their word: all of it by commands."""

import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack, closing

import pytest
from click.testing import CliRunner

from conformance.kit.serving import serving
from ibc_module.plugin import AttestationsPlugin
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.cli import main
from pyibc.cli.relay.configured import WORK_LEFT
from pyibc.core import paths
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.packet_v2.types import NS_PER_S
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from tests.waiting import until

KEY, USER_KEY = "11" * 32, "22" * 32
MNEMONIC = "test test test test test test test test test test test junk"
FIRST_OF_MNEMONIC = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"  # as Ethereum's tools have it
CONFIG = """
[relayer]
locks = "."
interval = 0.1

[[chains]]
id = "one-1"
rpc = ["{one}"]
key = {{ file = "key" }}

[[chains]]
id = "two-2"
rpc = ["{two}"]
key = {{ file = "key" }}
attestors = {{ listed = {listed}, threshold = 2 }}

[[paths]]
a = "one-1"
b = "two-2"
protocol = "v2"
client = "attestations-0"
"""


def run(*words):
    done = CliRunner().invoke(main, list(words))
    return done.exit_code, done.output


@pytest.fixture
def nodes():
    with serving(
        ("one-1", "two-2"), lambda c: [*plugins(c), AttestationsPlugin()], [KEY, USER_KEY], 0.2
    ) as two:
        yield two


@pytest.fixture
def attestor(tmp_path):
    """Starts attestors; gives the process and what it said."""
    with ExitStack() as running:

        def start(node, key, *more):
            words = [sys.executable, "-m", "pyibc", "localnet", "attestor", "--node", node.url]
            process = subprocess.Popen(
                [*words, "--sign-with", "env:ATTESTOR", *more],
                env={**os.environ, "ATTESTOR": key},
                stdout=subprocess.PIPE,
                text=True,
            )
            running.callback(process.stdout.close)
            running.callback(process.wait)
            running.callback(process.kill)
            return process, process.stdout.readline().strip()

        yield start


@pytest.fixture
def attested(nodes, attestor, key_file, tmp_path):
    """A path over a client of three attestors, of whom one is gone: the others, and the relayer's file."""
    one, two = nodes
    started = [attestor(two, each) for each in ("0x" + "33" * 32, "44" * 32, MNEMONIC)]
    listed = [said for _, said in started]
    assert listed[2].partition("@")[0] == FIRST_OF_MNEMONIC
    quorum = ("--attestors-b", f"two-2:2:{','.join(listed)}")
    between = ("--protocol", "v2", "--a", one.url, "--b", two.url, "--key", key_file)
    code, said = run("relay", "create", "path", *between, *quorum)
    assert code == 0, said
    started[0][0].kill()
    file = tmp_path / "relayer.toml"
    file.write_text(CONFIG.format(one=one.url, two=two.url, listed=json.dumps(listed)))
    return [process for process, _ in started[1:]], file


def send(one, two):
    """A packet of IBC v2 from the first chain; its client on the second one follows headers."""
    relayer, user = (Wallet(bytes.fromhex(each), "cosmos") for each in (KEY, USER_KEY))
    with ExitStack() as open_:
        sender, b = (
            open_.enter_context(closing(RpcEndpoint.connect(each.url, signer, GasConfig(), RpcConfig())))
            for each, signer in ((one, user), (two, relayer))
        )
        assert ForeignClient(b, sender, "07-tendermint-0").view().chain_id == "one-1"
        soon = b.tip().time_ns // NS_PER_S + 600
        way, ends = ("transfer", "attestations-0"), (sender.signer, b.signer)
        message = MsgTransfer(*way, "stake", "7", *ends, ZERO_HEIGHT, soon, "", "")
        assert sender.submit([pack_msg(message)]).code == 0


def relayed(one, two):
    receipt = two.chain.get(paths.packet_receipt_v2_path("07-tendermint-0", 1))
    return receipt is not None and one.chain.get(paths.packet_commitment_v2_path("attestations-0", 1)) is None


def test_a_path_by_the_word_of_attestors_is_checked_and_relayed(nodes, attested):
    attestors, file = attested
    path = "path one-1/attestations-0/two-2:"
    whole = run("relay", "check", "--config", str(file))
    assert whole == (0, f"chain one-1: ok\nchain two-2: ok\n{path} ok\n")
    found = run("relay", "query", "paths", "one-1", "two-2", "--config", str(file), "--json")
    assert [json.loads(line)["usable"] for line in found[1].splitlines()] == [True]
    text = file.read_text()
    file.write_text(text.replace("\nattestors", "\n# attestors"))
    code, said = run("relay", "check", "--config", str(file))
    assert code == WORK_LEFT
    assert said.splitlines()[-1] == f"{path} one-1: attestations-0: its client type is not supported"
    file.write_text(text)
    send(*nodes)
    words = [sys.executable, "-m", "pyibc", "relay", "start", "--config", str(file)]
    daemon = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    try:
        until(lambda: relayed(*nodes))
    finally:
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(30) in {0, WORK_LEFT}  # it may not have seen the last block
    for process in attestors:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
