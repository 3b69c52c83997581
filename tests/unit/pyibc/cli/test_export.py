"""`pyibc export`: what a node tells of its past is what its application told as it happened."""

import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress

import pytest
from click.testing import CliRunner

from localnet.chain import LocalChain
from localnet.node import open_chain
from localnet.rpc.server import RpcServer
from localnet.settings import Genesis, NodeSettings, funded
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.cli import main
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.indexer.blocks.plugin import ExportPlugin
from pyibc.relayer.money.wallet import Wallet

ALICE = Wallet.from_seed("alice", "cosmos")


class Served:
    def __init__(self, folder):
        self.folder = folder
        genesis = Genesis(funded([(ALICE.address.text, [coin("stake", 10**9)])]))
        self.chain = LocalChain("export-1", plugins=[ExportPlugin(folder)], genesis=genesis)
        self.server = RpcServer(self.chain)
        self.server.start(0.01)
        self.url = self.server.url

    def blocks(self, count):
        own = ALICE.address.text
        for _ in range(count):
            message = AnyMessage(MSG_SEND, encode_send(own, own, (coin("stake", 1),)))
            account = self.chain.app.pending_account(ALICE.address.raw)
            options = {"account_number": 0, "sequence": account.sequence, "gas_limit": 10**6}
            tx = ALICE.sign_tx([message], chain_id="export-1", **options)
            self.chain.make_block([tx, b"junk"])

    def close(self):
        self.server.stop()
        self.chain.close()

    def lines(self):
        return lines(self.folder)


def lines(folder):
    return b"".join(path.read_bytes() for path in sorted(folder.glob("*.jsonl"))).splitlines()


@pytest.fixture
def served(tmp_path):
    with closing(Served(tmp_path / "own")) as served:
        yield served


def export(*arguments):
    return CliRunner().invoke(main, ["export", *map(str, arguments)])


def test_the_past_is_told_as_it_was_and_goes_on(served, tmp_path):
    served.blocks(4)
    done = export(served.url, "--out", tmp_path / "out")
    assert (done.exit_code, done.output) == (0, "export-1: blocks 1 to 5\n")
    assert lines(tmp_path / "out") == served.lines()
    assert export(served.url, "--out", tmp_path / "out").output == "export-1: nothing new after block 5\n"
    served.blocks(2)
    assert export(served.url, "--out", tmp_path / "out").output == "export-1: blocks 6 to 7\n"
    assert lines(tmp_path / "out") == served.lines()


def test_a_part_of_it(served, tmp_path):
    served.blocks(6)
    done = export(served.url, "--out", tmp_path / "out", "--from", 3, "--to", 5)
    assert done.output == "export-1: blocks 3 to 5\n"
    assert lines(tmp_path / "out") == served.lines()[2:5]
    assert export(served.url, "--out", tmp_path / "out").output == "export-1: blocks 6 to 7\n"
    done = export(served.url, "--out", tmp_path / "out", "--from", 1)
    assert done.output == "export-1: blocks 1 to 2\n"
    assert sorted(lines(tmp_path / "out")) == sorted(served.lines())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_follows_until_it_is_told_to_stop(served, tmp_path, number):
    served.blocks(2)
    command = [
        sys.executable,
        "-m",
        "pyibc",
        "export",
        served.url,
        served.url,
        "--out",
        tmp_path / "out",
        "--follow",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        deadline = time.monotonic() + 60
        for height in (3, 5):
            while len(lines(tmp_path / "out")) < height and time.monotonic() < deadline:
                time.sleep(0.05)
            served.blocks(2 if height == 3 else 0)
        running.send_signal(number)
        said = running.communicate(timeout=30)
    assert (running.returncode, said) == (0, ("export-1: blocks 1 to 5\n", ""))
    assert lines(tmp_path / "out") == served.lines()


def test_an_empty_folder_takes_the_chain_that_is_wanted_and_no_other(served, tmp_path):
    done = export(served.url, "--out", tmp_path / "out", "--chain-id", "another-1")
    assert done.exit_code == 1
    assert "its chain is export-1, expected another-1" in done.output
    assert list((tmp_path / "out").glob("blocks-*")) == []
    assert export(served.url, "--out", tmp_path / "out", "--chain-id", "export-1").exit_code == 0
    assert lines(tmp_path / "out") == served.lines()


def test_what_goes_wrong_is_one_line(served, tmp_path):
    assert export("nonsense", "--out", tmp_path / "out").exit_code == 2
    served.server.stop()
    done = export(served.url, "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert done.output.count("\n") == 1
    served.server = RpcServer(served.chain)
    served.server.start(0.01)


def test_blocks_that_are_not_there_yet_are_no_success(served, tmp_path):
    served.blocks(4)
    done = export(served.url, "--out", tmp_path / "out", "--to", 7)
    assert done.exit_code == 1
    assert "must be less than or equal to the current blockchain height 5" in done.output
    assert lines(tmp_path / "out") == served.lines()  # all that there are
    for wanted in (["--from", 9], ["--from", 9, "--to", 9]):
        done = export(served.url, "--out", tmp_path / "none", *wanted)
        assert (done.exit_code, done.output.count("\n")) == (1, 1)
    assert export(served.url, "--out", tmp_path / "out").output == "export-1: nothing new after block 5\n"
    done = export(served.url, "--out", tmp_path / "out", "--from", 3, "--to", 2)
    assert done.exit_code == 2
    assert "--from 3 is above --to 2" in done.output


def test_a_port_that_speaks_no_http_is_told_so(tmp_path):
    def speak(listener):
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            with peer, suppress(OSError):
                peer.sendall(b"\x00\x00\x12\x04\x00\xff\n" * 3)  # as gRPC begins
                peer.recv(1000)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        speaker = threading.Thread(target=speak, args=(listener,))
        speaker.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        done = export(url, "--out", tmp_path / "out")
        listener.shutdown(socket.SHUT_RDWR)  # its accept raises
        speaker.join()
    assert (done.exit_code, done.output) == (
        1,
        f"Error: {url}: no answer in HTTP (BadStatusLine): is it an RPC port?\n",
    )


def test_a_node_writes_again_what_its_export_lost(tmp_path):
    settings = NodeSettings("export-1", 0, 1, "seed", "cosmos", 1000, 10**18, {}, export=True)
    chain = open_chain(tmp_path, settings)
    for _ in range(6):
        chain.make_block([])
    chain.close()
    whole = lines(tmp_path / "export")
    (path,) = (tmp_path / "export").glob("*.jsonl")
    path.write_bytes(b"\n".join([whole[0], *whole[3:6]]) + b"\n" + whole[6][:40])  # without 2, 3 and the tip
    chain = open_chain(tmp_path, settings)
    chain.make_block([])
    found = lines(tmp_path / "export")
    chain.close()
    assert sorted(line for line in found if b" export-1 8 " not in line) == sorted(whole)
    assert len(found) == 8
