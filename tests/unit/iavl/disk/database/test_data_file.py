"""The file as LMDB finds it: cut, torn, emptied or another's, it is an error and never a signal."""

import os
import random
import shutil

import lmdb
import pytest

from iavl import (
    BadFile,
    CorruptDatabase,
    MapTooSmall,
    MultiStore,
    StorageBusy,
    StorageError,
    UnsupportedFormat,
    verify_store,
)

PAGE = 4096


@pytest.fixture
def path(tmp_path, quick):
    store = MultiStore(tmp_path / "db", ["ibc"], disk=quick(checkpoint_on_close=True))
    grow(store, 12)
    store.close()
    return tmp_path / "db"


def grow(store, blocks):
    for _ in range(blocks):
        version = store.next_version
        store.apply({"ibc": [(b"%03d" % (n * version % 200), b"%d" % version) for n in range(1, 30)]})
        store.commit(b"m%d" % version)


def opened(path, quick):
    """Opens, reads everything, writes a block and closes."""
    store = MultiStore(path, ["ibc"], disk=quick())
    try:
        for version in store.versions():
            list(store.iterate_at("ibc", b"", None, version))
        grow(store, 1)
    finally:
        store.close()
    return store.version


def write(path, data):
    (path / "data.mdb").write_bytes(data)


def pages_of(path):
    """Bytes of the pages that LMDB counts: behind them the file is a hole."""
    with lmdb.open(str(path), readonly=True, lock=False, max_dbs=8) as env:
        return (env.info()["last_pgno"] + 1) * PAGE


def test_h102_a_file_cut_anywhere_is_refused(path, quick):
    whole = (path / "data.mdb").read_bytes()[: pages_of(path)]
    lengths = [1, 15, 16, 151, 152, PAGE - 1, PAGE, PAGE + 151, *range(2 * PAGE, len(whole), 3 * PAGE)]
    for length in [*lengths, len(whole) - 1]:
        write(path, whole[:length])
        with pytest.raises(CorruptDatabase, match=r"data\.mdb is truncated"):
            opened(path, quick)
        problems = []
        assert not verify_store(path, on_problem=problems.append).is_sound
        assert [type(problem) for problem in problems] == [BadFile]
    write(path, whole)
    assert opened(path, quick) == 13


def test_h102_an_empty_file_is_no_new_chain(path, quick):
    write(path, b"")
    with pytest.raises(CorruptDatabase, match="truncated within meta page 0"):
        opened(path, quick)
    assert (path / "data.mdb").read_bytes() == b""


def test_h102_a_file_that_is_gone_is_no_new_chain(path, quick):
    (path / "data.mdb").unlink()
    with pytest.raises(CorruptDatabase, match="missing"):
        opened(path, quick)
    assert not (path / "data.mdb").exists()
    problems = []
    assert not verify_store(path, on_problem=problems.append).is_sound
    assert [str(problem) for problem in problems] == ["BadFile: data.mdb: data.mdb is missing"]


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("torn", [bytes(PAGE), b"\xff" * PAGE, random.Random(1).randbytes(PAGE)])
def test_h102_a_torn_meta_page_is_refused(path, quick, place, torn):
    whole = bytearray((path / "data.mdb").read_bytes())
    whole[place * PAGE : (place + 1) * PAGE] = torn
    write(path, whole)
    with pytest.raises(CorruptDatabase, match="meta page"):
        opened(path, quick)


def test_h102_both_meta_pages_torn_and_garbage_are_refused(path, quick):
    whole = (path / "data.mdb").read_bytes()
    for start in (bytes(2 * PAGE), random.Random(2).randbytes(2 * PAGE), whole[PAGE : 2 * PAGE] * 2):
        write(path, start + whole[2 * PAGE :])
        with pytest.raises(CorruptDatabase, match="meta page"):
            opened(path, quick)
    for garbage in (random.Random(3).randbytes(len(whole)), b"SQLite format 3\0" * 4096, b"\0" * 10**6):
        write(path, garbage)
        with pytest.raises(CorruptDatabase, match="meta page"):
            opened(path, quick)


def test_h102_a_changed_byte_of_a_meta_page_is_refused_or_harmless(path, quick, tmp_path):
    """Harmless: fields that LMDB does not read, or the one before the last commit, as after a power cut."""
    whole, outcomes = (path / "data.mdb").read_bytes(), set()
    rng = random.Random(4)
    for at in (*range(0, 152, 3), *range(PAGE, PAGE + 152, 3)):
        changed = bytearray(whole)
        changed[at] ^= rng.randrange(1, 256)
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        write(copy, changed)
        try:
            outcomes.add(opened(copy, quick))
        except StorageError as error:
            outcomes.add(type(error))
    assert {13, CorruptDatabase} <= outcomes
    assert outcomes <= {12, 13, CorruptDatabase, UnsupportedFormat, MapTooSmall}


def test_pages_that_lmdb_left_out_at_the_end_are_not_missed(path, quick):
    """The file is shorter than its pages when those at its end are free: that is LMDB's way."""
    with lmdb.open(str(path), map_size=1 << 26, max_dbs=8) as env:
        handle = env.open_db(b"nodes")
        with env.begin(write=True, db=handle) as txn:
            records = list(txn.cursor())
            for key, _ in records:
                txn.delete(key)
            for key, value in records:
                txn.put(key, value)
        needed = (env.info()["last_pgno"] + 1) * PAGE
    os.truncate(path / "data.mdb", needed)
    with lmdb.open(str(path), map_size=1 << 26, max_dbs=8) as env:
        with env.begin(write=True, db=env.open_db(b"nodes")) as txn:
            txn.put(b"big", bytes(30 * PAGE))
        with env.begin(write=True, db=env.open_db(b"nodes")) as txn:
            txn.delete(b"big")
        last = env.info()["last_pgno"] + 1
    os.truncate(path / "data.mdb", (last - 20) * PAGE)
    assert opened(path, quick) == 13
    assert (path / "data.mdb").stat().st_size >= last * PAGE


def test_the_file_is_as_long_as_its_pages_after_every_commit(path, quick):
    store = MultiStore(path, ["ibc"], disk=quick())
    for _ in range(30):
        grow(store, 1)
        pages = store._storage._env._env.info()["last_pgno"] + 1
        assert (path / "data.mdb").stat().st_size >= pages * PAGE
    store.close()


def test_h103_a_map_smaller_than_the_file_is_told_with_both_sizes(path, quick):
    size = (path / "data.mdb").stat().st_size
    with pytest.raises(MapTooSmall) as caught:
        MultiStore(path, ["ibc"], disk=quick(map_size=2 * PAGE))
    assert caught.value.map_size == 2 * PAGE
    assert 2 * PAGE < caught.value.needed <= size
    assert opened(path, quick) == 13


def test_h103_another_lmdbs_file_is_told(path, quick):
    whole = bytearray((path / "data.mdb").read_bytes())
    for start in (0, PAGE):
        whole[start + 20 : start + 24] = (3).to_bytes(4, "little")
    write(path, whole)
    with pytest.raises(UnsupportedFormat) as caught:
        opened(path, quick)
    assert (caught.value.found, caught.value.expected) == ("LMDB 3", "LMDB 1")


def test_h103_a_store_of_an_earlier_release_is_told(tmp_path, quick):
    with lmdb.open(str(tmp_path / "db"), map_size=1 << 26, max_dbs=8) as env:
        for name in (b"log", b"nodes", b"points", b"orphans", b"meta"):
            env.open_db(name)
        with env.begin(write=True, db=env.open_db(b"meta")) as txn:
            txn.put(b"format", b"iavl tree 1")
            txn.put(b"initial version", (1).to_bytes(8))
    for work in (
        lambda: MultiStore(tmp_path / "db", ["ibc"], disk=quick()),
        lambda: verify_store(tmp_path / "db", on_problem=pytest.fail),
    ):
        with pytest.raises(UnsupportedFormat) as caught:
            work()
        assert (caught.value.found, caught.value.expected) == ("iavl tree 1", "iavl tree 2")


def test_a_kill_while_a_store_is_founded_leaves_none(tmp_path, quick):
    def die(point):
        if point == "founded":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        MultiStore(tmp_path / "db", ["ibc"], disk=quick(probe=die))
    assert not (tmp_path / "db" / "data.mdb").exists()
    store = MultiStore(tmp_path / "db", ["ibc"], initial_version=5, disk=quick())
    assert store.next_version == 5
    store.close()
    assert sorted(each.name for each in (tmp_path / "db").iterdir()) == ["data.mdb", "lock.mdb", "owner.lock"]


def test_a_store_that_is_open_is_not_walked(path, quick):
    store = MultiStore(path, ["ibc"], disk=quick())
    with pytest.raises(StorageBusy):
        verify_store(path, on_problem=pytest.fail)
    store.close()
    assert verify_store(path, on_problem=pytest.fail).versions == range(1, 13)


def in_child(work):
    """What `work` ends in, in a child process: it may be a signal."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            try:
                said = f"returned {work()}"
            except StorageError as error:
                said = f"told {type(error).__name__}"
            except BaseException as error:
                said = f"untold {error!r}"
            os.write(writer, said.encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    status = os.waitpid(child, 0)[1]
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else said


def change_bytes_anywhere(path, quick, copy, rng, changes):
    whole = (path / "data.mdb").read_bytes()

    def work():
        return opened(copy, quick), hashes(copy, quick)

    def hashes(folder, quick):
        store = MultiStore(folder, ["ibc"], disk=quick())
        found = [store.info(version).app_hash.hex() for version in (11, 12, 13)]
        store.close()
        return found

    shutil.copytree(path, copy)
    expected = in_child(work)
    assert expected.startswith("returned (13, ")
    outcomes = {}
    for _ in range(changes):
        changed = bytearray(whole)
        at = rng.randrange(2 * PAGE, len(whole))
        changed[at] ^= rng.randrange(1, 256)
        write(copy, changed)
        outcomes.setdefault(in_child(work), []).append(at)
    assert outcomes.keys() <= {expected, "told CorruptDatabase", "told RecordMissing"}, outcomes
    assert expected in outcomes
    assert "told CorruptDatabase" in outcomes


def test_h102_bytes_changed_anywhere_in_the_file_end_in_errors_or_nothing(path, quick, tmp_path):
    """Among records, LMDB's own pages, and what nobody uses: no signal, no wrong answer."""
    change_bytes_anywhere(path, quick, tmp_path / "copy", random.Random(5), 40)


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(10))
def test_h102_thousands_of_bytes_changed_anywhere_in_the_file(path, quick, tmp_path, part):
    change_bytes_anywhere(path, quick, tmp_path / "copy", random.Random(2_000 + part), 300)
