"""Versions that are rebuilt from a checkpoint and the blocks behind it."""

import pytest

from iavl import CorruptDatabase, MultiStore
from iavl.disk.blocks import BlockReader, encode_block


@pytest.fixture
def store(tmp_path, quick):
    made = MultiStore(
        tmp_path / "db", ["bank", "ibc"], keep_versions=20, disk=quick(checkpoint_blocks=5, slice_nodes=50)
    )
    for version in range(1, 31):
        made.apply({"ibc": [(b"%d" % n, b"%d" % version) for n in range(version, version + 20)]})
        made.commit()
    yield made
    made.close()


def test_only_the_last_roots_stay_in_memory(store):
    assert sorted(store._trees["ibc"].versions) == [29, 30]


def test_opening_keeps_no_more_of_them(store, tmp_path, quick):
    store.close()
    store = MultiStore(tmp_path / "db", ["bank", "ibc"], disk=quick(memory_versions=2))
    assert sorted(store._trees["ibc"].versions) == [29, 30]
    store.close()


def test_rebuilt_versions_are_remembered_until_they_leave_the_window(store):
    history = store._storage._history
    for version in (11, 12, 13, 25):
        assert store.get_at("ibc", b"%d" % version, version) == b"%d" % version
    assert set(history._roots) == {("ibc", version) for version in (11, 12, 13, 25)}
    root = history._roots["ibc", 25]
    assert store.prove("ibc", b"25", 25)[0] == b"25"
    assert history._roots["ibc", 25] is root
    store.commit()
    store.commit()
    assert set(history._roots) == {("ibc", 13), ("ibc", 25)}


def test_few_are_remembered(store):
    for version in store.versions():
        store.get_at("ibc", b"1", version)
    assert len(store._storage._history._roots) == 8


def test_queries_that_load_more_than_the_cache_drop_them(store):
    store.get_at("ibc", b"25", 25)
    store._storage._history._limit = 0
    store.get_at("ibc", b"20", 20)
    assert store._storage._history._roots == {}
    assert store.get_at("ibc", b"25", 25) == b"25"


def test_a_version_that_differs_from_its_block_is_told(store):
    env = store._storage._env
    with env.writing() as txn:
        key = (24).to_bytes(8)
        info, changes = BlockReader("", 24, txn.get(key, db=env.log)).read()
        assert changes["ibc"].pop() == (b"43", b"24")
        txn.put(key, encode_block(info, changes), db=env.log)
    assert store._storage._timeline.point_before(24) < 24
    with pytest.raises(CorruptDatabase, match="differs at version 24"):
        store.get_at("ibc", b"24", 24)


class Spent(Exception):
    """The budget of whoever reads is used up."""


class Budget:
    """Pays for so many writes."""

    def __init__(self, writes):
        self.left = writes
        self.log_bytes = 0

    def charge(self, log_bytes, writes):
        self.log_bytes += log_bytes
        if writes > self.left:
            raise Spent
        self.left -= writes


def test_h303_a_rebuild_is_paid_for(store):
    """Of 20 writes a block; who finds the version rebuilt pays nothing."""
    assert store._storage._timeline.point_before(14) == 10
    payer = Budget(1_000)
    assert store.get_at("ibc", b"14", 14, payer.charge) == b"14"
    assert payer.left == 1_000 - 4 * 20
    assert payer.log_bytes > 4 * 20 * 4
    assert store.prove("ibc", b"14", 14, Budget(0).charge)[0] == b"14"
    with pytest.raises(Spent):
        store.prove("ibc", b"13", 13, Budget(0).charge)


def test_h303_who_asks_again_goes_on_from_there(store):
    """Else a version that costs more than anybody may spend could never be read."""
    asked = 0
    while asked < 10:
        asked += 1
        try:
            assert store.get_at("ibc", b"14", 14, Budget(25).charge) == b"14"
            break
        except Spent:
            assert ("ibc", 14) not in store._storage._history._roots
    assert asked == 4


def test_a_rebuild_that_a_checkpoint_overtakes_begins_again_there(tmp_path, quick):
    """The first blocks are removed while one of them is needed; the version itself stays."""
    knobs = quick(checkpoint_blocks=6, slice_nodes=2)
    store = MultiStore(tmp_path / "db", ["ibc"], keep_versions=8, disk=knobs)
    timeline, proofs, last = store._storage._timeline, {}, []

    def commit():
        store.apply({"ibc": [(b"%d" % store.version, b"%d" % store.version)]})
        store.commit()
        proofs[store.version] = store.prove("ibc", b"0")

    def overtake(*_):
        while timeline.first_block == 1:
            commit()
            last[:] = [store.version]

    for _ in range(10):
        commit()
    assert (timeline.first_block, timeline.points) == (1, [])
    assert store.prove("ibc", b"0", 8, overtake) == proofs[8]
    assert timeline.points[0] == timeline.first_block > 1
    assert last[0] - 8 < 8
    store.close()
