from threading import RLock

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
