"""The key-value chain: what a crash leaves behind, and what a lying peer does not get it to take."""

import json
import sqlite3
from hashlib import sha256

import pytest

from abci_server import AbciError
from abci_server.messages import requests as ask
from abci_server.messages.requests import ApplyResult, CommitInfo, OfferResult, Snapshot
from pyibc.examples.kvchain import KvApp, SnapshottingKvApp
from pyibc.examples.kvchain.__main__ import main
from pyibc.examples.kvchain.app import app_hash


def block(height, *txs):
    return ask.RequestFinalizeBlock(list(txs), CommitInfo(), [], b"", height, 0, b"", b"")


def grow(app, height, *txs):
    told = app.finalize_block(block(height, *txs))
    app.commit()
    return told.app_hash


def query(app, key, height=0):
    return app.query(ask.RequestQuery(key, "", height, False))


def info(app):
    told = app.info(ask.RequestInfo("", 0, 0, ""))
    return told.last_block_height, told.last_block_app_hash


def test_a_restart_goes_on_where_the_last_commit_was(tmp_path):
    app = KvApp(tmp_path)
    assert info(app) == (0, b"")
    first = grow(app, 1, b"a=b")
    app.finalize_block(block(2, b"a=c"))
    app.disk.close()  # killed between FinalizeBlock and Commit
    again = KvApp(tmp_path)
    assert info(again) == (1, first)
    assert query(again, b"a").value == b"b"
    assert grow(again, 2, b"a=c") == app_hash({b"a": b"c"})
    again.disk.close()


def test_a_commit_that_is_cut_short_left_nothing(tmp_path):
    app = KvApp(tmp_path)
    first = grow(app, 1, b"a=b")
    app.finalize_block(block(2, b"a=c", b"d=e"))
    app.disk.execute("CREATE TRIGGER full BEFORE INSERT ON last BEGIN SELECT RAISE(ABORT, 'full'); END")
    with pytest.raises(sqlite3.IntegrityError, match="full"):
        app.commit()
    app.disk.close()
    again = KvApp(tmp_path)
    assert info(again) == (1, first)
    assert again.state == {b"a": b"b"}
    again.disk.close()


def test_a_block_is_executed_anew_each_time(tmp_path):
    app = KvApp(tmp_path)
    app.finalize_block(block(1, b"a=b"))
    assert app.finalize_block(block(1, b"c=d")).app_hash == app_hash({b"c": b"d"})
    app.commit()
    assert app.state == {b"c": b"d"}
    app.disk.close()


def test_the_hash_is_of_the_entries_however_they_came():
    assert app_hash({b"a": b"b", b"c": b"d"}) == app_hash({b"c": b"d", b"a": b"b"})
    assert app_hash({b"a": b"bc"}) != app_hash({b"ab": b"c"})
    assert app_hash({}) == sha256(b"").digest()


@pytest.mark.parametrize("tx", [b"", b"a", b"=b", b"a=" + bytes(1023)])
def test_what_is_no_transaction_changes_nothing(tmp_path, tx):
    app = KvApp(tmp_path)
    before = grow(app, 1, b"a=b")
    with pytest.raises(AbciError) as refused:
        app.check_tx(ask.RequestCheckTx(tx, False))
    assert (refused.value.code, refused.value.codespace) == (1, "kv")
    told = app.finalize_block(block(2, tx))
    assert (told.tx_results[0].code, told.app_hash) == (1, before)
    app.disk.close()


def test_a_state_of_the_past_is_refused(tmp_path):
    app = KvApp(tmp_path)
    grow(app, 1, b"a=b")
    grow(app, 2)
    assert query(app, b"a", 2).value == b"b"
    with pytest.raises(AbciError, match="only the state of height 2"):
        query(app, b"a", 1)
    app.disk.close()


# -- state sync


@pytest.fixture
def old(tmp_path):
    app = SnapshottingKvApp(tmp_path / "old", every=5)
    for height in range(1, 21):
        grow(app, height, *(b"%d-%d=%s" % (height, n, b"v" * 100) for n in range(10)))
    yield app
    app.disk.close()


@pytest.fixture
def fresh(tmp_path):
    app = SnapshottingKvApp(tmp_path / "fresh")
    yield app
    app.disk.close()


def chunks_of(app, snapshot):
    wanted = (ask.RequestLoadSnapshotChunk(snapshot.height, 1, n) for n in range(snapshot.chunks))
    return [app.load_snapshot_chunk(each) for each in wanted]


def restore(app, snapshot, trusted, chunks):
    assert app.offer_snapshot(ask.RequestOfferSnapshot(snapshot, trusted)) is OfferResult.ACCEPT
    told = [
        app.apply_snapshot_chunk(ask.RequestApplySnapshotChunk(n, chunk, "peer"))
        for n, chunk in enumerate(chunks)
    ]
    assert [each.result for each in told[:-1]] == [ApplyResult.ACCEPT] * (len(told) - 1)
    return told[-1].result


def test_a_fresh_node_has_the_same_state(old, fresh, tmp_path):
    assert [each.height for each in old.list_snapshots()] == [10, 15, 20]
    snapshot = old.list_snapshots()[-1]
    assert snapshot.chunks > 3
    assert restore(fresh, snapshot, info(old)[1], chunks_of(old, snapshot)) is ApplyResult.ACCEPT
    assert info(fresh) == info(old)
    assert grow(fresh, 21, b"x=y") == grow(old, 21, b"x=y")
    again = KvApp(tmp_path / "fresh")
    assert info(again)[0] == 21
    again.disk.close()


LIES = {
    "another state": [json.dumps([["61", "62"]]).encode()],
    "no JSON": [b"\xff"],
    "no list": [b"7"],
    "no hexadecimal": [b'[["zz", "00"]]'],
    "deep": [b"[" * 100_000],
    "three of a pair": [b'[["00", "00", "00"]]'],
    "numbers": [b"[[1, 2]]"],
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lying_peer_changes_nothing(fresh, lie):
    snapshot = Snapshot(20, 1, len(LIES[lie]), b"hash")
    assert restore(fresh, snapshot, b"trusted", LIES[lie]) is ApplyResult.REJECT_SNAPSHOT
    assert (info(fresh), fresh.state) == ((0, b""), {})


def test_chunks_out_of_order_or_unasked_stop_the_restore(fresh):
    stray = ask.RequestApplySnapshotChunk(0, b"", "peer")
    assert fresh.apply_snapshot_chunk(stray).result is ApplyResult.ABORT
    fresh.offer_snapshot(ask.RequestOfferSnapshot(Snapshot(5, 1, 3, b""), b""))
    later = ask.RequestApplySnapshotChunk(1, b"", "peer")
    assert fresh.apply_snapshot_chunk(later).result is ApplyResult.ABORT


def test_another_format_is_refused_and_what_is_not_there_is_empty(old):
    other = Snapshot(20, 2, 1, b"")
    assert old.offer_snapshot(ask.RequestOfferSnapshot(other, b"")) is OfferResult.REJECT_FORMAT
    for height, format_, chunk in ((19, 1, 0), (20, 2, 0), (20, 1, 999)):
        assert old.load_snapshot_chunk(ask.RequestLoadSnapshotChunk(height, format_, chunk)) == b""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "HOME ADDRESS"),
        (("kv", "app.sock"), "app.sock: neither tcp://HOST:PORT nor unix://PATH"),
        (("kv", "unix://nowhere/app.sock"), "unix://nowhere/app.sock: "),
        (("/proc/nowhere", "unix://app.sock"), "/proc/nowhere"),
    ],
)
def test_wrong_use_is_one_line(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(list(arguments)) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
