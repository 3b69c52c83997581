import pytest

from iavl import engine
from iavl.disk.nodes import serial_key
from iavl.disk.storage import cut
from iavl.errors import CorruptDatabase
from iavl.tree import Tree


@pytest.fixture
def stored():
    """A committed tree of 64 keys whose nodes are all in a dictionary, and its loader."""
    tree, records, serial = Tree(), {}, 0
    tree.apply([(b"%02d" % n, b"v%d" % n) for n in range(64)])
    tree.commit()

    def store(node):
        nonlocal serial
        if node.height:
            store(node.left)
            store(node.right)
        serial += 1
        node.serial = serial
        records[serial_key(serial)] = engine.active.node_record(node)

    store(tree.root)
    return tree, records, engine.active.loader("/db", records)


def resident(node):
    if node.loader is not None:
        return 0
    return 1 + (resident(node.left) + resident(node.right) if node.height else 0)


def test_a_hollow_node_is_loaded_when_looked_into(stored):
    tree, _, loader = stored
    before = list(tree.iterate()), tree.at(1).prove(b"33"), tree.at(1).prove(b"331")
    root = tree.root
    loader.empty(root)
    assert root.loader is not None
    assert (root.height, root.size, root.version, root.hash) == (6, 64, 1, tree.at(1).hash)
    assert loader.loads == 0
    assert (list(tree.iterate()), tree.at(1).prove(b"33"), tree.at(1).prove(b"331")) == before
    assert root.loader is None
    assert loader.loads == 127


def test_hashing_and_proofs_load_no_siblings(stored):
    tree, _, loader = stored
    loader.empty(tree.root)
    tree.set(b"33", b"new")
    tree.commit()
    tree.at(2).prove(b"33")
    assert loader.loads == 7


def test_an_unknown_field_loads_nothing(stored):
    tree, _, loader = stored
    loader.empty(tree.root)
    with pytest.raises(AttributeError):
        _ = tree.root.colour
    assert loader.loads == 0


def test_what_a_kind_of_node_lacks_is_no_answer(stored):
    tree, _, loader = stored
    leaf = tree.root
    while leaf.height:
        leaf = leaf.left
    loader.empty(leaf)
    with pytest.raises(AttributeError):
        _ = leaf.left
    assert leaf.value == b"v0"


def test_a_missing_record_is_told(stored):
    tree, records, loader = stored
    loader.empty(tree.root)
    del records[serial_key(tree.root.serial)]
    with pytest.raises(CorruptDatabase, match="127 is missing"):
        tree.get(b"00")


@pytest.mark.parametrize(("limit", "kept"), [(0, 0), (1, 1), (2, 1), (3, 3), (10, 7), (126, 63), (127, 127)])
def test_a_cut_keeps_whole_levels(stored, limit, kept):
    tree, _, loader = stored
    assert cut([tree.root], limit, 1, loader) == kept == resident(tree.root)
    assert len(list(tree.iterate())) == 64


def test_a_cut_spares_fresh_subtrees_where_a_level_does_not_fit(stored):
    tree, _, loader = stored
    tree.set(b"63", b"new")
    tree.commit()
    node = tree.root
    while node.height:
        node.serial = 1000 + node.height
        node = node.right
    node.serial = 1000
    assert cut([tree.root], 10, 1, loader) == 7 + 3
    assert resident(tree.root) == 10
    assert node.value == b"new"
    assert node.loader is None


def test_nodes_that_are_not_on_disk_stay(stored):
    tree, _, loader = stored
    tree.set(b"63", b"new")
    tree.commit()
    assert cut([tree.root], 0, 2, loader) == 0
    assert resident(tree.root) == 7
    assert cut([tree.root, tree.versions[1]], 0, 2, loader) == 0
    assert resident(tree.versions[1]) == 0
    assert [value for _, value in tree.iterate()][-2:] == [b"v62", b"new"]


def test_versions_that_share_nodes_are_counted_once(stored):
    tree, _, loader = stored
    tree.commit()
    assert cut(tree.versions.values(), 127, 0, loader) == 127
