import hashlib

import pytest

from iavl.commit_info import CommitInfo, leaf_hash, simple_root
from iavl.errors import UnknownStore
from iavl.sha import EMPTY_HASH

ROOT = bytes(range(32))


def sha(data):
    return hashlib.sha256(data).digest()


def test_one_store_is_its_leaf():
    leaf = sha(b"\x00\x03ibc\x20" + sha(ROOT))
    assert leaf_hash("ibc", ROOT) == leaf
    assert simple_root({"ibc": ROOT}) == leaf


def test_three_stores_split_at_the_largest_power_of_two_in_name_order():
    a, b, c = (leaf_hash(name, ROOT) for name in "abc")
    expected = sha(b"\x01" + sha(b"\x01" + a + b) + c)
    assert simple_root({"c": ROOT, "a": ROOT, "b": ROOT}) == expected


def test_no_stores():
    assert simple_root({}) == EMPTY_HASH


def test_only_known_stores_are_proved():
    info = CommitInfo.of(1, {"ibc": ROOT}, b"")
    with pytest.raises(UnknownStore) as caught:
        info.prove("bank")
    assert caught.value.name == "bank"
    assert info.prove("ibc") is info.prove("ibc")
