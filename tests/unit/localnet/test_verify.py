"""`pyibc localnet verify`: rot at each place of a home is told, with its place, and nothing is changed."""

import json
import shutil
from hashlib import sha256

import msgspec
import pytest
from click.testing import CliRunner

import localnet.network
from iavl import MultiStore
from localnet.comet.homes import write_homes
from localnet.endpoint import LocalEndpoint
from localnet.errors import AlreadyRunning, BadSettings
from localnet.node import open_chain
from localnet.process.startup import HomeLock
from localnet.settings import COMETBFT, NodeSettings, Ports, funded, read_node, write
from localnet.storage.block_store import BlockStore
from localnet.verify import verify_home
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.chain.comet.settings import TwoSlots
from pyibc.chain.comet.snapshots import Snapshots, SnapshotSource
from pyibc.cli.localnet import command
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.relayer.money.wallet import Wallet
from tests.damage import flip_byte

BLOCKS = 6


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """A home of six blocks, each from the second on with a transaction; closed."""
    home, wallet = tmp_path_factory.mktemp("grown") / "chain-1", Wallet.from_seed("alice", "cosmos")
    state = funded([(wallet.address.text, [coin("stake", 10**9)])])
    settings = NodeSettings("chain-1", 1, 4, "seed", "cosmos", 1000, 1_700_000_000_000_000_000, state)
    write(home / "node.json", settings)
    chain = open_chain(home, settings)
    endpoint = LocalEndpoint(chain, wallet)
    while chain.height < BLOCKS:
        sent = encode_send(wallet.address.text, wallet.address.text, (coin("stake", chain.height),))
        endpoint.submit([AnyMessage(MSG_SEND, sent)])
    chain.close()
    return home


@pytest.fixture
def home(grown, tmp_path):
    return shutil.copytree(grown, tmp_path / "net" / "chain-1")


def told(home):
    return [str(problem) for problem in verify_home(home).problems]


def content(home):
    return {path: path.read_bytes() for path in home.rglob("*") if path.is_file() and "lock" not in path.name}


def test_h108_a_sound_home_has_no_problems_and_is_not_changed(home):
    before = content(home)
    found = verify_home(home)
    assert found.problems == []
    assert (found.counts["blocks"], found.counts["transactions"], found.counts["signatures"]) == (6, 5, 44)
    assert found.counts["nodes"] >= 20
    assert (found.counts["versions"], found.counts["signed blocks"]) == (6, 1)
    assert content(home) == before


def rewritten(home, height, change):
    """The block `height` as `change` makes it, rightly sealed: what only hashes and signatures find."""
    blocks = BlockStore.open(home / "blocks")
    record = change(blocks.record(height))
    blocks._put([(b"b" + height.to_bytes(8, "big"), msgspec.msgpack.encode(record))])
    blocks.close()


def header(**changes):
    return lambda record: record._replace(header=record.header._replace(**changes))


def outcome(**changes):
    def change(record):
        first = record.result.txs[0]._replace(**changes)
        return record._replace(result=record.result._replace(txs=(first,)))

    return change


def flipped(name, at):
    def change(record):
        raw = getattr(record, name)
        return record._replace(**{name: raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]})

    return change


@pytest.mark.parametrize(
    ("change", "height", "problem"),
    [
        (
            header(app_hash=bytes(32)),
            4,
            "block 4: the app hash in the header differs from that of the previous block",
        ),
        (header(app_hash=bytes(32)), 4, "block 4: the block id does not match the content"),
        (
            header(last_results_hash=bytes(32)),
            4,
            "block 4: the results hash in the header differs from that of the previous block",
        ),
        (header(proposer_address=bytes(20)), 3, "block 3: commit: "),
        (header(height=3), 4, "block 4: contains block 3 of 'chain-1'"),
        (header(chain_id="chain-2"), 4, "block 4: contains block 4 of 'chain-2'"),
        (header(validators_hash=bytes(32)), 4, "block 4: commit: "),
        (
            header(next_validators_hash=bytes(32)),
            4,
            "block 4: the next validators do not match the header",
        ),
        (header(time_ns=7), 4, "block 4: the time is not after that of the previous block"),
        (outcome(tx=b"x"), 4, "block 4: the transactions do not match the header"),
        (
            outcome(code=5),
            4,
            "block 5: the results hash in the header differs from that of the previous block",
        ),
        (
            outcome(gas_used=5),
            4,
            "block 5: the results hash in the header differs from that of the previous block",
        ),
        (
            lambda r: r._replace(result=r.result._replace(app_hash=bytes(32))),
            4,
            "block 5: the app hash in the header",
        ),
        (
            lambda r: r._replace(result=r.result._replace(app_hash=bytes(32))),
            6,
            "state: version 6: the app hash",
        ),
        (
            lambda r: r._replace(result=r.result._replace(height=5)),
            4,
            "block 4: the results are those of another block",
        ),
        (
            lambda r: r._replace(block_id=r.block_id._replace(hash=bytes(32))),
            4,
            "block 5: the header refers to an",
        ),
        (
            lambda r: r._replace(block_id=r.block_id._replace(hash=bytes(32))),
            6,
            "signed: block 6: another block",
        ),
        (flipped("commit", -1), 4, "block 4: commit: "),
        (flipped("last_commit", -1), 4, "block 4: the last commit does not match the header"),
        (flipped("last_commit", -1), 4, "block 4: last commit: "),
        (lambda r: r._replace(commit=b"\xff"), 4, "block 4: a commit cannot be read"),
    ],
)
def test_h108_a_block_that_contradicts_its_hashes_or_signatures_is_told(home, change, height, problem):
    rewritten(home, height, change)
    assert any(problem in each for each in told(home)), told(home)


def entries(home, put=(), gone=()):
    blocks = BlockStore.open(home / "blocks")
    blocks._put(put, gone)
    blocks.close()


def key(kind, height):
    return kind + height.to_bytes(8, "big")


def test_h108_records_that_lack_are_told(home):
    blocks = BlockStore.open(home / "blocks")
    digest = sha256(blocks.record(5).result.txs[0].tx).digest()
    blocks.close()
    other = b"t" + bytes(32)
    wrong = b"t" + digest
    entries(home, [(other, bytes(12)), (wrong, bytes(12))], [key(b"b", 3), key(b"v", 8)])
    text = digest.hex().upper()
    assert told(home) == [
        "blocks: block 3: missing",
        "blocks: validators 8: missing",
        f"blocks: transaction {'0' * 64}: the index names block 0, which lacks it",
        f"blocks: transaction {text}: the index has a wrong position in block 0",
    ] + [each for each in told(home)[4:] if "the index names block 3, which lacks it" in each]
    assert len(told(home)) == 5
    entries(home, (), [wrong])
    assert f"blocks: transaction {text}: not in the index: block 5" in told(home)


@pytest.mark.parametrize("part", ["state", "blocks"])
def test_h108_a_changed_byte_of_a_record_is_told(home, part):
    """On the disk, beneath LMDB: in the middle of a record that is used."""
    path = home / part / "data.mdb"
    if part == "blocks":
        blocks = BlockStore.open(home / "blocks")
        records = [blocks._entries.get(key(b"b", height)) for height in range(2, BLOCKS + 1)]
        blocks.close()
    else:
        store = MultiStore(home / "state", names_of(home))
        env = store._storage._env
        records = [record for k in env.keys(env.nodes)[-12:] if len(record := env.read(env.nodes, k)) > 40]
        store.close()
    whole = path.read_bytes()
    tried = 0
    for record in records:
        places = [at for at in range(len(whole)) if whole.startswith(record[8:40], at)] or [0]
        spoilt = bytearray(whole)
        for at in filter(None, places):  # pages that are free hold it as well
            spoilt[at + 4] ^= 1
            tried += 1
        if spoilt != whole:
            path.write_bytes(spoilt)
            assert any(each.startswith(part) for each in told(home))
    assert tried >= 5
    path.write_bytes(whole)
    assert told(home) == []


def names_of(home):
    chain = open_chain(home, read_node(home))
    names = chain.app.store.names()
    chain.close()
    return names


@pytest.mark.parametrize("part", ["state", "blocks"])
@pytest.mark.parametrize("length", [0, 100, 8192, 20480])
def test_h108_a_file_that_is_cut_short_or_lost_is_told_and_ends_no_process(home, part, length):
    path = home / part / "data.mdb"
    with path.open("r+b") as file:
        file.truncate(length)
    assert any(each.startswith(part) for each in told(home))
    path.unlink()
    assert any(each.startswith(part) for each in told(home))


def test_h108_a_record_of_signatures_that_is_damaged_lost_or_another_s_is_told(home, tmp_path):
    for turn in range(2):
        path = home / f"signed.{turn}"
        flip_byte(path)
    assert [each.split(":")[:2] for each in told(home)] == [["signed", " UnreadableSignState"]]
    path.unlink()
    assert told(home) == [f"signed: {home}: the signing record is missing"]
    assert not path.exists()


def test_h108_parts_of_different_times_are_told(grown, home, tmp_path):
    later = shutil.copytree(grown, tmp_path / "later")
    chain = open_chain(later, read_node(later))
    for _ in range(2):
        chain.make_block([])
    chain.close()
    for part in ("state", "signed.0", "signed.1"):
        target = home / part
        shutil.rmtree(target) if target.is_dir() else target.unlink()
        (shutil.copytree if (later / part).is_dir() else shutil.copy)(later / part, target)
    assert told(home) == [
        "state: version 8: ahead of the blocks, which end at 6",
        "signed: block 8: blocks were lost; they end at 6",
    ]


def test_a_home_in_use_is_not_walked(home):
    lock = HomeLock(home)
    with pytest.raises(AlreadyRunning):
        verify_home(home)
    lock.release()
    (home / "node.json").unlink()
    with pytest.raises(BadSettings):
        verify_home(home)


def test_h108_the_homes_of_validators_under_cometbft(tmp_path):
    settings = NodeSettings(
        "c-1", 1, 2, "seed", "cosmos", 1000, 1, {}, consensus=COMETBFT, ports=(Ports(1, 2, 3), Ports(4, 5, 6))
    )
    home = tmp_path / "c-1"
    write(home / "node.json", settings)
    write_homes(home, settings)
    for name in ("v0", "v1"):
        folder = home / name / "app"
        store = MultiStore(folder / "state", ["ibc"])
        store.apply({"ibc": [(b"k%d" % at, b"v" * 40) for at in range(9)]})
        store.commit(b"t")
        Snapshots(folder / "snapshots").write(
            SnapshotSource(1, store.app_hash, ["ibc"]), store.export(1, 100)
        )
        store.close()
        slots = TwoSlots(folder / "last", durable=True)
        for number in (1, 2):
            slots.write(number, b"block")
        slots.close()
    found = verify_home(home)
    assert (found.problems, found.counts["snapshots"], found.counts["nodes"]) == ([], 2, 34)
    (home / "v0" / "app" / "snapshots" / "1" / "2").write_bytes(b"rot")
    for turn in range(2):
        (home / "v1" / "app" / f"last.{turn}").write_bytes(b"rot")
    with (home / "v1" / "app" / "state" / "data.mdb").open("r+b") as file:
        file.truncate(8192)
    assert [(each.part, each.place) for each in verify_home(home).problems] == [
        ("snapshots", "v0: 1"),
        ("state", "data.mdb"),
        ("last block", "v1"),
    ]


def test_the_command(home, monkeypatch):
    monkeypatch.setattr(localnet.network, "default_root", lambda: home.parent.parent)

    def run(*arguments):
        result = CliRunner().invoke(command, ["verify", *arguments])
        return result.exit_code, result.output

    code, said = run(str(home))
    assert code == 0
    assert said.startswith("chain-1: 6 blocks, ")
    assert said.endswith(", 0 problems\n")
    rewritten(home, 4, outcome(code=5))
    code, said = run(str(home))
    assert code == 1
    assert (
        "  blocks: block 5: the results hash in the header differs from that of the previous block\n" in said
    )
    code, said = run(str(home), "--json")
    (row,) = json.loads(said)
    assert (code, row["home"], row["counts"]["blocks"]) == (1, str(home), 6)
    assert {
        "part": "blocks",
        "place": "block 5",
        "what": "the results hash in the header differs from that of the previous block",
    } in row["problems"]
    code, said = run("absent")
    assert code == 1
    assert said.startswith(f"error: no network is named 'absent' in {home.parent.parent}: ")
    (home.parent / "network.json").write_text(
        '{"name": "net", "chain_ids": ["chain-1"], "prefix": "cosmos", "wallets": {}}'
    )
    assert run("net")[0] == 1
