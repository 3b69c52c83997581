"""Records that changed on disk: each is refused before anything of it is used."""

import random
import shutil

import lmdb
import pytest

from iavl import CorruptDatabase, MultiStore, RecordMissing, engine, verify_store
from iavl.disk.nodes import serial_key
from iavl.disk.recovery import read_point

DATABASES = [b"log", b"nodes", b"points", b"orphans", b"meta"]
NAMES = ["bank", "ibc"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("rot")


@pytest.fixture
def disk(quick):
    return quick(checkpoint_blocks=4, slice_nodes=400)


@pytest.fixture
def good(home, disk):
    """A closed store with blocks behind its last checkpoint, several checkpoints, and lists of orphans."""
    path = home / "good"
    if not path.exists():
        store = MultiStore(path, NAMES, keep_versions=12, disk=disk)
        grow(store, 30)
        store.close()
    return path


def grow(store, blocks):
    for _ in range(blocks):
        version = store.next_version
        rng = random.Random(version)
        writes = {
            name: [(b"%03d" % rng.randrange(150), b"%d" % version) for _ in range(12)] for name in NAMES
        }
        store.apply(writes)
        store.commit(b"m%d" % version)


def use(path, disk, blocks=0):
    """Opens, reads all versions and what can be told of them, and goes on for some blocks."""
    store = MultiStore(path, NAMES, keep_versions=12, disk=disk)
    try:
        for version in store.versions():
            store.info(version)
            for name in NAMES:
                assert len(list(store.iterate_at(name, b"", None, version))) > 50
        grow(store, blocks)
    finally:
        store.close()


class Copy:
    """A copy of a home whose records can be changed."""

    def __init__(self, good, path):
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(good, path)
        self.path = path

    def edit(self, database, change):
        """Passes `change` all records of a database; what it returns (or None) takes their place."""
        with lmdb.open(str(self.path), map_size=1 << 26, max_dbs=8, sync=False) as env:
            handle = env.open_db(database, create=False)
            with env.begin(write=True, db=handle) as txn:
                before = dict(txn.cursor())
                after = change(dict(before))
                for key in before.keys() - after.keys():
                    txn.delete(key)
                for key, value in after.items():
                    if before.get(key) != value:
                        txn.put(key, value)


def live_nodes(good, disk):
    """Keys of the nodes that some kept version reads."""
    store = MultiStore(good, NAMES, keep_versions=12, disk=disk)
    seen = set()
    for source in (store._storage._env.current_nodes, store._storage._env.concurrent):
        real = source.get

        def get(key, real=real):
            seen.add(key)
            return real(key)

        source.get = get
    env = store._storage._env
    begin = env.begin

    class Txn:
        def __init__(self, txn):
            self.txn = txn

        def get(self, key, **database):
            if not database:
                seen.add(key)
            return self.txn.get(key, **database)

        def abort(self):
            self.txn.abort()

    env.begin = lambda: Txn(begin())
    for version in store.versions():
        for name in NAMES:
            list(store.iterate_at(name, b"", None, version))
    store.close()
    return seen


def read_keys(path, database):
    with lmdb.open(str(path), map_size=1 << 26, max_dbs=8) as env, env.begin() as txn:
        return set(txn.cursor(db=env.open_db(database, txn=txn, create=False)).iternext(values=False))


def changed_bytes(good, disk, path, rng, changes):
    """Changes one byte of a record, `changes` times; every change must be refused by name."""
    copy = Copy(good, path)
    live, points = live_nodes(copy.path, disk), read_keys(good, b"points")
    # Nobody makes the writes of a checkpoint's block again.
    unused = {b"nodes": read_keys(good, b"nodes") - live, b"log": points}
    for number in range(changes):
        database = DATABASES[number % len(DATABASES)]
        copy, told = Copy(good, path), []

        def change(records, database=database, told=told):
            key = rng.choice([key for key in records if key not in unused.get(database, ())])
            record = bytearray(records[key])
            record[rng.randrange(len(record))] ^= rng.randrange(1, 256)
            told.append((database, key))
            return records | {key: bytes(record)}

        copy.edit(database, change)
        try:
            use(copy.path, disk, blocks=40 if database == b"orphans" else 0)
        except CorruptDatabase:
            continue
        finally:
            if not number % 11:  # of all databases in turn
                assert not verify_store(copy.path, on_problem=lambda _: None).is_sound, told
        pytest.fail(f"a changed byte was used: {told}")


def test_h101_an_unchanged_store_is_read_and_goes_on(good, disk, tmp_path):
    path = Copy(good, tmp_path / "copy").path
    use(path, disk, blocks=40)
    assert verify_store(path, on_problem=pytest.fail).is_sound


def test_h101_a_changed_byte_of_a_record_is_refused(good, disk, tmp_path):
    changed_bytes(good, disk, tmp_path / "copy", random.Random(1), 60)


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(20))
def test_h101_ten_thousand_changed_bytes_are_refused(good, disk, tmp_path, part):
    changed_bytes(good, disk, tmp_path / "copy", random.Random(1_000 + part), 500)


def rotated(records):
    """Each record in the place of the next one."""
    values = list(records.values())
    return dict(zip(records, values[1:] + values[:1], strict=True))


def doubled(records):
    return dict.fromkeys(records, next(iter(records.values()))) if len(records) > 1 else {}


def zeroed(records):
    return {key: bytes(len(value)) for key, value in records.items()}


def shortened(records):
    return {key: value[:-1] for key, value in records.items()}


def lengthened(records):
    return {key: value + b"\0" for key, value in records.items()}


def emptied(records):
    return dict.fromkeys(records, b"")


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("change", [rotated, doubled, zeroed, shortened, lengthened, emptied])
def test_h101_records_that_are_others_or_not_whole_are_refused(good, disk, tmp_path, database, change):
    copy = Copy(good, tmp_path / "copy")
    copy.edit(database, change)
    with pytest.raises(CorruptDatabase):
        use(copy.path, disk, blocks=40)
    assert not verify_store(copy.path, on_problem=lambda _: None).is_sound


@pytest.mark.parametrize("database", [b"log", b"nodes", b"points", b"meta"])
def test_h101_a_missing_record_is_told(good, disk, tmp_path, database):
    copy = Copy(good, tmp_path / "copy")
    copy.edit(database, lambda records: dict(list(records.items())[1:]))
    with pytest.raises(CorruptDatabase):
        use(copy.path, disk, blocks=40)


def test_h101_blocks_of_another_life_of_the_chain_are_refused(good, disk, tmp_path):
    """A page that was never overwritten: an earlier record of the last version, whole in itself."""
    other = MultiStore(tmp_path / "other", NAMES, keep_versions=12, disk=disk)
    grow(other, 29)
    other.apply({"ibc": [(b"other", b"life")]})
    other.commit()
    other.close()
    records = {}
    Copy(tmp_path / "other", tmp_path / "read").edit(
        b"log", lambda found: records.update(found) or dict(found)
    )
    copy, last = Copy(good, tmp_path / "copy"), (30).to_bytes(8)
    copy.edit(b"log", lambda found: found | {last: records[last]})
    with pytest.raises(CorruptDatabase, match="not the one that was written last"):
        use(copy.path, disk)


def test_h101_a_lost_end_of_the_log_is_told(good, disk, tmp_path):
    copy = Copy(good, tmp_path / "copy")
    copy.edit(b"log", lambda found: dict(list(found.items())[:-1]))
    with pytest.raises(CorruptDatabase, match="the last block is 29, but 30 was written"):
        use(copy.path, disk)


def test_h101_a_node_that_is_gone_is_told_by_its_number(good, disk, tmp_path):
    copy = Copy(good, tmp_path / "copy")
    copy.edit(b"nodes", lambda records: dict(list(records.items())[::20]))
    with pytest.raises(RecordMissing, match=r"node [0-9]+ is missing"):
        use(copy.path, disk)


def inner_with_check(good, disk):
    """An inner node's serial and record, and its node as its parent knows it."""
    store = MultiStore(good, NAMES, keep_versions=12, disk=disk)
    env = store._storage._env
    _, roots = read_point(env, store._storage._timeline.points[-1], store._storage._loader)
    root = roots["ibc"]
    record = env.read(env.nodes, serial_key(root.serial))
    store.close()
    return root, record


def load(root, serial, record):
    node = engine.active.loader("/db", {serial_key(serial): record}).new(
        serial, root.version, root.size, root.height, root.hash
    )
    return node.key, node.left.serial


def test_h101_what_an_inner_nodes_hash_leaves_out_is_checked(good, disk):
    """Its key, and its children's serials, versions, sizes and heights: every byte, every bit."""
    root, record = inner_with_check(good, disk)
    key, _ = load(root, root.serial, record)
    at_key = record.rindex(key)
    for at in (*range(50), *range(at_key, len(record))):
        for bit in range(8):
            changed = bytearray(record)
            changed[at] ^= 1 << bit
            with pytest.raises(CorruptDatabase, match="is damaged"):
                load(root, root.serial, bytes(changed))


def test_h101_a_nodes_check_knows_its_serial(good, disk):
    """The same subtree written twice: equal hashes, and each record in its own place alone."""
    root, record = inner_with_check(good, disk)
    assert load(root, root.serial, record)
    with pytest.raises(CorruptDatabase, match=f"node {root.serial + 1} is damaged"):
        load(root, root.serial + 1, record)
