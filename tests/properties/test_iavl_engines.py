"""The native tree against Python's, which is its oracle: the same bytes come out of every history."""

import random
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iavl import CorruptDatabase, DiskOptions, MultiStore, RecordMissing, StorageFailed, Tree, engine
from iavl.disk.nodes import serial_key
from iavl.engine import PYTHON
from tests.iavl_engines import BOTH, NATIVE, Slow, at_once, store_all, stored, using
from tests.sampling import rounds

pytestmark = pytest.mark.skipif(NATIVE is PYTHON, reason="pyibc-native is not installed")
LONG = b"commitments/ports/transfer/channels/channel-0/sequences/%d"
KEYS = (
    st.binary(min_size=1, max_size=3)
    | st.sampled_from([LONG % n for n in range(30)])
    | st.binary(min_size=36, max_size=39)
)
OPS = st.lists(st.tuples(KEYS, st.none() | st.binary(max_size=40)), max_size=60)
SETTINGS = settings(deadline=None, max_examples=rounds(15, 60))


def walk(root):
    """What can be asked of every node."""
    found, stack = [], [] if root is None else [root]
    while stack:
        node = stack.pop()
        below = (node.left.key, node.right.hash) if node.height else node.value
        found.append((node.key, node.height, node.size, node.version, node.serial, node.hash, below))
        if node.height:
            stack += node.right, node.left
    return found


def facts(node):
    return node.height, node.key, node.hash, node.serial if node.hash else None


def live(blocks, kind, cuts):
    """All that a tree tells; `cuts`: the blocks that begin with a rollback and end with it emptied."""
    told, records, serial = [], {}, 1
    with using(kind):
        tree, loader = Tree(initial_version=3), engine.active.loader("/db", records)
        for number, (ops, asked) in enumerate(blocks):
            if number in cuts:
                tree.apply(ops[::2])
                tree.working_hash()
                tree.rollback()
            told.append([tree.remove(key) if value is None else tree.set(key, value) for key, value in ops])
            told.append([facts(node) for node in tree.orphans])
            told.append([(tree.get(key), engine.active.find_or_gap(tree.root, key)) for key in asked])
            told.append(tree.commit())
            items, serial = store_all(tree, serial)
            records.update(items)
            told += items, serial, loader.loads
            if number in cuts and tree.committed is not None:
                loader.empty(tree.committed)
            if tree.committed is not None:
                told.append([tree.at(tree.version).prove(key) for key in asked])
            low, high = min(asked), max(asked)
            for bounds in ((b"", None), (low, high), (high, low), (b"", high), (low, None)):
                told += ([*tree.iterate(*bounds, descending=back)] for back in (False, True))
            told.append(walk(tree.committed))
        for version in list(tree.versions):
            told.append(walk(tree.versions[version]))
        told.append(loader.loads)
    return told


@SETTINGS
@given(
    st.lists(st.tuples(OPS, st.lists(KEYS, min_size=1, max_size=8)), max_size=6), st.sets(st.integers(0, 5))
)
def test_a_tree_is_the_same_node_for_node(blocks, cuts):
    assert live(blocks, NATIVE, cuts) == live(blocks, PYTHON, cuts)


@SETTINGS
@given(st.integers(0, 1 << 32), st.integers(1, 400), st.integers(1, 400))
def test_a_batch_is_the_same_and_its_orphans_in_order(seed, first, second):
    """Sizes at which rotations of all four kinds happen, of nodes that are loaded for it alone."""

    def lived(kind):
        r, records = random.Random(seed), {}
        with using(kind):
            tree, loader = Tree(), engine.active.loader("/db", records)
            keys = [b"%05d" % r.randrange(1_000) for _ in range(first)]
            tree.apply([(key, b"v") for key in keys])
            told = [tree.commit()]
            records.update(store_all(tree, 1)[0])
            loader.empty(tree.committed)
            tree.apply([(r.choice(keys), r.choice([None, None, b"w"])) for _ in range(second)])
            told += [facts(node) for node in tree.orphans], loader.loads, tree.commit(), walk(tree.committed)
        return told

    assert lived(NATIVE) == lived(PYTHON)


# -- the disk


def open_at(path):
    options = DiskOptions(
        map_size=1 << 26, sync=False, checkpoint_blocks=2, slice_nodes=9, nodes_per_write=1, memory_versions=3
    )
    return MultiStore(path, ["a", "b"], keep_versions=6, cache_nodes=20, remember=5, disk=options)


def contents(path):
    """Every record of every database of a closed store."""
    store = open_at(path)
    env = store._storage._env
    found = {}
    for name in ("log", "nodes", "points", "orphans", "meta"):
        database = getattr(env, name)
        found[name] = [(key, env.read(database, key)) for key in env.keys(database)]
    store.close()
    return found


@settings(deadline=None, max_examples=25)
@given(
    st.lists(
        st.tuples(st.fixed_dictionaries({"a": OPS, "b": OPS}), st.booleans(), st.booleans()),
        min_size=1,
        max_size=12,
    )
)
def test_a_home_is_the_same_byte_for_byte_and_either_opens_it(blocks):
    """One folder is written by Python; the other by whichever it is the turn of."""
    folder = Path(tempfile.mkdtemp())
    try:
        hands = [PYTHON, PYTHON]
        told = [[], []]
        for turn, (writes, reopens, native) in enumerate(blocks):
            if reopens:
                hands[1] = NATIVE if native else PYTHON
            for each in (0, 1):
                with using(hands[each]):
                    path = folder / str(each)
                    store = open_at(path) if reopens or not turn else told[each].pop()
                    told[each].append([store.apply(writes), store.commit(b"%d" % turn)])
                    told[each].append([b"".join(store.export(store.version, 300))])
                    told[each].append(
                        [store.get_at("a", key, store.versions().start) for key, _ in writes["a"]]
                    )
                    last = turn + 1 == len(blocks) or blocks[turn + 1][1]
                    if last:
                        store.close()
                    else:
                        told[each].append(store)
        assert told[0] == told[1]
        assert contents(folder / "0") == contents(folder / "1")
    finally:
        shutil.rmtree(folder)


# -- records that are not what was written


def spoilt(r, record):
    raw, kind = bytearray(record), r.randrange(7)
    at = r.randrange(len(raw))
    if kind < 2:
        raw[at] ^= 1 << r.randrange(8)
    elif kind == 2:
        del raw[at:]
    elif kind == 3:
        raw += r.randbytes(r.randrange(1, 9))
    elif kind == 4:
        del raw[at : at + r.randrange(1, 5)]
    elif kind == 5:
        raw[at:at] = r.randbytes(r.randrange(1, 5))
    else:
        raw[:4] = r.choice([b"\xff\xff\xff\xff", b"\0\0\0\0", len(record).to_bytes(4)])
    return bytes(raw)


def looked_into(known, record):
    """What a hollow node says once its record is read, or how it refuses."""
    node = engine.active.loader("/db", {serial_key(known[0]): record}).new(*known)
    try:
        below = (walk_hollow(node.left), walk_hollow(node.right)) if node.height else node.value
    except CorruptDatabase as error:
        return type(error), str(error), node.loader is not None
    return node.key, below, node.loader is None


def walk_hollow(node):
    return node.serial, node.version, node.size, node.height, node.hash


def mutate(cases, seed):
    """Records of a tree, spoilt or given to another node: both take and refuse the same."""
    r, nodes = random.Random(seed), []
    with using(PYTHON):
        tree = Tree(initial_version=9_000)
        tree.apply(
            [(r.choice([LONG % n, b"%d" % n, r.randbytes(37)]), r.randbytes(n % 50)) for n in range(300)]
        )
        tree.commit()
        records = dict(store_all(tree, 1 << 33)[0])
        stack = [tree.committed]
        while stack:
            node = stack.pop()
            nodes.append((walk_hollow(node), records[serial_key(node.serial)]))
            stack += [node.left, node.right] if node.height else []
    refused = 0
    for _ in range(cases):
        known, record = r.choice(nodes)
        change = r.randrange(20)
        if change == 0:
            record = r.choice(nodes)[1]
        elif change == 1:
            at = r.randrange(4)
            known = (*known[:at], known[at] ^ 1 << r.randrange(8), *known[at + 1 :])
        elif change > 2:
            record = spoilt(r, record)
        found = []
        for kind in BOTH:
            with using(kind):
                found.append(looked_into(known, record))
        assert found[0] == found[1], (known, record)
        refused += found[0][0] is CorruptDatabase
    return refused


def test_h221_spoilt_records_are_refused_as_in_python():
    assert mutate(3_000, 1) > 2_000


@pytest.mark.exhaustive
def test_h221_many_spoilt_records_are_refused_as_in_python():
    assert mutate(100_000, 2) > 70_000


# -- what happens in between


@pytest.mark.parametrize("kind", BOTH, ids=["native", "python"])
@pytest.mark.parametrize("value", [None, b"new"])
def test_h222_a_write_that_fails_is_never_hashed(kind, value):
    """Whichever load fails, of any block: until it is rolled back there is no hash."""

    class Failing(dict):
        left = 1 << 30

        def get(self, key):
            self.left -= 1
            if self.left < 0:
                raise OSError(5, "asked to fail")
            return super().get(key)

    with using(kind):
        tree, records, loader = stored(source=Failing)
        before = tree.committed_hash
        for allowed in range(25):
            records.left = 1 << 30
            loader.empty(tree.committed)
            tree.apply([(b"9%d" % n, b"x") for n in range(3)])
            dirty = tree.working_hash()
            records.left = allowed
            with pytest.raises(StorageFailed):
                tree.apply([(b"%04d" % n, value) for n in range(0, 400, 5)])
            with pytest.raises(Exception, match="roll back first"):
                tree.commit()
            tree.rollback()
            assert (tree.working_hash(), dirty != before) == (before, True)
            records.left = 1 << 30
            assert len(list(tree.iterate())) == 400


def test_h222_what_could_not_be_loaded_changed_nothing():
    with using(NATIVE):
        tree, records, loader = stored()
        loader.empty(tree.committed)
        kept = dict(records)
        for key in (b"0100", b"0399", b"absent"):
            for gone in list(kept):
                loader.empty(tree.committed)
                records.clear()
                records.update((k, v) for k, v in kept.items() if k != gone)
                orphans = []
                try:
                    engine.active.remove_key(tree.committed, key, orphans)
                except RecordMissing:
                    assert not orphans
        records.update(kept)
        assert len(list(tree.iterate())) == 400


def test_h223_threads_may_fill_the_same_nodes():
    """The source lets others run at each read, and a thread empties what the others look into."""
    with using(NATIVE):
        tree, _, loader = stored(source=Slow)
        snapshot = tree.at(1)
        expected = list(snapshot.iterate()), snapshot.prove(b"0007"), snapshot.prove(b"00070")
        faults, done = [], []

        def read(seed):
            r = random.Random(seed)
            try:
                for _ in range(4):
                    n = r.randrange(400)
                    assert snapshot.get(b"%04d" % n) == b"v%d" % n
                    assert list(snapshot.iterate()) == expected[0]
                    assert list(snapshot.iterate(descending=True)) == expected[0][::-1]
                    assert snapshot.prove(b"0007") == expected[1]
                    assert snapshot.prove(b"00070") == expected[2]
                    loader.empty(tree.committed)
            except BaseException as error:
                faults.append(error)
            done.append(seed)

        loader.empty(tree.committed)
        at_once(6, read)
        assert not faults
        assert sorted(done) == list(range(6))


def test_an_iterator_that_is_asked_while_it_loads_says_so():
    with using(NATIVE):
        entries, told = [], []

        class Asking(dict):
            def get(self, key):
                if entries:
                    with pytest.raises(ValueError, match="already executing"):
                        next(entries[0])
                    told.append(key)
                return super().get(key)

        tree, _, loader = stored(source=Asking)
        loader.empty(tree.committed)
        entries.append(tree.iterate())
        assert len(list(entries[0])) == 400
        assert told
        with pytest.raises(StopIteration):
            next(entries[0])


def test_an_iterator_ends_where_it_raises():
    for kind in BOTH:
        with using(kind):
            tree, records, loader = stored()
            loader.empty(tree.committed)
            entries = tree.iterate(b"01")
            records.pop(serial_key(tree.committed.right.left.serial))
            with pytest.raises(RecordMissing):
                list(entries)
            assert list(entries) == []


@pytest.mark.parametrize("kind", BOTH, ids=["native", "python"])
def test_what_was_freed_is_no_answer(kind):
    with using(kind):
        top = engine.active.new_inner(
            b"l", engine.active.new_leaf(b"k", b"v"), engine.active.new_leaf(b"l", b"v")
        )
        engine.active.hash_dirty(top, 1)
        engine.active.strip(top.left)
        engine.active.strip(top)
        for ask in (engine.active.find, engine.active.prove, engine.active.find_or_gap):
            with pytest.raises(AttributeError):
                ask(top, b"k")
        with pytest.raises(AttributeError):
            list(engine.active.ascend(top, b"", None))


def test_a_loader_and_its_nodes_are_freed():
    import gc
    import weakref

    class Records(dict):
        pass

    with using(NATIVE):
        tree, records, loader = stored(source=Records)
        loader.empty(tree.committed)
        gone = weakref.ref(records)
        del tree, records, loader
        gc.collect()
        assert gone() is None
