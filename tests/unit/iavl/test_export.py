"""A version as bytes, and another store made of it."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iavl import BadExport, IavlError, MultiStore, NotEmpty, VersionMissing, WrongExport
from iavl.errors import StorageFailed
from iavl.restore import Importer
from iavl.varint import uvarint

NAMES = ["a", "b", "empty"]
KEYS = st.integers(0, 40).map(b"k%02d".__mod__)
CHANGES = st.lists(st.tuples(KEYS, st.none() | st.binary(max_size=12)), max_size=20)
BLOCKS = st.lists(st.fixed_dictionaries({"a": CHANGES, "b": CHANGES}), min_size=1, max_size=8)


def grown(blocks, path=None, **options):
    store = MultiStore(path, NAMES, **options)
    for block in blocks:
        store.apply(block)
        store.commit(b"told")
    return store


def restored(chunks, version, app_hash, path=None, **options):
    store = MultiStore(path, NAMES, **options)
    importer = store.importer(version)
    for chunk in chunks:
        importer.feed(chunk)
    store.restore(version, importer.finish(), app_hash)
    return store


def some_blocks(count, seed=1, keys=60):
    chance = random.Random(seed)
    return [
        {
            name: [(b"key%03d" % chance.randrange(keys), chance.randbytes(9)) for _ in range(12)]
            for name in ("a", "b")
        }
        for _ in range(count)
    ]


def whole(store, version):
    return b"".join(store.export(version, 1 << 20))


@settings(max_examples=60, deadline=None)
@given(BLOCKS, BLOCKS, st.integers(1, 400))
def test_a_restored_store_is_the_same_now_and_ever_after(before, after, size):
    store = grown(before)
    chunks = list(store.export(store.version, size))
    assert all(len(chunk) == size for chunk in chunks[:-1])
    other = restored(chunks, store.version, store.app_hash)
    assert (other.version, other.app_hash, other.metadata) == (store.version, store.app_hash, b"")
    assert whole(other, other.version) == b"".join(chunks)
    for name in ("a", "b"):
        assert list(other.store(name).iterate()) == list(store.store(name).iterate())
        if other.root(name) != other.root("empty"):
            assert other.prove(name, b"k07") == store.prove(name, b"k07")
    for block in after:
        assert other.apply(block) == store.apply(block)
        assert other.commit() == store.commit()


@settings(max_examples=200, deadline=None)
@given(BLOCKS, st.data())
def test_spoilt_bytes_give_an_error_and_change_nothing(blocks, data):
    store = grown(blocks)
    raw = whole(store, store.version)
    at = data.draw(st.integers(0, len(raw) - 1))
    spoilt = data.draw(
        st.sampled_from([
            raw[:at],
            raw[:at] + bytes([raw[at] ^ data.draw(st.integers(1, 255))]) + raw[at + 1 :],
            raw[:at] + data.draw(st.binary(min_size=1, max_size=9)) + raw[at:],
            raw[:at] + raw[at + 1 :],
            raw + raw[at:],
        ])
    )  # fmt: skip
    if spoilt == raw:
        return
    other = MultiStore(None, NAMES)
    try:
        importer = other.importer(store.version)
        importer.feed(spoilt)
        other.restore(store.version, importer.finish(), store.app_hash)
    except (BadExport, WrongExport):
        assert (other.version, list(other.store("a").iterate())) == (0, [])
        other.apply({})
        assert other.commit()[0] == 1
    else:  # the same numbers in more bytes: what was restored is right all the same
        assert whole(other, store.version) == raw


def test_a_store_on_disk_goes_on_from_an_export_after_a_restart(tmp_path, quick):
    blocks = some_blocks(30)
    store = grown(blocks[:20], tmp_path / "old", disk=quick(), cache_nodes=20, keep_versions=8)
    chunks = list(store.export(17, 100))
    app_hash = store.info(17).app_hash
    options = {"disk": quick(checkpoint_on_close=True), "cache_nodes": 20, "keep_versions": 8}
    other = restored(chunks, 17, app_hash, tmp_path / "new", **options)
    for block in blocks[17:20]:
        other.apply(block)
        other.commit()
    assert other.app_hash == store.app_hash
    other.close()
    other = MultiStore(tmp_path / "new", NAMES, **options)
    assert other.versions() == range(17, 21)
    for block in blocks[20:]:
        assert other.apply(block) == store.apply(block)
        assert other.commit() == store.commit()
    assert other.versions() == store.versions()
    for version in store.versions():
        assert other.prove("a", b"key005", version) == store.prove("a", b"key005", version)
    other.close()
    other = MultiStore(tmp_path / "new", NAMES, **options)
    assert nodes_on_disk(other) == nodes_reached(other)
    other.close()
    store.close()


def test_a_fresh_restore_survives_a_restart_at_once(tmp_path, quick):
    store = grown(some_blocks(5))
    other = restored(store.export(5, 64), 5, store.app_hash, tmp_path / "new", disk=quick())
    other._storage._env.close()  # as a kill: nothing is written on the way out
    other = MultiStore(tmp_path / "new", NAMES, disk=quick())
    assert (other.version, other.app_hash) == (5, store.app_hash)
    assert whole(other, 5) == whole(store, 5)
    other.close()


@pytest.mark.parametrize("point", ["begun", "logged", "slice", "point", "orphans", "written"])
def test_a_kill_inside_of_a_restore_leaves_an_empty_store(tmp_path, quick, point):
    store = grown(some_blocks(5))

    def probe(name):
        if name == point:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        restored(store.export(5, 64), 5, store.app_hash, tmp_path / "new", disk=quick(probe=probe))
    other = MultiStore(tmp_path / "new", NAMES, disk=quick())
    assert other.version == 0
    other.apply(some_blocks(1)[0])
    assert other.commit()[0] == 1
    other.close()
    other = MultiStore(tmp_path / "new", NAMES, disk=quick())
    assert other.version == 1
    other.close()


def restore(store, source, version, instead_of=0):
    importer = store.importer(version)
    importer.feed(whole(source, version))
    store.restore(version, importer.finish(), source.info(version).app_hash, instead_of)


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_restored_version_gives_way_to_another_newer_or_older(tmp_path, quick, on_disk):
    blocks = some_blocks(12)
    source = grown(blocks[:9], keep_versions=None)
    options = {"disk": quick(), "cache_nodes": 20, "keep_versions": 8}
    path = tmp_path / "new" if on_disk else None
    store = MultiStore(path, NAMES, **options)
    restore(store, source, 5)
    for version in (9, 4, 9):
        assert store.store("a").get(b"key005") == source.get_at("a", b"key005", store.version)
        store.apply({"a": [(b"key005", b"finalized, never committed")]})
        gone = store.version
        restore(store, source, version, gone)
        with pytest.raises(VersionMissing):
            store.get_at("a", b"key005", gone)
        with pytest.raises(VersionMissing):
            store.info(gone)
        assert (store.version, store.app_hash) == (version, source.info(version).app_hash)
        assert store.versions() == range(version, version + 1)
        assert whole(store, version) == whole(source, version)
        if on_disk:
            store._storage._env.close()  # as a kill
            store = MultiStore(path, NAMES, **options)
            assert nodes_on_disk(store) == nodes_reached(store)
    for block in blocks[9:]:
        assert store.apply(block) == source.apply(block)
        assert store.commit(b"told") == source.commit(b"told")
    assert store.prove("a", b"key005", 10) == source.prove("a", b"key005", 10)
    store.close()


@pytest.mark.parametrize("point", ["begun", "cleared", "logged", "slice", "point", "orphans", "written"])
def test_a_kill_while_one_version_takes_another_s_place_leaves_the_first(tmp_path, quick, point):
    source = grown(some_blocks(6), keep_versions=None)
    store = MultiStore(tmp_path / "new", NAMES, disk=quick())
    restore(store, source, 3)
    store.close()

    def probe(name):
        if name == point:
            raise KeyboardInterrupt

    store = MultiStore(tmp_path / "new", NAMES, disk=quick(probe=probe))
    with pytest.raises(KeyboardInterrupt):
        restore(store, source, 6, 3)
    store = MultiStore(tmp_path / "new", NAMES, disk=quick())
    assert (store.version, whole(store, 3)) == (3, whole(source, 3))
    restore(store, source, 6, 3)
    assert (store.version, whole(store, 6)) == (6, whole(source, 6))
    store.close()


@pytest.mark.parametrize("instead_of", [0, 1, 2, 3])
def test_versions_that_a_store_made_itself_never_give_way(instead_of):
    store = grown(some_blocks(2))
    before = store.version, store.app_hash, store.versions()
    with pytest.raises(NotEmpty):
        restore(store, grown(some_blocks(5), keep_versions=None), 5, instead_of)
    assert (store.version, store.app_hash, store.versions()) == before


def test_an_export_goes_on_while_blocks_are_committed(tmp_path, quick):
    blocks = some_blocks(20)
    store = grown(blocks[:10], tmp_path / "s", disk=quick(), cache_nodes=10, keep_versions=30)
    quiet = whole(store, 10)
    told, parts = store.export(10, 50), []
    for block in blocks[10:]:
        parts.append(next(told))
        store.apply(block)
        store.commit()
    assert b"".join([*parts, *told]) == quiet
    store.close()


def test_what_was_read_before_is_not_remembered():
    store, other = grown(some_blocks(3)), MultiStore(None, NAMES)
    view = other.store("a")
    assert [view.get(b"key%03d" % number) for number in range(60)] == [None] * 60
    importer = other.importer(3)
    importer.feed(whole(store, 3))
    other.restore(3, importer.finish(), store.app_hash)
    for number in range(60):
        key = b"key%03d" % number
        assert view.get(key) == store.store("a").get(key)


def test_only_an_empty_store_is_restored():
    store = grown(some_blocks(2))
    importer = store.importer(2)
    for chunk in store.export(2, 64):
        importer.feed(chunk)
    before = store.version, store.app_hash
    with pytest.raises(NotEmpty):
        store.restore(2, importer.finish(), store.app_hash)
    assert (store.version, store.app_hash) == before


def test_another_app_hash_is_refused_and_what_was_applied_stays_droppable():
    store = grown(some_blocks(2))
    other = MultiStore(None, NAMES)
    importer = other.importer(2)
    importer.feed(whole(store, 2))
    with pytest.raises(WrongExport) as caught:
        other.restore(2, importer.finish(), bytes(32))
    assert caught.value.found == store.app_hash
    assert other.version == 0


def test_a_version_that_is_not_kept_is_not_exported():
    store = grown(some_blocks(5), keep_versions=2)
    for version in (3, 6):
        with pytest.raises(VersionMissing):
            store.export(version, 10)


def nodes_on_disk(store):
    """Those that no list of orphans names."""
    env = store._storage._env
    listed = sum((len(env.read(env.orphans, key)) - 32) // 8 for key in env.keys(env.orphans))
    return len(env.keys(env.nodes)) - listed


def nodes_reached(store):
    point = store._storage._timeline.points[-1]
    sizes = [len(list(store.iterate_at(name, b"", None, point))) for name in NAMES]
    return sum(2 * size - 1 for size in sizes if size)


def text(raw):
    return uvarint(len(raw)) + raw


LEAF = b"\x01\x01" + text(b"k") + text(b"v")


def imported(raw):
    importer = Importer(["a", "b"], 5)
    importer.feed(raw)
    return importer.finish()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "cut short"),
        (LEAF, "outside of a store"),
        (b"\x03" + text(b"b"), "not expected"),
        (b"\x03" + text(b"a") + b"a", "no record begins"),
        (b"\x03" + text(b"a") + b"\x01\x00" + text(b"k") + text(b"v"), "version 0"),
        (b"\x03" + text(b"a") + b"\x01\x06" + text(b"k") + text(b"v"), "version 6 in version 5"),
        (b"\x03" + text(b"a") + b"\x01\x01" + text(b"") + text(b"v"), "without a key"),
        (b"\x03" + text(b"a") + b"\x02\x01", "without two children"),
        (b"\x03" + text(b"a") + LEAF + b"\x02\x01", "without two children"),
        (b"\x03" + text(b"a") + LEAF + LEAF + b"\x03" + text(b"b"), "several roots"),
        (b"\x03" + text(b"a") + b"\x01" + b"\xff" * 11, "varint"),
        (b"\x03" + text(b"a") + LEAF + (LEAF + b"\x02\x01") * 100, "too high"),
        (b"\x03" + text(b"a") + b"\x01\x01" + uvarint(1 << 62), "cut short"),
        (b"\x04", "no record begins"),
    ],
)
def test_bytes_that_are_no_export(raw, reason):
    with pytest.raises(BadExport, match=reason):
        imported(raw)


def test_more_than_is_taken_is_refused():
    importer = Importer(["a"], 5, limit=10)
    importer.feed(b"\x03" + text(b"a") + LEAF)
    with pytest.raises(BadExport, match="longer"):
        importer.feed(LEAF)
    assert issubclass(StorageFailed, IavlError)
