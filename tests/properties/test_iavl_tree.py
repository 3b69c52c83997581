"""The tree against a dictionary, and its proofs against a verifier that shares no code with it."""

import hashlib

from hypothesis import given, settings
from hypothesis import strategies as st

from iavl import MultiStore, Tree
from tests.sampling import rounds

KEYS = st.binary(min_size=1, max_size=2) | st.sampled_from([b"k%03d" % n for n in range(40)])
OPS = st.lists(st.tuples(KEYS, st.none() | st.binary(max_size=3)), max_size=60)
SETTINGS = settings(deadline=None, max_examples=rounds(15, 60))


def varint(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return number, at


def fields(data):
    """(number, value) of a protobuf message; value is an int or bytes."""
    at, found = 0, []
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at : at + value], at + value
        found.append((tag >> 3, value))
    assert at == len(data)
    return found


def sha(data):
    return hashlib.sha256(data).digest()


def prefixed(data):
    assert len(data) < 128
    return bytes([len(data)]) + data


def root_of(existence):
    """Key, value, root and the side taken at each inner op (True: left child) of an ExistenceProof."""
    found = fields(existence)
    one = dict(found)
    key, value, leaf = one[1], one.get(2, b""), dict(fields(one[3]))
    assert (leaf[1], leaf.get(2, 0), leaf[3], leaf[4]) == (1, 0, 1, 1)
    node, sides = sha(leaf[5] + prefixed(key) + prefixed(sha(value))), []
    for raw in (value for number, value in found if number == 4):
        op = dict(fields(raw))
        assert op[1] == 1
        sides.append(3 in op)
        node = sha(op[2] + node + op.get(3, b""))
    return key, value, node, sides[::-1]


def adjacent(left, right):
    """Whether no leaf lies between two, from their sides on the way down (True: left)."""
    common = 0
    while left[common] == right[common]:
        common += 1
    return (
        left[common]
        and not right[common]
        and not any(left[common + 1 :])  # ever to the right
        and all(right[common + 1 :])
    )


def verify(proof, root, key, value):
    [(kind, body)] = fields(proof)
    if kind == 1:
        assert root_of(body)[:3] == (key, value, root)
        return
    assert value is None
    assert kind == 2
    parts = dict(fields(body))
    assert parts[1] == key
    sides = {}
    for number in set(parts) - {1}:
        neighbour, _, node, sides[number] = root_of(parts[number])
        assert node == root
        assert neighbour < key if number == 2 else neighbour > key
    if set(sides) == {2, 3}:
        assert adjacent(sides[2], sides[3])
    elif set(sides) == {2}:
        assert not any(sides[2])  # the last leaf
    else:
        assert all(sides[3])  # the first leaf


def check_shape(node):
    """Height, size and smallest key of a subtree that keeps the AVL rule and the order of keys."""
    if not node.height:
        return 0, 1, node.key
    left_height, left_size, smallest = check_shape(node.left)
    right_height, right_size, middle = check_shape(node.right)
    assert abs(left_height - right_height) < 2
    assert node.height == max(left_height, right_height) + 1
    assert node.size == left_size + right_size
    assert node.key == middle
    return node.height, node.size, smallest


@SETTINGS
@given(st.lists(OPS, max_size=6), KEYS, KEYS)
def test_the_tree_is_a_sorted_dictionary(blocks, low, high):
    tree, model, versions = Tree(), {}, []
    for ops in blocks:
        for key, value in ops:
            if value is None:
                assert tree.remove(key) is (model.pop(key, None) is not None)
            else:
                tree.set(key, value)
                model[key] = value
            assert tree.get(key) == model.get(key)
        tree.commit()
        versions.append(sorted(model.items()))
    for number, entries in enumerate(versions, 1):
        snapshot = tree.at(number)
        assert list(snapshot.iterate()) == entries
        assert list(snapshot.iterate(descending=True)) == entries[::-1]
        part = [entry for entry in entries if low <= entry[0] < high]
        assert list(snapshot.iterate(low, high)) == part
        assert list(snapshot.iterate(low, high, descending=True)) == part[::-1]
        if snapshot.root is not None:
            check_shape(snapshot.root)


@SETTINGS
@given(OPS.filter(lambda ops: any(value is not None for _, value in ops)), KEYS, st.integers(1, 1 << 40))
def test_proofs_verify(ops, absent, initial_version):
    store = MultiStore(None, ["bank", "ibc", "x", "y", "z"], initial_version=initial_version)
    ops = [(key, value) for key, value in ops if value is not None]
    store.apply({"ibc": ops})
    version, app_hash = store.commit()
    model = dict(ops)
    for key in [*model, absent, b"\x00", b"\xff\xff\xff"]:
        value, (first, second) = store.prove("ibc", key, version)
        assert value == model.get(key)
        verify(first, store.root("ibc"), key, value)
        verify(second, app_hash, b"ibc", store.root("ibc"))


@SETTINGS
@given(OPS, OPS)
def test_orphans_are_the_committed_nodes_that_are_gone(before, after):
    def nodes(root):
        stack, found = [root] if root is not None else [], {}
        while stack:
            node = stack.pop()
            found[node] = node
            if node.height:
                stack += node.left, node.right
        return found

    tree = Tree()
    tree.apply(before)
    tree.commit()
    committed = nodes(tree.root)
    tree.apply(after)
    gone = committed.keys() - nodes(tree.root).keys()
    assert len(tree.orphans) == len(gone)
    assert set(tree.orphans) == gone


@SETTINGS
@given(st.lists(OPS, min_size=1, max_size=4))
def test_hashing_between_writes_changes_nothing(blocks):
    once, often = Tree(), Tree()
    for ops in blocks:
        once.apply(ops)
        for change in ops:
            often.apply([change])
            often.working_hash()
        assert once.commit() == often.commit()
