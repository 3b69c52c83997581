"""Which packets get other rows with a batch, decided from rows of the table of routes."""

import pytest

pytest.importorskip("pyspark")

from pyibc.indexer.pipeline.routes import _moved_ends


def route(key, ends, name="a-1"):
    return {key: (key, name, "b-1", ends)}


def test_ends_with_another_route_name_or_order_of_chains_are_moved():
    old = route("x", [1, 2, 3]) | route("y", [4])
    assert _moved_ends(old, old) == set()
    assert _moved_ends(old, route("x", [1, 2, 3, 5]) | route("y", [4])) == set()
    assert _moved_ends(old, route("x", [1, 2, 3, 4])) == {4}
    assert _moved_ends(old, route("x", [1, 2, 3]) | route("y", [4], name="a-2")) == {4}
    assert _moved_ends(old, route("x", [2, 5, 1, 3]) | route("y", [4])) == {1, 2, 3}
