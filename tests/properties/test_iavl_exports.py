"""What both engines tell of a version, record for record, and how they end where a record is missing."""

import pytest

from iavl import RecordMissing, engine
from iavl.disk.nodes import serial_key
from iavl.engine import PYTHON
from iavl.export import records
from tests.iavl_engines import BOTH, NATIVE, Slow, at_once, stored, using

ONLY_NATIVE = pytest.mark.skipif(NATIVE is PYTHON, reason="pyibc-native is not installed")
EITHER = pytest.mark.parametrize("kind", BOTH, ids=["native", "python"])
HEAD = b"\0head"


def hollow_below(node):
    """Whether each node below is on the disk alone, from the left; below such a one nobody looks."""
    if node.loader is not None or not node.height:
        return [node.loader is not None]
    return [False, *hollow_below(node.left), *hollow_below(node.right)]


def all_of(export, most):
    parts = []
    while part := export.take(most):
        parts.append(part)
    assert export.take(most) == b""
    return parts


@EITHER
@pytest.mark.parametrize("most", [1, 2, 7, 10_000])
def test_each_part_has_as_many_records_and_the_head_is_before_the_first(kind, most):
    with using(PYTHON):
        expected = list(records([stored(90)[0].committed, stored(1)[0].committed]))
    with using(kind):
        found = all_of(engine.active.export(HEAD, [stored(90)[0].committed, stored(1)[0].committed]), most)
    wanted = [b"".join(expected[at : at + most]) for at in range(0, len(expected), most)]
    assert found == [HEAD + wanted[0], *wanted[1:]]


@EITHER
def test_of_no_trees_the_head_is_told(kind):
    with using(kind):
        assert all_of(engine.active.export(HEAD, []), 5) == [HEAD]


@EITHER
def test_what_was_on_the_disk_is_so_afterwards_and_what_was_in_memory_stays(kind):
    with using(kind):
        tree, _, loader = stored()
        whole = all_of(engine.active.export(HEAD, [tree.committed]), 50)
        loader.empty(tree.committed)
        assert tree.get(b"0123") == b"v123"  # loads one path
        before = hollow_below(tree.committed)
        assert 5 < before.count(True) < 20
        assert all_of(engine.active.export(HEAD, [tree.committed]), 50) == whole
        assert hollow_below(tree.committed) == before


@EITHER
def test_an_export_ends_where_a_record_is_missing(kind):
    with using(kind):
        tree, kept, loader = stored()
        gone = serial_key(tree.committed.right.left.serial)
        loader.empty(tree.committed)
        kept.pop(gone)
        export = engine.active.export(HEAD, [tree.committed])
        with pytest.raises(RecordMissing):
            all_of(export, 10)
        assert export.take(10) == b""


@ONLY_NATIVE
def test_an_export_that_is_asked_while_it_loads_says_so():
    with using(NATIVE):
        exports, told = [], []

        class Asking(dict):
            def get(self, key):
                for export in exports:
                    with pytest.raises(ValueError, match="already executing"):
                        export.take(1)
                    told.append(key)
                return super().get(key)

        tree, _, loader = stored(source=Asking)
        whole = all_of(engine.active.export(HEAD, [tree.committed]), 1_000)
        loader.empty(tree.committed)
        exports.append(engine.active.export(HEAD, [tree.committed]))
        assert all_of(exports[0], 1_000) == whole
        assert len(told) == 799


@ONLY_NATIVE
def test_threads_may_fill_and_empty_what_is_exported():
    """Exports of the same nodes, each of which empties them in the end."""
    with using(NATIVE):
        tree, _, loader = stored(source=Slow)
        whole = b"".join(all_of(engine.active.export(HEAD, [tree.committed]), 30))
        loader.empty(tree.committed)
        found = []

        def tell(_):
            for _ in range(4):
                found.append(b"".join(all_of(engine.active.export(HEAD, [tree.committed]), 30)))
                loader.empty(tree.committed)

        at_once(4, tell)
        assert found == [whole] * 16
