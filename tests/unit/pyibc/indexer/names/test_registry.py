import pytest

from pyibc.indexer.errors import MalformedRegistry
from pyibc.indexer.names import registry
from pyibc.indexer.names.registry import Registered, is_registry, read_registry


def test_channels_ports_and_clients():
    document = {
        "chain_registry": {"a-1": {"channel-1": "b-1", "wasm.x/y/channel-2": "c-1", "07-tendermint-3": "d-1"}}
    }
    assert is_registry(document)
    assert read_registry(document) == [
        Registered("a-1", "", "channel-1", "b-1"),
        Registered("a-1", "wasm.x/y", "channel-2", "c-1"),
        Registered("a-1", "", "07-tendermint-3", "d-1"),
    ]


@pytest.mark.parametrize("document", [{}, [], "chain_registry", None, {"result": {"chain_registry": {}}}])
def test_other_documents_are_none(document):
    assert not is_registry(document)


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"chain_registry": []}, "must be an object"),
        ({"chain_registry": {}, "more": 1}, "the only key beside chain_lineages"),
        ({"chain_registry": {"a-1": "b-1"}}, "value of 'a-1' is not an object"),
        ({"chain_registry": {"a-1": {"channel-1": 5}}}, "malformed chain id at 'a-1', 'channel-1'"),
        ({"chain_registry": {"a-1": {"channel-1": "b 1"}}}, "malformed chain id"),
        ({"chain_registry": {"a-1": {"channel-1": "b" * 129}}}, "malformed chain id"),
        ({"chain_registry": {"a 1": {"channel-1": "b-1"}}}, "malformed chain id"),
        ({"chain_registry": {"a-1": {"transfer/": "b-1"}}}, "not a channel or client id"),
        ({"chain_registry": {"a-1": {"c" * 257: "b-1"}}}, "not a channel or client id"),
    ],
)
def test_odd_files_are_refused_with_the_reason(document, reason):
    with pytest.raises(MalformedRegistry, match=reason):
        read_registry(document)


def test_the_number_of_entries_has_a_limit(monkeypatch):
    monkeypatch.setattr(registry, "MAX_ENTRIES", 2)
    document = {"chain_registry": {"a-1": {f"channel-{n}": "b-1" for n in range(3)}}}
    with pytest.raises(MalformedRegistry, match="more than 2"):
        read_registry(document)
