"""Opening: what was stored is there, what is wrong is told."""

from itertools import product

import lmdb
import pytest

from iavl import (
    CorruptDatabase,
    IavlError,
    MultiStore,
    StorageBusy,
    StorageFailed,
    StoreClosed,
    StoreMismatch,
    UnknownStore,
)
from iavl.disk.blocks import HEAD, BlockReader, encode_block, encode_head
from pyibc.core.errors import InvalidProof
from pyibc.core.proofs import TENDERMINT_SPEC
from pyibc.core.proofs.chain import verify_non_membership
from pyibc.core.wire.merkle import encode_merkle_proof


@pytest.fixture
def path(tmp_path):
    return tmp_path / "db"


@pytest.fixture
def open_store(path, quick):
    opened = []

    def make(names=("ibc",), *, disk=None, **knobs):
        opened.append(MultiStore(path, names, disk=disk or quick(), **knobs))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


def commit(store, blocks, name="ibc"):
    for _ in range(blocks):
        version = store.next_version
        store.apply({name: [(b"%02d" % (version * n % 40), b"%d" % version) for n in range(1, 12)]})
        store.commit(b"m%d" % version)


def damage(path, database, change):
    """Lets `change` edit a database of the closed store, in a transaction."""
    with lmdb.open(str(path), map_size=1 << 26, max_dbs=8) as env:
        handle = env.open_db(database)
        with env.begin(write=True, db=handle) as txn:
            change(txn)


def drop_last(txn):
    cursor = txn.cursor()
    assert cursor.last()
    cursor.delete()


def cut_last(txn):
    cursor = txn.cursor()
    assert cursor.last()
    txn.put(cursor.key(), cursor.value()[:-1])


def cut_all_short(txn):
    for key, value in list(txn.cursor()):
        txn.put(key, value[:3])


def drop_all(txn):
    for key, _ in list(txn.cursor()):
        txn.delete(key)


def test_reopened_it_is_what_it_was(open_store):
    store = open_store()
    commit(store, 20)
    seen = store.version, store.app_hash, store.metadata, list(store.store("ibc").iterate()), store.versions()
    store.close()
    again = open_store()
    assert seen == (
        again.version,
        again.app_hash,
        again.metadata,
        list(again.store("ibc").iterate()),
        again.versions(),
    )


def test_opening_loads_no_node_of_a_checkpoint(open_store, quick):
    store = open_store(disk=quick(checkpoint_blocks=1, slice_nodes=10_000))
    store.apply({"ibc": [(b"%05d" % n, b"v") for n in range(3_000)]})
    store.commit()
    store.close()
    again = open_store()
    assert again._storage._loader.loads == 0
    assert again.store("ibc").get(b"00007") == b"v"
    assert again._storage._loader.loads < 16
    again.apply({"ibc": [(b"00007", b"w")]})
    again.prove("ibc", b"00007")
    assert again._storage._loader.loads < 32


def test_closing_writes_a_checkpoint(open_store, quick):
    for blocks in (1, 4, 5, 6, 7):  # with and without one under way
        store = open_store(disk=quick(checkpoint_on_close=True, checkpoint_blocks=4))
        commit(store, blocks)
        seen = store.version, store.app_hash, store.prove("ibc", b"07")
        store.close()
        again = open_store(disk=quick(checkpoint_on_close=True))
        assert again._storage._point == again.version
        assert again._storage._loader.loads == 0
        assert (again.version, again.app_hash, again.prove("ibc", b"07")) == seen
        again.close()


def test_closing_with_uncommitted_writes_keeps_the_last_version(open_store, quick):
    store = open_store(disk=quick(checkpoint_on_close=True))
    commit(store, 2)
    app_hash = store.app_hash
    store.apply({"ibc": [(b"lost", b"1"), (b"02", None)]})
    store.close()
    again = open_store()
    assert (again.version, again.app_hash) == (2, app_hash)
    assert again.store("ibc").get(b"lost") is None
    commit(again, 20)
    undisturbed = MultiStore(None, ["ibc"])
    commit(undisturbed, 22)
    assert again.app_hash == undisturbed.app_hash


def test_a_disk_too_full_for_the_last_checkpoint_loses_nothing(open_store, quick):
    def fill(point):
        if armed and point == "slice":
            raise lmdb.MapFullError(point)

    armed = False
    store = open_store(disk=quick(checkpoint_on_close=True, probe=fill))
    commit(store, 2)
    armed = True
    with pytest.raises(StorageFailed):
        store.close()
    store.close()
    assert open_store().version == 2


def test_a_block_writes_what_changed(open_store, quick):
    store = open_store(disk=quick(checkpoint_blocks=1, slice_nodes=100_000))
    store.apply({"ibc": [(b"%05d" % n, b"v") for n in range(3_000)]})
    store.commit()
    before = store._storage._writer.nodes_written
    assert before == 2 * 3_000 - 1
    store.apply({"ibc": [(b"00007", b"w")]})
    store.commit()
    assert 2 <= store._storage._writer.nodes_written - before <= 14


def test_the_file_stops_growing_when_the_state_does(open_store, path, quick):
    store = open_store(disk=quick(nodes_per_write=10), keep_versions=3)
    commit(store, 150)
    size = (path / "data.mdb").stat().st_size
    commit(store, 600)
    assert (path / "data.mdb").stat().st_size <= size * 1.3


def test_one_owner(open_store, path, quick):
    store = open_store()
    commit(store, 2)
    with pytest.raises(StorageBusy) as caught:
        MultiStore(path, ["ibc"], disk=quick())
    assert caught.value.path == str(path)
    commit(store, 1)
    assert store.version == 3


def test_another_first_version_is_refused(open_store):
    open_store(initial_version=5).close()
    with pytest.raises(StoreMismatch):
        open_store(initial_version=6)
    assert open_store(initial_version=5).next_version == 5


def test_a_store_left_out_is_refused_and_a_new_one_starts_empty(open_store):
    store = open_store(["bank", "ibc"])
    commit(store, 8)
    commit(store, 3, "bank")
    before = store.app_hash
    store.close()
    with pytest.raises(StoreMismatch):
        open_store(["ibc"])
    grown = open_store(["bank", "gov", "ibc"])
    assert grown.app_hash == before
    commit(grown, 3, "gov")
    assert grown.store("gov").get(b"12") == b"13"
    assert grown.prove("gov", b"12")[0] == b"13"


def told(read, *args):
    """What is read, or the error instead."""
    try:
        return read(*args)
    except (IavlError, LookupError) as error:
        return error


def test_h271_a_store_that_was_added_is_empty_at_earlier_heights(open_store):
    """With a proof and without, at the last version before it and at one that has to be rebuilt."""
    before = open_store(["bank", "ibc"])
    commit(before, 11)
    before.close()
    added = ("aa", "gov", "zz")  # before, between and behind the others, whose neighbours prove the absence
    grown = open_store(["aa", "bank", "gov", "ibc", "zz"])
    for name in added:
        commit(grown, 1, name)
    for name, version in product(added, (2, 11)):
        assert told(grown.get_at, name, b"12", version) is None
        assert list(grown.iterate_at(name, b"", None, version)) == []
        proved = told(grown.prove, name, b"12", version)
        assert isinstance(proved, tuple)
        value, proofs = proved
        assert (value, len(proofs)) == (None, 1)
        root = grown.info(version).app_hash
        proof = encode_merkle_proof(proofs)
        verify_non_membership([TENDERMINT_SPEC], root, [name.encode()], proof)
        with pytest.raises(InvalidProof):
            verify_non_membership([TENDERMINT_SPEC], grown.app_hash, [name.encode()], proof)
    assert len(grown.prove("gov", b"12", 13)[1]) == 2
    with pytest.raises(UnknownStore):
        grown.prove("none", b"12", 2)


def test_h271_a_store_that_was_added_before_a_close_opens_again(open_store, quick):
    """The checkpoint that closing writes is of the last version, which has no such store."""
    store = open_store(["ibc"], disk=quick(checkpoint_blocks=100))
    commit(store, 3)
    store.close()
    open_store(["gov", "ibc"], disk=quick(checkpoint_on_close=True)).close()
    again = told(open_store, ["gov", "ibc"])
    assert isinstance(again, MultiStore)
    assert again.get_at("gov", b"k", 3) is None
    commit(again, 1, "gov")
    assert again.version == 4


def test_a_store_left_out_is_refused_after_a_checkpoint_too(open_store, quick):
    store = open_store(["bank", "ibc"], disk=quick(checkpoint_blocks=1, slice_nodes=10_000))
    commit(store, 3, "bank")
    store.close()
    with pytest.raises(StoreMismatch):
        open_store(["ibc"])


def test_more_versions_can_be_kept_later_but_do_not_come_back(open_store):
    store = open_store(keep_versions=2, disk=None)
    commit(store, 40)
    assert store.versions() == range(39, 41)
    store.close()
    again = open_store(keep_versions=None)
    first = again.versions().start
    assert 20 < first <= 39
    commit(again, 40)
    assert again.versions() == range(first, 81)
    assert again.info(first).metadata == b"m%d" % first


def test_a_full_disk_stores_nothing_of_the_block(open_store, quick):
    store = open_store(disk=quick(map_size=1 << 20))
    commit(store, 3)
    app_hash = store.app_hash
    store.apply({"ibc": [(b"big", bytes(2 << 20))]})
    with pytest.raises(StorageFailed):
        store.commit()
    assert store.version == 3
    with pytest.raises(StoreClosed):
        store.apply({"ibc": [(b"k", b"v")]})
    with pytest.raises(StoreClosed):
        store.get_at("ibc", b"01", 3)
    again = open_store(disk=quick(map_size=1 << 24))
    assert (again.version, again.app_hash) == (3, app_hash)
    commit(again, 3)


def test_an_error_within_the_transaction_stores_nothing(open_store, quick):
    def fail(point):
        if armed and point == "written":
            raise RuntimeError(point)

    armed = False
    store = open_store(disk=quick(probe=fail))
    commit(store, 4)
    armed = True
    with pytest.raises(RuntimeError):
        commit(store, 1)
    with pytest.raises(StoreClosed):
        store.commit()
    armed = False
    assert open_store().version == 4


@pytest.mark.parametrize(
    ("database", "change", "word"),
    [
        (b"log", cut_last, "block 11 is damaged"),
        (b"log", drop_last, "last block is 10, but 11 was written"),
        (b"points", cut_all_short, "checkpoint"),
        (b"meta", drop_all, "format"),
    ],
)
def test_damage_is_told_on_opening(open_store, path, database, change, word):
    store = open_store()
    commit(store, 11)
    store.close()
    damage(path, database, change)
    with pytest.raises(CorruptDatabase, match=word) as caught:
        open_store()
    assert caught.value.path == str(path)
    with pytest.raises(CorruptDatabase):  # and the lock is free again
        open_store()


def test_a_changed_log_is_told_by_its_root(open_store, path):
    store = open_store(disk=None)
    store.apply({"ibc": [(b"key", b"value")]})
    store.commit()
    store.close()

    def change(txn):
        [(key, record)] = list(txn.cursor())
        info, _ = BlockReader("", 1, record).read()
        record = encode_block(info, {"ibc": [(b"key", b"other")]})
        txn.put(key, record)
        txn.put(HEAD, encode_head(1, record), db=meta)

    with lmdb.open(str(path), map_size=1 << 26, max_dbs=8) as env:
        log, meta = env.open_db(b"log"), env.open_db(b"meta")
        with env.begin(write=True, db=log) as txn:
            change(txn)
    with pytest.raises(CorruptDatabase, match="differs"):
        open_store()


def test_bytes_behind_a_block_are_told(open_store, path):
    store = open_store()
    commit(store, 2)
    store.close()
    damage(path, b"log", lambda txn: [txn.put(key, value + b"x") for key, value in list(txn.cursor())])
    with pytest.raises(CorruptDatabase, match="behind"):
        open_store()


def test_a_gap_in_the_log_is_told(open_store, path):
    store = open_store(disk=None)
    commit(store, 2)
    store.close()
    damage(path, b"log", lambda txn: txn.delete((1).to_bytes(8)))
    with pytest.raises(CorruptDatabase):
        open_store()


@pytest.mark.parametrize(("change", "word"), [(drop_all, "missing"), (cut_all_short, "damaged")])
def test_damaged_nodes_are_told_when_touched(open_store, path, quick, change, word):
    store = open_store(disk=quick(checkpoint_blocks=1, slice_nodes=10_000))
    commit(store, 3)
    store.close()
    damage(path, b"nodes", change)
    again = open_store()
    with pytest.raises(CorruptDatabase, match=word):
        again.store("ibc").get(b"06")


def test_a_folder_of_something_else_is_refused(path, open_store):
    path.mkdir()
    (path / "data.mdb").write_bytes(b"no database" * 1000)
    with pytest.raises(CorruptDatabase):
        open_store()


def test_a_folder_that_cannot_be_is_refused(tmp_path, quick):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StorageFailed) as caught:
        MultiStore(tmp_path / "file" / "db", ["ibc"], disk=quick())
    assert caught.value.path == str(tmp_path / "file" / "db")


def test_a_serial_used_twice_is_told(open_store):
    store = open_store()
    commit(store, 2)
    store._storage._writer._next_serial = 1
    with store._storage._env.writing() as txn:
        txn.put((5).to_bytes(8), b"stray", db=store._storage._env.nodes)
    with pytest.raises(CorruptDatabase, match="twice"):
        commit(store, 1)
    assert open_store().version == 2
