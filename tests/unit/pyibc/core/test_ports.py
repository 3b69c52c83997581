"""Ports by name and by prefix: what is found, and who holds what."""

import pytest

from pyibc.core.application.services import PortOwner, PortPrefix, PortTable, validate_port_key
from pyibc.core.errors import InvalidIdentifier


def test_a_port_goes_before_its_prefix():
    table = PortTable(
        {PortPrefix("ica-"): "below", "ica-1": "one", "oracle": "two", PortPrefix("gmp-"): "far"}
    )
    assert [table.find(port) for port in ("ica-1", "ica-2", "ica-", "oracle", "gmp-ica-1")] == [
        "one", "below", "below", "two", "far",
    ]  # fmt: skip


@pytest.mark.parametrize("port_id", ["ica", "", "xica-1", "ICA-1", "oracle-1", "oracl"])
def test_nothing_else_is_found(port_id):
    assert PortTable({PortPrefix("ica-"): "below", "oracle": "two"}).find(port_id) is None


def test_a_table_is_complete_when_it_is_made():
    entries = {"oracle": "one"}
    table = PortTable(entries)
    entries["late"] = "two"
    assert table.find("late") is None


def test_an_owner_holds_plain_names():
    class Same(str):
        __slots__ = ()

        def startswith(self, *_):
            return True

    owner = PortOwner("plugin", "mock", PortPrefix("ica-"))
    assert [owner.holds(port) for port in ("mock", "ica-7", "transfer", "ica", "mock-1")] == [
        True, True, False, False, False,
    ]  # fmt: skip
    assert not owner.holds(Same("mock"))
    assert not owner.holds(Same("ica-7"))
    assert not PortOwner("nobody").holds("mock")


@pytest.mark.parametrize("key", ["", "t", "a/b", "p" * 129])
def test_a_malformed_key(key):
    for each in (key, PortPrefix(key)):
        with pytest.raises(InvalidIdentifier):
            validate_port_key(each)
    validate_port_key(PortPrefix("icacontroller-"))
