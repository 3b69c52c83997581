import pytest

from iavl import EmptyKey, NotBytes, Tree, UnprovableAbsence, VersionMissing
from iavl.sha import EMPTY_HASH


def filled(count=20):
    tree = Tree()
    for number in range(count):
        tree.set(b"%03d" % number, b"v%d" % number)
    tree.commit()
    return tree


def test_an_empty_tree_hashes_nothing():
    tree = Tree()
    assert tree.working_hash() == EMPTY_HASH
    assert tree.commit() == (1, EMPTY_HASH)
    assert tree.at(1).hash == EMPTY_HASH
    assert tree.at(1).size == 0


def test_removing_what_is_absent_changes_nothing():
    tree = filled()
    before = tree.root, tree.working_hash()
    assert tree.remove(b"none") is False
    assert (tree.root, tree.working_hash()) == before
    assert tree.orphans == []


def test_the_same_value_again_is_a_write():
    tree = filled()
    before = tree.working_hash()
    tree.set(b"007", b"v7")
    assert tree.working_hash() != before


def test_a_commit_without_writes_keeps_the_hash():
    tree = filled()
    root_hash = tree.at(1).hash
    assert tree.commit() == (2, root_hash)


def test_an_empty_value_is_a_value():
    tree = Tree()
    tree.set(b"config", b"")
    assert tree.has(b"config")
    assert tree.get(b"config") == b""


def test_working_hash_is_that_of_the_commit_even_when_writes_follow_it():
    once, twice = filled(), filled()
    for tree in (once, twice):
        tree.set(b"005", b"a")
    twice.working_hash()
    for tree in (once, twice):
        tree.set(b"006", b"b")
        tree.remove(b"011")
    assert twice.working_hash() == once.working_hash()
    assert twice.commit() == once.commit()


def test_rollback_drops_uncommitted_writes():
    tree = filled()
    root_hash = tree.at(1).hash
    tree.set(b"007", b"other")
    tree.remove(b"008")
    tree.rollback()
    assert tree.working_hash() == root_hash
    assert tree.get(b"007") == b"v7"
    assert tree.orphans == []


def test_the_first_version_can_be_set():
    tree = Tree(initial_version=100)
    tree.set(b"a", b"b")
    one = Tree()
    one.set(b"a", b"b")
    assert tree.commit()[0] == 100
    assert tree.commit()[0] == 101
    assert one.commit()[1] != tree.at(100).hash  # the version is part of the hash


def test_load_version_goes_back_and_writes_the_same_again():
    tree = filled()
    tree.set(b"x", b"1")
    second = tree.commit()
    tree.set(b"y", b"1")
    tree.commit()
    tree.load_version(1)
    assert tree.version == 1
    tree.set(b"x", b"1")
    assert tree.commit() == second
    with pytest.raises(VersionMissing) as caught:
        tree.at(3)
    assert (caught.value.version, caught.value.first, caught.value.last) == (3, 1, 2)


def test_deleted_versions_are_missing_and_others_stay():
    tree = filled()
    for number in range(3):
        tree.set(b"k", b"%d" % number)
        tree.commit()
    tree.delete_versions_to(2)
    assert sorted(tree.versions) == [3, 4]
    assert tree.at(3).get(b"k") == b"1"
    with pytest.raises(VersionMissing) as caught:
        tree.at(2)
    assert (caught.value.version, caught.value.first, caught.value.last) == (2, 3, 4)
    with pytest.raises(VersionMissing):
        tree.load_version(2)
    assert tree.version == 4


def test_the_last_version_cannot_be_deleted():
    tree = filled()
    with pytest.raises(VersionMissing):
        tree.delete_versions_to(1)
    assert tree.at(1).size == 20


@pytest.mark.parametrize("key", ["text", None, bytearray(b"k"), 7])
def test_keys_are_bytes(key):
    tree = filled()
    root = tree.root
    with pytest.raises(NotBytes) as caught:
        tree.set(key, b"v")
    assert caught.value.found == type(key).__name__
    with pytest.raises(NotBytes):
        tree.remove(key)
    assert tree.root is root


def test_values_are_bytes_and_keys_not_empty():
    tree = Tree(name="s")
    with pytest.raises(NotBytes):
        tree.set(b"k", None)
    with pytest.raises(EmptyKey) as caught:
        tree.set(b"", b"v")
    assert caught.value.store == "s"
    with pytest.raises(EmptyKey):
        tree.remove(b"")
    assert tree.root is None


def test_an_empty_tree_proves_no_absence():
    tree = Tree()
    tree.commit()
    with pytest.raises(UnprovableAbsence) as caught:
        tree.at(1).prove(b"k")
    assert caught.value.key == b"k"
