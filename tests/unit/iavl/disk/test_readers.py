"""Readers of old versions beside a chain: nothing of theirs holds up a block."""

import gc
from threading import Event, Thread

import pytest

from iavl import HistoryBusy, IavlError, MultiStore, StoreClosed, VersionMissing, VersionPruned
from iavl.gc_pause import BlockPriority, GcPaused

NAMES = ["bank", "ibc"]


class Probe:
    """Calls a function once, at the first point of a name after it was set."""

    def __init__(self):
        self.point, self.action = "", None

    def at(self, point, action):
        self.point, self.action = point, action

    def __call__(self, point):
        if point == self.point and self.action is not None:
            action, self.action = self.action, None
            action()


@pytest.fixture
def probe():
    return Probe()


@pytest.fixture
def store(tmp_path, quick, probe):
    disk = quick(checkpoint_blocks=10, slice_nodes=50, probe=probe, rebuild_wait_ms=50)
    made = MultiStore(tmp_path / "db", NAMES, keep_versions=15, disk=disk)
    grow(made, 40)
    yield made
    made.close()


def grow(store, blocks):
    for _ in range(blocks):
        version = store.next_version
        store.apply({"ibc": [(b"%d" % n, b"%d" % version) for n in range(version, version + 20)]})
        store.commit(b"m%d" % version)


def in_thread(work):
    """Runs `work` in another thread to its end; a lock held by the caller would keep it from that."""
    errors = []

    def run():
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(10)
    assert not thread.is_alive(), "it waits for the caller"
    if errors:
        raise errors[0]


def test_h100_blocks_are_committed_while_an_old_version_is_rebuilt(store, probe):
    def commit():
        heights.append(store.version)
        in_thread(lambda: grow(store, 1))
        heights.append(store.version)

    heights = []
    probe.at("rebuilding", commit)
    assert store.prove("ibc", b"33", 33)[0] == b"33"
    assert heights == [40, 41]
    assert store.get_at("ibc", b"41", 41) == b"41"


def test_h100_no_read_of_an_old_version_holds_the_stores_lock(store):
    entries = store.iterate_at("ibc", b"", None, 33)
    next(entries)
    with store._past("ibc", 33):  # a step of a read under way
        in_thread(lambda: grow(store, 1))
    assert store.version == 41


def test_h100_no_transaction_of_readers_outlives_a_step(store):
    def readers():
        return [line for line in store._storage._env._env.readers().splitlines() if not line.endswith("-")][
            1:
        ]

    before = readers()
    store.prove("ibc", b"33", 33)
    entries = store.iterate_at("ibc", b"", None, 28)
    next(entries)
    assert readers() == before


def test_h100_one_version_is_rebuilt_at_a_time_and_others_wait_for_so_long(store, probe):
    def ask():
        with pytest.raises(HistoryBusy) as caught:
            in_thread(lambda: store.get_at("ibc", b"34", 34))
        told.append(caught.value)

    told = []
    probe.at("rebuilding", ask)
    assert store.get_at("ibc", b"33", 33) == b"33"
    assert [(error.version, error.milliseconds) for error in told] == [(34, 50)]
    assert store.get_at("ibc", b"34", 34) == b"34"


def test_h100_who_waits_finds_what_the_one_before_rebuilt(store, probe):
    storage = store._storage
    probe.at("rebuilding", lambda: None)
    waited = Event()
    history, real = storage._history, storage._history._turn

    class Turn:
        def acquire(self, timeout):
            if not waited.is_set():  # the other one comes first
                waited.set()
                store.get_at("ibc", b"33", 33)
            return real.acquire(timeout=timeout)

        def release(self):
            real.release()

    history._turn = Turn()
    loads = []
    rebuild = history._rebuild
    history._rebuild = lambda name, version, *more: loads.append(version) or rebuild(name, version, *more)
    assert store.get_at("ibc", b"33", 33) == b"33"
    assert loads == [33]


def test_h100_pruning_that_overtakes_a_rebuild_is_told(store, probe):
    probe.at("rebuilding", lambda: in_thread(lambda: grow(store, 40)))
    with pytest.raises(IavlError) as caught:
        store.prove("ibc", b"26", 26)
    assert type(caught.value) is VersionPruned
    assert (caught.value.version, caught.value.first, caught.value.last) == (26, 66, 80)
    with pytest.raises(VersionMissing) as caught:
        store.prove("ibc", b"26", 26)
    assert type(caught.value) is VersionMissing
    assert store.prove("ibc", b"80", 80)[0] == b"80"


def test_h100_pruning_that_overtakes_an_iterator_is_told(tmp_path, quick):
    store = MultiStore(
        tmp_path / "big", ["ibc"], keep_versions=2, cache_nodes=0, disk=quick(nodes_per_write=50)
    )
    store.apply({"ibc": [(b"%05d" % n, b"v") for n in range(2_000)]})
    store.commit()
    grow(store, 8)
    entries = store.store("ibc").iterate(b"0")
    first = next(entries)
    version = store.version
    for _ in range(30):
        store.apply({"ibc": [(b"%05d" % n, b"w") for n in range(2_000)]})
        store.commit()
    with pytest.raises(IavlError) as caught:
        list(entries)
    assert type(caught.value) is VersionPruned
    assert first == (b"00000", b"v")
    assert (caught.value.version, caught.value.last) == (version, store.version)
    assert store.store("ibc").get(b"00000") == b"w"
    store.close()


def test_h100_a_state_that_took_the_place_of_another_ends_its_rebuilds(store, probe):
    history = store._storage._history
    probe.at("rebuilding", history.replaced)
    with pytest.raises(VersionPruned):
        store.get_at("ibc", b"33", 33)
    assert history._roots == {}
    assert store.get_at("ibc", b"33", 33) == b"33"


def test_closing_waits_for_no_rebuild(store, probe):
    probe.at("rebuilding", lambda: in_thread(store.close))
    with pytest.raises(StoreClosed):
        store.get_at("ibc", b"33", 33)
    with pytest.raises(StoreClosed):
        store.get_at("ibc", b"33", 33)


def test_rebuilt_versions_equal_what_was_committed(store, tmp_path):
    memory = MultiStore(None, NAMES, keep_versions=15)
    grow(memory, 40)
    for version in store.versions():
        for key in (b"30", b"45", b"absent"):
            assert store.prove("ibc", key, version) == memory.prove("ibc", key, version)
        assert list(store.iterate_at("ibc", b"", None, version)) == list(
            memory.iterate_at("ibc", b"", None, version)
        )
        assert b"".join(store.export(version, 100)) == b"".join(memory.export(version, 100))


def test_few_nodes_of_rebuilt_versions_stay(store):
    history = store._storage._history
    history._limit = 150
    for version in store.versions():
        store.get_at("ibc", b"30", version)
        assert history._loader.loads - history._loads_then + history._made <= 150 or history._roots == {}


def test_a_rebuild_gives_way_to_a_block_but_not_for_ever():
    priority, seen = BlockPriority(), []
    with priority, priority:
        done = Event()

        def rebuild():
            priority.yield_to_block()
            seen.append("slice")
            done.set()

        Thread(target=rebuild, daemon=True).start()
        assert done.wait(20)  # one slice, though the block is still under way
    assert seen == ["slice"]
    assert priority._idle.is_set()


def test_a_block_under_way_is_told_to_readers(store):
    idle = store._priority._idle
    assert idle.is_set()
    with store.executing():
        assert not idle.is_set()
        grow(store, 1)
        assert not idle.is_set()  # until the outer one ends
    assert idle.is_set()


def test_the_collector_is_on_again_when_the_last_pause_ends():
    assert gc.isenabled()
    first, second = GcPaused(), GcPaused()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()
