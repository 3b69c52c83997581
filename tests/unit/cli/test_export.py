"""`pyibc export`: what a node tells of its past is what its application told as it happened."""

from contextlib import closing

import pytest
from click.testing import CliRunner

from ibc_module.cli import main
from ibc_module.core.coin import coin
from ibc_module.core.messages import AnyMessage
from ibc_module.indexer.plugin import ExportPlugin
from ibc_module.relayer.wallet import Wallet
from localnet.chain import LocalChain
from localnet.genesis import Genesis, funded
from localnet.host.bank_send import MSG_SEND, encode_send
from localnet.rpc.server import RpcServer

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
    assert export(served.url, "--out", tmp_path / "out").output == "export-1: nothing new behind block 5\n"
    served.blocks(2)
    assert export(served.url, "--out", tmp_path / "out").output == "export-1: blocks 6 to 7\n"
    assert lines(tmp_path / "out") == served.lines()


def test_a_part_of_it(served, tmp_path):
    served.blocks(6)
    done = export(served.url, "--out", tmp_path / "out", "--from", 3, "--to", 5)
    assert done.output == "export-1: blocks 3 to 5\n"
    assert lines(tmp_path / "out") == served.lines()[2:5]
    assert export(served.url, "--out", tmp_path / "out", "--from", 2).exit_code == 1


def test_what_goes_wrong_is_one_line(served, tmp_path):
    assert export("nonsense", "--out", tmp_path / "out").exit_code == 2
    served.server.stop()
    done = export(served.url, "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert done.output.count("\n") == 1
    served.server = RpcServer(served.chain)
    served.server.start(0.01)
