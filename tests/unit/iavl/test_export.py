"""A version as bytes, and another store made of it."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.fuzz.count import counting
from iavl import BadExport, IavlError, MultiStore, NotEmpty, VersionMissing, WrongExport, engine
from iavl.commit_info import simple_root
from iavl.errors import StorageFailed
from iavl.export import head, records
from iavl.restore import checker
from iavl.sha import EMPTY_HASH, uvarint
from tests.sampling import rounds

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
    importer = store.importer(version, app_hash)
    for chunk in chunks:
        importer.feed(chunk)
    store.restore(importer)
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


@settings(max_examples=rounds(15, 60), deadline=None)
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


@settings(max_examples=rounds(50, 200), deadline=None)
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
        importer = other.importer(store.version, store.app_hash)
        importer.feed(spoilt)
        other.restore(importer)
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


@pytest.mark.parametrize("point", ["begun", "logged", "slice", "point", "orphans", "written", "imported"])
def test_a_kill_inside_of_a_restore_leaves_an_empty_store(tmp_path, quick, point, monkeypatch):
    monkeypatch.setattr("iavl.disk.writer._BATCH_NODES", 20)
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
    importer = store.importer(version, source.info(version).app_hash, instead_of)
    for chunk in source.export(version, 300):
        importer.feed(chunk)
    store.restore(importer, instead_of)


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


@pytest.mark.parametrize(
    "point", ["begun", "cleared", "logged", "slice", "point", "orphans", "written", "imported"]
)
def test_a_kill_while_one_version_takes_another_s_place_leaves_the_first(tmp_path, quick, point, monkeypatch):
    monkeypatch.setattr("iavl.disk.writer._BATCH_NODES", 20)
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
    importer = other.importer(3, store.app_hash)
    importer.feed(whole(store, 3))
    other.restore(importer)
    for number in range(60):
        key = b"key%03d" % number
        assert view.get(key) == store.store("a").get(key)


def test_only_an_empty_store_is_restored():
    store = grown(some_blocks(2))
    before = store.version, store.app_hash
    with pytest.raises(NotEmpty):
        store.importer(2, store.app_hash)
    empty = MultiStore(None, NAMES)
    importer = empty.importer(2, store.app_hash)
    for chunk in store.export(2, 64):
        importer.feed(chunk)
    empty.apply({})
    empty.commit()
    for other in (store, empty):
        with pytest.raises(NotEmpty):
            other.restore(importer)
    assert (store.version, store.app_hash) == before
    assert empty.version == 1


def test_h105_another_app_hash_is_refused_at_the_first_record():
    store = grown(some_blocks(2))
    other = MultiStore(None, NAMES)
    importer = other.importer(2, bytes(32))
    with pytest.raises(WrongExport) as caught:
        importer.feed(whole(store, 2)[:150])
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
ONE = engine.active.new_leaf(b"k", b"v")
engine.active.hash_dirty(ONE, 1)


def imported(raw, root=ONE.hash):
    """Of a version with the root `root` in store a, and nothing in b."""
    roots = {"a": root, "b": EMPTY_HASH}
    head = b"\x00\x02" + b"".join(text(name.encode()) + each for name, each in roots.items())
    importer = checker(["a", "b"], 5, simple_root(roots))
    importer.feed(raw.replace(b"HEAD", head))
    return importer.finish()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "truncated"),
        (b"HEAD", "truncated"),
        (b"HEAD" + LEAF[:-1], "truncated"),
        (LEAF, "misplaced head"),
        (b"HEADHEAD", "misplaced head"),
        (b"\x00\x01", "1 stores instead of 2"),
        (b"\x00\x02" + text(b"b"), "unexpected store"),
        (b"HEADa", "unknown record type"),
        (b"HEAD\x01\x00" + text(b"k") + text(b"v"), "version 0"),
        (b"HEAD\x01\x06" + text(b"k") + text(b"v"), "version 6 in version 5"),
        (b"HEAD\x01\x01" + text(b"") + text(b"v"), "has an empty key"),
        (b"HEAD\x01\x01" + text(b"k") + text(b"w"), "differs from that in its parent"),
        (b"HEAD\x02\x01\x02\x01" + bytes(64), "differs from that in its parent"),
        (b"HEAD\x02\x01\x02\x5b" + bytes(64), "too high"),
        (b"HEAD" + b"\x03\x01" * 4, "a subtree without hashes is too high"),
        (b"HEAD\x03\x01" + LEAF + LEAF, "differs from that in its parent"),
        (b"HEAD" + LEAF + LEAF, "trailing records"),
        (b"HEAD" + LEAF + b"\x00", "misplaced head"),
        (b"HEAD\x01" + b"\xff" * 11, "varint"),
        (b"HEAD\x01" + b"\xff" * 9 + b"\x7f", "exceeds 64 bits"),
        (b"HEAD\x01\x01" + uvarint((1 << 24) + 1), "has 16777217 bytes"),
        (b"HEAD\x01\x01" + uvarint(1 << 24), "truncated"),
    ],
)
def test_h105_bytes_that_are_no_export(raw, reason):
    assert imported(b"HEAD" + LEAF)["b"] is None
    with pytest.raises(BadExport, match=reason):
        imported(raw)


def test_h105_a_made_up_node_is_refused_within_eight_leaves():
    """Every leaf in turn is another one; what was read before it is noticed is counted in leaves."""
    source = grown(some_blocks(8, keys=400))
    roots = {name: source._trees[name].root for name in NAMES}
    told = [head(roots), *records([root for root in roots.values() if root is not None])]
    leaves = [at for at, record in enumerate(told) if record[:1] == b"\x01"]
    assert len(leaves) > 120
    for liar in leaves:
        importer, read = checker(NAMES, source.version, source.app_hash), []
        spoilt = [*told[:liar], told[liar][:-1] + bytes([told[liar][-1] ^ 1]), *told[liar + 1 :]]
        with pytest.raises(BadExport):
            read.extend(map(importer.feed, spoilt))
        read = len(read)
        assert sum(liar < at <= read for at in leaves) < 8


def test_h105_what_is_in_memory_does_not_grow_with_the_state(tmp_path, quick, monkeypatch):
    """Nodes that are plain objects: those of the path and of the batch, at any size of the state."""
    monkeypatch.setattr("iavl.disk.writer._BATCH_NODES", 50)
    made, loaded = [], []
    for keys in (500, 4_000):
        blocks = [{"a": [(b"key%06d" % at, b"v" * 20) for at in range(keys)]}]
        source = grown(blocks, tmp_path / f"from{keys}", disk=quick(checkpoint_on_close=True))
        source.close()
        source = MultiStore(tmp_path / f"from{keys}", NAMES, disk=quick())
        other = MultiStore(tmp_path / f"to{keys}", NAMES, disk=quick())
        importer, most, most_loaded = other.importer(1, source.app_hash), 0, 0
        for chunk in source.export(1, 1_000):
            importer.feed(chunk)
            most_loaded = max(most_loaded, plain_below(source._trees["a"].root))
            most = max(most, len(importer._stack) + len(importer._sink._batch))
        other.restore(importer)
        assert whole(other, 1) == whole(source, 1)
        made.append(most)
        loaded.append(most_loaded)
        other.close()
        source.close()
    assert max(made) <= 50 + 15
    assert loaded == [0, 0]


def test_h254_a_record_in_many_chunks_is_put_together_once():
    """A leaf of 2 MB that comes in a thousand chunks: no more is copied than it has."""
    long = b"\x01\x01" + text(b"k" * 1_000_000) + text(b"v" * 1_000_000)
    node = engine.active.new_leaf(b"k" * 1_000_000, b"v" * 1_000_000)
    engine.active.hash_dirty(node, 1)
    roots = {"a": node.hash, "b": EMPTY_HASH}
    head = b"\x00\x02" + b"".join(text(name.encode()) + each for name, each in roots.items())
    importer, whole = checker(["a", "b"], 5, simple_root(roots)), head + long
    with counting() as counter:
        for at in range(0, len(whole), 2_000):
            importer.feed(whole[at : at + 2_000])
    assert counter.copied < 20 * len(long)
    assert importer.finish().keys() == {"a", "b"}


def plain_below(node):
    if node is None or node.loader is not None:
        return 0
    return 1 + (plain_below(node.left) + plain_below(node.right) if node.height else 0)


def test_h105_a_restore_that_was_given_up_leaves_nothing_and_takes_nothing(tmp_path, quick, monkeypatch):
    monkeypatch.setattr("iavl.disk.writer._BATCH_NODES", 5)
    source = grown(some_blocks(6), keep_versions=None)
    store = MultiStore(tmp_path / "new", NAMES, disk=quick(checkpoint_blocks=2))
    given_up = []
    for _ in range(2):
        importer = store.importer(6, source.app_hash)
        chunks = source.export(6, 400)
        importer.feed(next(chunks))
        given_up.append((importer, next(chunks)))
    assert len(store._storage._env.keys(store._storage._env.nodes)) > 0
    for block in some_blocks(6, seed=2):
        store.apply(block)
        store.commit()
    for importer, chunk in given_up:
        with pytest.raises(IavlError) as caught:
            importer.feed(chunk)
        assert str(caught.value) == "not an exported version: this restore was aborted"
    state = store.version, store.app_hash, whole(store, 6)
    store.close()
    store = MultiStore(tmp_path / "new", NAMES, disk=quick())
    assert (store.version, store.app_hash, whole(store, 6)) == state
    assert nodes_on_disk(store) == nodes_reached(store)
    store.close()
    assert issubclass(StorageFailed, IavlError)
