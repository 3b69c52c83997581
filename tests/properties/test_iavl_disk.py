"""A store on disk against one in memory: random blocks, settings, reopenings and evictions."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iavl import MultiStore, UnprovableAbsence
from iavl.disk.database.settings import DiskOptions
from iavl.disk.nodes import children_of, serial_key
from iavl.disk.recovery import read_point
from iavl.disk.writer import decode_list
from tests.sampling import rounds

NAMES = ["a", "b"]
KEYS = st.sampled_from([b"k%03d" % n for n in range(60)])
CHANGES = st.lists(st.tuples(KEYS, st.none() | st.binary(max_size=40)), max_size=25)
KNOBS = st.fixed_dictionaries({
    "checkpoint_blocks": st.sampled_from([1, 2, 3, 7]),
    "checkpoint_writes": st.sampled_from([5, 60, 1000]),
    "slice_nodes": st.sampled_from([1, 5, 40, 2000]),
    "nodes_per_write": st.sampled_from([1, 4]),
    "memory_versions": st.sampled_from([1, 2, 20]),
    "checkpoint_on_close": st.booleans(),
})  # fmt: skip
SETUP = st.tuples(KNOBS, st.sampled_from([0, 3, 20, 1000]), st.sampled_from([0, 5, 1000]))
BLOCK = st.tuples(st.fixed_dictionaries(dict.fromkeys(NAMES, CHANGES)), st.none() | SETUP, st.booleans())


@pytest.fixture(scope="module")
def folder():
    made = tempfile.mkdtemp()
    yield Path(made)
    shutil.rmtree(made)


def open_store(path, setup, keep):
    knobs, cache_nodes, remember = setup
    options = DiskOptions(map_size=1 << 26, sync=False, **knobs)
    return MultiStore(
        path, NAMES, keep_versions=keep, cache_nodes=cache_nodes, remember=remember, disk=options
    )


def check_nodes(store):
    """What is on disk is what the last checkpoint reaches, and listed orphans; nothing is both."""
    storage = store._storage
    env = storage._env
    on_disk = {int.from_bytes(key) for key in env.keys(env.nodes)}
    listed = set()
    for key in env.keys(env.orphans):
        listed |= set(map(int.from_bytes, decode_list(env.path, key, env.read(env.orphans, key))))
    last = storage._timeline.points[-1] if storage._timeline.points else 0
    _, roots = read_point(env, last, storage._loader)
    stack = [(root.serial, root.height) for root in roots.values() if root is not None]
    live = set()
    while stack:
        serial, height = stack.pop()
        live.add(serial)
        record = env.read(env.nodes, serial_key(serial))
        if height:
            stack += children_of(record)
    assert live | listed == on_disk
    assert not live & listed


def resident(store):
    """Nodes in memory, below the committed roots."""
    stack = [tree.committed for tree in store._trees.values() if tree.committed is not None]
    count = 0
    while stack:
        node = stack.pop()
        if node.loader is None:
            count += 1
            stack += [node.left, node.right] if node.height else []
    return count


def check_equal(store, memory):
    assert (store.version, store.app_hash, store.metadata) == (
        memory.version,
        memory.app_hash,
        memory.metadata,
    )
    assert store.versions() == memory.versions()
    kept = memory.versions()
    for name in NAMES:
        for key in (b"k000", b"k017", b"k059", b"absent"):
            assert store.store(name).get(key) == memory.store(name).get(key)
            for version in {kept.start, kept[len(kept) // 2], kept.stop - 1}:
                assert store.get_at(name, key, version) == memory.get_at(name, key, version)
                try:
                    expected = memory.prove(name, key, version)
                except UnprovableAbsence:
                    continue
                assert store.prove(name, key, version) == expected


@settings(deadline=None, max_examples=rounds(10, 40))
@given(SETUP, st.sampled_from([1, 2, 5, 20, None]), st.lists(BLOCK, min_size=1, max_size=25))
def test_disk_equals_memory(folder, setup, keep, blocks):
    path = Path(tempfile.mkdtemp(dir=folder))
    store = open_store(path, setup, keep)
    memory = MultiStore(None, NAMES, keep_versions=keep)
    for number, (writes, reopen, undo) in enumerate(blocks):
        if reopen is not None:
            store.close()
            store = open_store(path, reopen, keep)
            check_nodes(store)
        if undo:
            store.apply(writes)
            store.rollback()
        assert store.apply(writes) == memory.apply(writes)
        assert store.commit(b"%d" % number) == memory.commit(b"%d" % number)
        check_equal(store, memory)
    for name in NAMES:
        assert list(store.store(name).iterate()) == list(memory.store(name).iterate())
        first = memory.versions().start
        assert list(store.iterate_at(name, b"", None, first)) == list(
            memory.iterate_at(name, b"", None, first)
        )
    store.close()
    shutil.rmtree(path)


def test_memory_is_bounded_by_the_cache(folder):
    path = Path(tempfile.mkdtemp(dir=folder))
    setup = {"checkpoint_blocks": 2, "memory_versions": 1, "slice_nodes": 20_000}, 300, 10
    store = open_store(path, setup, 2)
    store.apply({"a": [(b"%05d" % n, b"v") for n in range(5_000)]})
    store.commit()
    for number in range(20):
        store.apply({"a": [(b"%05d" % (n * 37 % 5_000), b"%d" % number) for n in range(number, number + 10)]})
        store.commit()
        for each in range(40):
            store.get_at("a", b"%05d" % (each * 991 % 5_000), store.version)
        # The cache, what a few blocks and their queries touched, and no more of the 9,999 nodes.
        assert number < 4 or resident(store) < 300 + 2 * 10 * 14 + 300
    assert len(list(store.store("a").iterate())) == 5_000
    assert resident(store) < 300 + 2 * 10 * 14 + 2 * 256
    store.close()
