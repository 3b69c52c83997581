"""One run at a time on a bucket: refused while another one is alive, taken over from a dead one."""

import threading

import pytest

from pyibc.indexer.errors import IndexBusy, StorageUnfit
from pyibc.indexer.storage import lease as module
from pyibc.indexer.storage.client import bucket
from pyibc.indexer.storage.lease import Lease, leased
from pyibc.indexer.storage.objects import ObjectPath
from tests.object_server import Stored, losing_one

OUT = ObjectPath("chains", "index")
LOCK = "index/.lock"


def quiet(_):
    pass


def test_h216_beside_a_run_that_lives_another_is_refused(objects):
    with leased(OUT, [], quiet), pytest.raises(IndexBusy) as refused, leased(OUT, [], quiet):
        pass
    assert (refused.value.folder, refused.value.code) == ("s3://chains/index", 24)
    assert LOCK not in objects


def test_h216_from_a_run_that_was_killed_it_is_taken_over_by_one(objects):
    dead = Lease(OUT, [])
    dead.take(quiet)
    told, had = [], []

    def run():
        mine = Lease(OUT, [])
        try:
            mine.take(told.append)
        except IndexBusy:
            return
        had.append(mine)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(had) == 1
    assert told[0] == "s3://chains/index is locked by a run that is active or was killed: waiting 0.6 s"


def test_h216_an_owner_that_slept_too_long_changes_nothing(objects, monkeypatch):
    objects["index/a"] = Stored(b"there")
    slept = Lease(OUT, [])
    slept.take(quiet)
    monkeypatch.setattr(module, "LOST_S", 0.0)
    out = OUT.guarded(slept)
    for change in (
        (out / "a").unlink,
        lambda: (out / "a").write_bytes(b"x"),
        lambda: (out / "a").rename(out / "b"),
    ):
        with pytest.raises(IndexBusy):
            change()
    assert objects["index/a"].data == b"there"
    slept.give_up()
    assert LOCK in objects


def test_h216_what_commits_a_run_is_replaced_only_as_it_was_found(objects):
    objects["index/tables.json"] = Stored(b"before")
    with leased(OUT, ["tables.json"], quiet) as out:
        (out / "tables.json").write_bytes(b"mine")
        (out / "tables.json").write_bytes(b"mine too")
        objects["index/tables.json"] = Stored(b"another's")
        with pytest.raises(IndexBusy):
            (out / "tables.json").write_bytes(b"mine three")
    assert objects["index/tables.json"].data == b"another's"


def test_an_answer_that_was_lost_is_no_other_run(objects, server):
    """The write succeeded but its response was lost, and the retry finds it done."""
    lost = []
    server.fault = losing_one(lost, objects)
    with leased(OUT, ["tables.json"], quiet) as out:
        assert lost == [LOCK]
        lost.clear()
        (out / "tables.json").write_bytes(b"mine")
        assert lost
    assert objects["index/tables.json"].data == b"mine"


def test_h216_a_store_without_conditional_writes_is_refused(objects, server):
    server.conditional = False
    with pytest.raises(StorageUnfit, match="If-None-Match"), leased(OUT, [], quiet):
        pass


def test_a_lease_that_somebody_took_is_lost(objects):
    mine = Lease(OUT, [])
    mine.take(quiet)
    bucket("chains").put(LOCK, b"another's")
    thread = threading.Thread(target=mine.beat)
    thread.start()
    thread.join(5)
    assert not thread.is_alive()
    with pytest.raises(IndexBusy):
        mine.check()
    mine.give_up()
    assert objects[LOCK].data == b"another's"
