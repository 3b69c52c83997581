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
from ibc_core import paths
from ibc_core.height import ZERO_HEIGHT
from ibc_core.packet_v2.types import NS_PER_S
from ibc_core.transfer.msg_transfer import MsgTransfer
from ibc_core.wire.message import pack_msg
from ibc_module.plugin import AttestationsPlugin, plugins
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.rpc_account import GasConfig
from ibc_relayer.rpc_client import RpcConfig
from ibc_relayer.rpc_endpoint import RpcEndpoint
from ibc_relayer.wallet import Wallet
from pyibc.cli import main
from pyibc.cli.relay_configured import WORK_LEFT
from tests.waiting import until

KEY, USER_KEY = "11" * 32, "22" * 32
MNEMONIC = "test test test test test test test test test test test junk"
FIRST_OF_MNEMONIC = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"  # as Ethereum's tools have it
CONFIG = """
[relayer]
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


@pytest.mark.slow
def test_a_path_is_made_and_relayed_by_the_word_of_attestors(nodes, attestor, tmp_path):
    one, two = nodes
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "key").chmod(0o600)
    started = [attestor(two, key) for key in ("0x" + "33" * 32, "44" * 32, MNEMONIC)]
    listed = [said for _, said in started]
    assert listed[2].partition("@")[0] == FIRST_OF_MNEMONIC
    between = ("--a", one.url, "--b", two.url, "--key", str(tmp_path / "key"))
    quorum = ("--attestors-b", f"two-2:2:{','.join(listed)}")
    made = run("relay", "create", "path", "--protocol", "v2", *between, *quorum)
    assert made[0] == 0, made[1]
    started[0][0].kill()  # two of three are enough
    wallet, config = Wallet(bytes.fromhex(KEY), "cosmos"), RpcConfig(poll_s=0.1)
    user = Wallet(bytes.fromhex(USER_KEY), "cosmos")
    with ExitStack() as open_:
        a, b, sender = (
            open_.enter_context(closing(RpcEndpoint.connect(each.url, signer, GasConfig(), config)))
            for each, signer in ((one, wallet), (two, wallet), (one, user))
        )
        assert ForeignClient(b, a, "07-tendermint-0").view().chain_id == "one-1"
        soon = b.tip().time_ns // NS_PER_S + 600
        sent = (
            "transfer",
            "attestations-0",
            "stake",
            "7",
            sender.signer,
            b.signer,
            ZERO_HEIGHT,
            soon,
            "",
            "",
        )
        assert sender.submit([pack_msg(MsgTransfer(*sent))]).code == 0
        file = tmp_path / "relayer.toml"
        file.write_text(CONFIG.format(one=one.url, two=two.url, listed=json.dumps(listed)))
        assert run("relay", "check", "--config", str(file)) == (
            0,
            "chain one-1: ok\nchain two-2: ok\npath one-1/attestations-0/two-2: ok\n",
        )
        found = run("relay", "query", "paths", "one-1", "two-2", "--config", str(file), "--json")
        assert [json.loads(line)["usable"] for line in found[1].splitlines()] == [True]
        without = file.with_name("without.toml")
        without.write_text(
            "".join(
                line
                for line in file.read_text().splitlines(keepends=True)
                if not line.startswith("attestors")
            )
        )
        code, said = run("relay", "check", "--config", str(without))
        assert (code, said.splitlines()[-1]) == (
            3,
            "path one-1/attestations-0/two-2: one-1: attestations-0: no driver of clients of its type",
        )
        words = [sys.executable, "-m", "pyibc", "relay", "start", "--config", str(file)]
        daemon = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        try:
            until(lambda: two.chain.get(paths.packet_receipt_v2_path("07-tendermint-0", 1)) is not None)
            until(lambda: one.chain.get(paths.packet_commitment_v2_path("attestations-0", 1)) is None)
        finally:
            daemon.send_signal(signal.SIGTERM)
            assert daemon.wait(30) in {0, WORK_LEFT}  # it may not have seen the last block
    for process, _ in started[1:]:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
