from dataclasses import replace
from threading import RLock

from iavl import MultiStore, engine
from iavl.tree import Tree
from iavl.view import StoreView


def view_of(remember):
    tree = Tree()
    tree.apply([(b"%d" % n, b"v%d" % n) for n in range(10)])
    tree.commit()
    return StoreView(tree, RLock(), lambda: None, lambda: range(0), remember), tree


def test_what_was_read_lately_needs_no_tree():
    view, tree = view_of(remember=2)
    for key in (b"1", b"2", b"3", b"4"):
        assert view.get(key) is not None
    tree.committed = None
    assert [view.get(key) for key in (b"2", b"3", b"4")] == [b"v2", b"v3", b"v4"]


def test_no_more_is_remembered_than_two_generations():
    view, _ = view_of(remember=2)
    for number in range(10):
        view.get(b"%d" % number)
    assert len(view._young) + len(view._old) <= 2 * 3


def test_absence_is_remembered_until_it_is_written():
    view, tree = view_of(remember=5)
    assert view.get(b"new") is None
    tree.set(b"new", b"x")
    tree.commit()
    view.committed([(b"new", b"x")])
    assert view.get(b"new") == b"x"


def held(remember):
    """A store that began empty, with a way to write to it."""
    store = MultiStore(None, ["s"], remember=remember)

    def write(changes):
        store.apply({"s": sorted(changes.items())})
        store.commit()

    return store.store("s"), write


def test_a_store_that_began_empty_is_held_flat(monkeypatch):
    view, write = held(remember=10)
    write({b"%d" % n: b"v%d" % n for n in range(10)})
    monkeypatch.setattr(engine, "active", replace(engine.active, find_or_gap=None))  # no descent from here on
    assert [view.get(b"%d" % n) for n in range(10)] == [b"v%d" % n for n in range(10)]
    assert [view.get(b"none %d" % n) for n in range(40)] == [None] * 40
    assert len(view._young) == 10
    write({b"3": None, b"new": b"x"})
    assert (view.get(b"3"), view.get(b"new"), view.get(b"4")) == (None, b"x", b"v4")


def test_what_is_gone_from_a_flat_store_is_sorted_out():
    view, write = held(remember=10)
    for number in range(100):
        write({b"%d" % number: b"x", b"%d" % (number - 5): None})
        assert len(view._young) <= 2 * 10
        assert view._is_whole
        assert view.get(b"%d" % (number - 5)) is None
        assert view.get(b"%d" % (number - 4)) == (b"x" if number > 3 else None)


def test_h204_a_store_beyond_its_limit_is_held_flat_no_longer():
    """H204: strangers make keys; what is held of them beside the tree is bounded."""
    view, write = held(remember=10)
    for number in range(100):
        write({b"%d" % number: b"x"})
        assert len(view._young) + len(view._old) <= 2 * 11
        assert view._is_whole is (number < 20)
        assert view.get(b"0") == view.get(b"%d" % number) == b"x"
        assert view.get(b"none") is None
    view, write = held(remember=10)
    write({b"%d" % number: b"x" for number in range(50)})
    assert not view._is_whole
    assert view._young == {}
    assert view.get(b"7") == b"x"
