"""Taking snapshots, and starting from one that nobody is believed about."""

import os
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abci_server.messages import requests as ask
from abci_server.messages.requests import ApplyResult, OfferResult, Snapshot
from iavl import IavlError
from pyibc.chain.comet.app import CometApp
from pyibc.chain.comet.settings import OutOfStep, Retention, write_synced
from pyibc.chain.comet.snapshots import FEW_CHUNKS, Snapshots, SnapshotSource, snapshot_of
from pyibc.chain.comet.state_sync import SnapshotTaker
from pyibc.core.errors import StateNotFound
from tests.damage import flip_byte
from tests.sampling import rounds


@pytest.fixture
def old(comet, sign, tmp_path):
    """A chain of some blocks with its state of height 4 in chunks."""
    chain = comet()
    chain.init()
    chain.block()
    for sequence in range(3):
        chain.block([sign(sequence=sequence)])
    chain.chunks = list(chain.app.host.store.export(4, 90))
    chain.snapshot = snapshot_of(4, b"".join(sha256(chunk).digest() for chunk in chain.chunks))
    assert len(chain.chunks) > 5
    return chain


def offer(chain, snapshot, app_hash):
    return chain.app.offer_snapshot(ask.RequestOfferSnapshot(snapshot, app_hash))


def give(chain, index, chunk, sender="peer"):
    return chain.app.apply_snapshot_chunk(ask.RequestApplySnapshotChunk(index, chunk, sender))


def join(fresh, old):
    assert offer(fresh, old.snapshot, old.info().last_block_app_hash) is OfferResult.ACCEPT
    for index, chunk in enumerate(old.chunks):
        assert give(fresh, index, chunk).result is ApplyResult.ACCEPT


def untouched(chain):
    return chain.info().last_block_height == 0


def test_a_fresh_application_goes_on_from_a_snapshot(comet, old, sign):
    fresh = comet("fresh")
    join(fresh, old)
    assert fresh.info() == old.info()
    query = ("/store/acc/key", b"globalAccountNumber", 4, True)
    assert fresh.query(*query) == old.query(*query)
    for chain in (old, fresh):
        chain.done = chain.block([sign(sequence=3)])
    assert fresh.done == old.done
    fresh.app.close()
    assert comet("fresh").info() == old.info()


def test_what_is_restored_is_on_disk_before_the_last_chunk_is_answered(comet, old):
    fresh = comet("fresh")
    join(fresh, old)
    fresh.app.host.store.close()
    again = comet("fresh")
    assert again.info() == old.info()
    with pytest.raises(StateNotFound):  # no hash covers it: the next block tells
        assert again.app.host.query_context().time_ns


def test_a_bad_chunk_is_asked_for_again_and_its_sender_left(comet, old):
    fresh = comet()
    app_hash = old.info().last_block_app_hash
    assert offer(fresh, old.snapshot, app_hash) is OfferResult.ACCEPT
    assert give(fresh, 0, old.chunks[0]).result is ApplyResult.ACCEPT
    told = give(fresh, 1, old.chunks[1] + b"x", "liar")
    assert (told.result, told.refetch_chunks, told.reject_senders) == (ApplyResult.RETRY, [1], ["liar"])
    for index, chunk in enumerate(old.chunks[1:], 1):
        assert untouched(fresh)
        assert give(fresh, index, chunk).result is ApplyResult.ACCEPT
    assert fresh.info() == old.info()


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ({"format": 1}, OfferResult.REJECT_FORMAT),
        ({"format": 0}, OfferResult.REJECT_FORMAT),
        ({"chunks": 0}, OfferResult.REJECT),
        ({"chunks": 1 << 31}, OfferResult.REJECT),
        ({"hash": bytes(32)}, OfferResult.REJECT),
        ({"metadata": b""}, OfferResult.REJECT),
        ({"height": 0}, OfferResult.REJECT),
    ],
)
def test_snapshots_that_are_not_taken(comet, old, change, answer):
    fresh = comet()
    assert offer(fresh, old.snapshot._replace(**change), bytes(32)) is answer
    assert give(fresh, 0, old.chunks[0]).result is ApplyResult.ABORT
    assert untouched(fresh)


def test_h254_many_chunks_that_are_tiny_are_refused_with_the_first(comet, old, caplog):
    fresh = comet()
    app_hash = old.info().last_block_app_hash
    hashes = old.snapshot.metadata.ljust((FEW_CHUNKS + 1) * 32, b"\0")
    assert offer(fresh, snapshot_of(4, hashes), app_hash) is OfferResult.ACCEPT
    assert give(fresh, 0, old.chunks[0]).result is ApplyResult.REJECT_SNAPSHOT
    assert "1025 chunks of 90 bytes; expected at least 65536 bytes each" in caplog.text
    assert give(fresh, 1, old.chunks[1]).result is ApplyResult.ABORT
    assert untouched(fresh)
    join(fresh, old)


@pytest.mark.parametrize("parts", [(90, 91), (90, 89), (90, 0), (90, 90, 1)])
def test_h254_chunks_of_other_sizes_than_the_first_are_refused(comet, old, parts):
    """The chunks that were announced, with their hashes, cut elsewhere."""
    whole, chunks = b"".join(old.chunks), []
    for size in parts:
        chunks.append(whole[:size])
        whole = whole[size:]
    chunks.append(whole)
    fresh = comet()
    snapshot = snapshot_of(4, b"".join(sha256(chunk).digest() for chunk in chunks))
    assert offer(fresh, snapshot, old.info().last_block_app_hash) is OfferResult.ACCEPT
    *good, bad = [give(fresh, index, chunk).result for index, chunk in enumerate(chunks[: len(parts)])]
    assert (set(good), bad) == ({ApplyResult.ACCEPT}, ApplyResult.REJECT_SNAPSHOT)
    assert untouched(fresh)


def test_h254_who_takes_too_many_chunks_is_told(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr("pyibc.chain.comet.snapshots.FEW_CHUNKS", 2)
    with pytest.raises(IavlError):  # bytes that are no export
        Snapshots(tmp_path).write(SnapshotSource(4, bytes(32), ["a"]), [b"x"] * 3)
    assert "set snapshot_chunk_bytes to 65536 or more" in caplog.text


def test_who_has_a_state_takes_none(old):
    before = old.info()
    assert offer(old, old.snapshot, before.last_block_app_hash) is OfferResult.ABORT
    assert give(old, 0, old.chunks[0]).result is ApplyResult.ABORT
    assert old.info() == before


@pytest.mark.parametrize("restarts", [False, True])
def test_a_restored_state_gives_way_as_long_as_no_block_was_committed_on_it(comet, old, sign, restarts):
    """CometBFT lost its part of a sync to a kill, and offers snapshots again: older or newer ones."""
    fresh = comet("fresh")
    join(fresh, old)
    newer = comet()
    newer.init()
    for at in range(6):
        newer.block([sign(sequence=at - 1)] if 0 < at < 4 else ())
    newer.chunks = list(newer.app.host.store.export(6, 90))
    newer.snapshot = snapshot_of(6, b"".join(sha256(chunk).digest() for chunk in newer.chunks))
    for source in (old, newer, old, newer):
        if restarts:
            fresh.app.close()
            fresh = comet("fresh")
        fresh.finalize()  # a block that was never committed
        before = fresh.info()
        assert offer(fresh, source.snapshot, source.info().last_block_app_hash) is OfferResult.ACCEPT
        for index, chunk in enumerate(source.chunks):
            assert fresh.info() == before  # until the new one is whole
            assert give(fresh, index, chunk).result is ApplyResult.ACCEPT
        assert fresh.info() == source.info()
    with pytest.raises(OutOfStep):
        fresh.app.commit()
    assert fresh.block() == newer.block()
    assert offer(fresh, old.snapshot, old.info().last_block_app_hash) is OfferResult.ABORT
    assert fresh.info() == newer.info()


def test_a_spoilt_second_snapshot_leaves_the_first_one_s_state(comet, old):
    fresh = comet("fresh")
    join(fresh, old)
    liar = made_up(old, old.chunks[-1])
    assert offer(fresh, liar.snapshot, old.info().last_block_app_hash) is OfferResult.ACCEPT
    for index, chunk in enumerate(liar.chunks):
        answer = give(fresh, index, chunk)
    assert answer.result is ApplyResult.REJECT_SNAPSHOT
    assert fresh.info() == old.info()
    fresh.app.close()
    assert comet("fresh").info() == old.info()


class MadeUp(NamedTuple):
    snapshot: Snapshot
    chunks: list


def made_up(old, chunk):
    """As `old`'s snapshot, with one byte of one chunk changed, and hashes that fit."""
    chunks = [each[:-1] + bytes([each[-1] ^ 1]) if each == chunk else each for each in old.chunks]
    return MadeUp(snapshot_of(4, b"".join(sha256(each).digest() for each in chunks)), chunks)


def test_h105_a_lying_chunk_is_refused_when_it_comes_and_its_sender_left(comet, old):
    """Not at the end of the snapshot: at the latest when the record that its end cuts is whole."""
    for liar in range(len(old.chunks)):
        fresh, lie = comet(), made_up(old, old.chunks[liar])
        assert offer(fresh, lie.snapshot, old.info().last_block_app_hash) is OfferResult.ACCEPT
        for index, chunk in enumerate(lie.chunks):
            answer = give(fresh, index, chunk, f"peer{index}")
            if answer.result is not ApplyResult.ACCEPT:
                break
        assert (answer.result, answer.reject_senders) == (ApplyResult.REJECT_SNAPSHOT, [f"peer{index}"])
        assert liar <= index <= liar + 4  # chunks of 90 bytes: eight leaves are some 400
        assert untouched(fresh)
        assert give(fresh, index, chunk).result is ApplyResult.ABORT
        join(fresh, old)
        assert fresh.info() == old.info()


def test_chunks_out_of_order_end_it(comet, old):
    fresh = comet()
    offer(fresh, old.snapshot, old.info().last_block_app_hash)
    assert give(fresh, 1, old.chunks[1]).result is ApplyResult.ABORT
    assert untouched(fresh)


def test_h105_a_state_with_another_app_hash_is_refused_with_its_head(comet, old):
    fresh = comet()
    assert offer(fresh, old.snapshot, bytes(32)) is OfferResult.ACCEPT
    for index, chunk in enumerate(old.chunks):
        answer = give(fresh, index, chunk)
        if answer.result is not ApplyResult.ACCEPT:
            break
    assert answer.result is ApplyResult.REJECT_SNAPSHOT
    assert index <= sum(len(name) + 34 for name in fresh.app.host.store.names()) // 90 + 1
    assert untouched(fresh)
    join(fresh, old)  # another peer's is fine
    assert fresh.info() == old.info()


@settings(
    max_examples=rounds(10, 40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_a_peer_that_makes_up_a_state_gets_nowhere(comet, old, data):
    """Its hashes fit its chunks; only the app hash is not its own."""
    raw = bytearray(b"".join(old.chunks))
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    size = data.draw(st.integers(50, len(raw)))
    chunks = [bytes(raw[at : at + size]) for at in range(0, len(raw), size)]
    snapshot = snapshot_of(4, b"".join(sha256(chunk).digest() for chunk in chunks))
    fresh = comet()
    assert offer(fresh, snapshot, old.info().last_block_app_hash) is OfferResult.ACCEPT
    answers = []
    for index, chunk in enumerate(chunks):
        answers.append(give(fresh, index, chunk).result)
        if answers[-1] is not ApplyResult.ACCEPT:
            break
    if b"".join(chunks) != b"".join(old.chunks):
        assert answers[-1] is ApplyResult.REJECT_SNAPSHOT
        assert untouched(fresh)


def test_snapshots_are_taken_listed_and_given(comet, tmp_path):
    chain = comet()
    host, kept = chain.app.host, Snapshots(tmp_path / "snapshots", 2)
    chain.app = CometApp(host, chain.rules, None, SnapshotTaker(host, kept, 3, 1 << 20))
    chain.init()
    for _ in range(10):
        chain.block()
        chain.app._taker.wait()
    assert [each.height for each in chain.app.list_snapshots()] == [6, 9]
    last = chain.app.list_snapshots()[-1]
    assert last.chunks == 1
    raw = chain.app.load_snapshot_chunk(ask.RequestLoadSnapshotChunk(9, last.format, 0))
    assert raw == b"".join(host.store.export(9, 1 << 20))
    for height, format_, index in ((9, 1, 0), (9, 2, 1), (3, 2, 0), (7, 2, 0), (9, 2, 1 << 31)):
        assert chain.app.load_snapshot_chunk(ask.RequestLoadSnapshotChunk(height, format_, index)) == b""


def test_every_validator_takes_the_same_snapshot(comet, old, tmp_path, sign):
    other = comet()
    other.init()
    other.block()
    for sequence in range(3):
        other.check(sign(sequence=sequence))
        other.block([sign(sequence=sequence)])
    assert list(other.app.host.store.export(4, 90)) == old.chunks


def test_a_snapshot_that_fails_leaves_no_trace(tmp_path, old, caplog):
    kept = Snapshots(tmp_path / "snapshots")

    def failing():
        yield b"chunk"
        raise IavlError

    with pytest.raises(IavlError):
        kept.write(SnapshotSource(5, bytes(32), []), failing())
    assert kept.known() == []
    assert list((tmp_path / "snapshots").iterdir()) == []
    taker = SnapshotTaker(old.app.host, kept, 2, 64)
    (tmp_path / "snapshots" / "4.unfinished").mkdir()
    taker.committed(4)
    taker.wait()
    assert "snapshot of height 4 failed" in caplog.text
    again = Snapshots(tmp_path / "snapshots")
    taker = SnapshotTaker(old.app.host, again, 2, 64)
    taker.committed(3)
    taker.committed(4)
    taker.wait()
    assert [each.height for each in again.known()] == [4]


def test_a_folder_without_hashes_is_no_snapshot(tmp_path):
    kept = Snapshots(tmp_path)
    (tmp_path / "7").mkdir()
    assert kept.known() == []
    assert isinstance(snapshot_of(1, bytes(32)), Snapshot)


def taken(chain, folder):
    """A snapshot of height 4 in `folder`."""
    taker = SnapshotTaker(chain.app.host, Snapshots(folder), 4, 90)
    taker.committed(4)
    taker.wait()
    return taker.snapshots


def test_h106_a_snapshot_that_the_disk_changed_is_never_offered(old, tmp_path, monkeypatch, caplog):
    def rotten(path, content):
        write_synced(path, content[:-1] + bytes([content[-1] ^ 1]) if path.name == "3" else content)

    monkeypatch.setattr("pyibc.chain.comet.snapshots.write_synced", rotten)
    kept = taken(old, tmp_path / "s")
    assert kept.known() == []
    assert list((tmp_path / "s").iterdir()) == []
    assert "snapshot of height 4 failed" in caplog.text
    assert "differs from that in its parent" in caplog.text


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("name", ["0", "3", "hashes"])
def test_h106_a_snapshot_that_rots_later_is_no_longer_given(old, tmp_path, restarts, name):
    kept = taken(old, tmp_path / "s")
    assert [each.height for each in kept.known()] == [4]
    file = tmp_path / "s" / "4" / name
    flip_byte(file)
    if restarts:
        kept = Snapshots(tmp_path / "s")
    if restarts or name != "hashes":  # which are read once
        assert kept.chunk(4, int(name) if name != "hashes" else 0) == b""
        assert kept.known() == []
        assert kept.chunk(4, 1) == b""
    else:
        assert kept.chunk(4, 0) == old.chunks[0]


def test_h106_a_snapshot_is_on_the_disk_before_it_has_its_name(old, tmp_path, monkeypatch):
    """Each file, then the folder of the files, then the name, then the folder of the name."""
    calls, rename, fsync = [], Path.rename, os.fsync

    def renamed(path, target):
        calls.append(("rename", path.name))
        return rename(path, target)

    def synced(file):
        calls.append(("sync", Path(f"/proc/self/fd/{file}").readlink().name))
        fsync(file)

    monkeypatch.setattr(Path, "rename", renamed)
    monkeypatch.setattr(os, "fsync", synced)
    taken(old, tmp_path / "s")
    files = [("sync", str(index)) for index in range(len(old.chunks))]
    name = "4.unfinished"
    assert calls == [*files, ("sync", "hashes"), ("sync", name), ("rename", name), ("sync", "s")]


def test_h107_cometbft_is_told_to_keep_what_snapshots_need(comet, tmp_path):
    """With a snapshot: the blocks from the oldest one on; without a setting: all."""
    told = {}
    for name, keeps, every in (
        ("all", Retention(), 30),
        ("few", Retention(10), 0),
        ("both", Retention(10), 30),
    ):
        chain = comet()
        taker = SnapshotTaker(chain.app.host, Snapshots(tmp_path / name, 1), every, 1 << 20)
        chain.app = CometApp(chain.app.host, chain.rules, None, taker, keeps)
        chain.init()
        told[name] = []
        for _ in range(45):
            chain.finalize()
            told[name].append(chain.app.commit())
            taker.wait()
    assert told["all"] == [0] * 45
    assert told["few"] == [0] * 9 + list(range(1, 37))
    assert told["both"] == [0] * 9 + [*range(1, 31), *[30] * 6]
