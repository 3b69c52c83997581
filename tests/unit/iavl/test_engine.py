"""Which engine is used, and what becomes of a write that falls."""

from dataclasses import fields, replace
from types import SimpleNamespace

import pytest

from iavl import HalfWritten, MultiStore, Tree, engine
from iavl.engine import PYTHON, VERSION, Engine, load

TYPES = {"loader", "unwritten", "export", "checker"}
NAMES = {name.capitalize() if name in TYPES else name for name in (field.name for field in fields(Engine))}


def installed(monkeypatch, version):
    """A tree of this version; every function of it is `len`."""
    tree = SimpleNamespace(VERSION=version, **dict.fromkeys(NAMES, len))
    monkeypatch.setitem(__import__("sys").modules, "pyibc_native", SimpleNamespace(tree=tree))


def test_it_can_be_switched_off(monkeypatch):
    installed(monkeypatch, VERSION)
    assert load("0") == (PYTHON, "switched off by PYIBC_NATIVE=0")
    assert load("1")[1] == load(None)[1] == f"in use, version {VERSION}"
    assert load(None)[0].find is len


def test_it_need_not_be_installed(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyibc_native", None)
    assert load(None) == (PYTHON, "not installed")


@pytest.mark.parametrize("version", [None, 0, VERSION - 1, VERSION + 1, str(VERSION)])
def test_h199_another_version_of_the_tree_is_not_used(monkeypatch, version):
    installed(monkeypatch, version)
    why = f"not used: version {version!a} of the tree is installed, {VERSION} is needed"
    assert load(None) == (PYTHON, why)


def test_h199_a_release_without_a_tree_is_not_used(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyibc_native", SimpleNamespace())
    assert load(None) == (PYTHON, f"not used: version None of the tree is installed, {VERSION} is needed")


# -- a write that falls


class Panic(BaseException):
    """As pyo3's: no Exception."""


def fall(*_):
    raise Panic


WRITES = {
    "set_key": lambda tree: tree.set(b"k", b"w"),
    "remove_key": lambda tree: tree.remove(b"k"),
    "apply_changes": lambda tree: tree.apply([(b"k", b"w")]),
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("is_dirty", [False, True])
def test_h222_what_a_fallen_write_left_is_never_committed(monkeypatch, name, is_dirty):
    tree = Tree(name="ibc")
    tree.apply([(b"k", b"v"), (b"l", b"v")])
    _, root = tree.commit()
    if is_dirty:
        tree.set(b"k", b"dirty")
    with monkeypatch.context() as patch:
        patch.setattr(engine, "active", replace(engine.active, **{name: fall}))
        with pytest.raises(Panic):
            WRITES[name](tree)
    for refused in (tree.working_hash, tree.commit):
        with pytest.raises(HalfWritten, match="store 'ibc': a write failed; roll back first"):
            refused()
    assert tree.version == 1
    tree.rollback()
    assert tree.working_hash() == root
    WRITES[name](tree)
    assert tree.commit()[0] == 2


def test_h222_a_multistore_commits_none_of_a_block_in_which_one_store_fell(monkeypatch):
    store = MultiStore(None, ["a", "b"])
    store.apply({"a": [(b"k", b"v")], "b": [(b"k", b"v")]})
    before = store.commit()
    kept = engine.active.apply_changes

    def falls_second(root, changes, orphans):
        if changes == [(b"k", b"falls")]:
            raise Panic
        return kept(root, changes, orphans)

    with monkeypatch.context() as patch:
        patch.setattr(engine, "active", replace(engine.active, apply_changes=falls_second))
        with pytest.raises(Panic):
            store.apply({"a": [(b"k", b"w")], "b": [(b"k", b"falls")]})
    with pytest.raises(HalfWritten):
        store.commit()
    assert (store.version, store.app_hash) == before
    store.rollback()
    assert store.apply({}) == before[1]


def test_going_back_to_a_version_is_a_rollback_too(monkeypatch):
    tree = Tree()
    tree.set(b"k", b"v")
    tree.commit()
    with monkeypatch.context() as patch:
        patch.setattr(engine, "active", replace(engine.active, set_key=fall))
        with pytest.raises(Panic):
            tree.set(b"k", b"w")
    tree.load_version(1)
    assert tree.commit()[0] == 2
