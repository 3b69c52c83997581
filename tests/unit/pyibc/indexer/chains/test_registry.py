import json

import pytest

from pyibc.indexer.chains import registry
from pyibc.indexer.chains.registry import Registered, Registry, is_registry, read_lineages, read_registry
from pyibc.indexer.errors import MalformedRegistry
from pyibc.indexer.pipeline.places import read_file


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
        ({"chain_registry": {}, "more": 1}, "the key 'more' is neither chain_registry nor chain_lineages"),
        ({"chain_registry": {"a-1": "b-1"}}, "value of 'a-1' is not an object"),
        ({"chain_registry": {"a-1": {"channel-1": 5}}}, "malformed chain id at 'a-1', 'channel-1'"),
        ({"chain_registry": {"a-1": {"channel-1": "b 1"}}}, "malformed chain id"),
        ({"chain_registry": {"a-1": {"channel-1": "b" * 129}}}, "malformed chain id"),
        ({"chain_registry": {"a 1": {"channel-1": "b-1"}}}, "malformed chain id"),
        ({"chain_registry": {"a-1": {"transfer/": "b-1"}}}, "not a channel or client id"),
        ({"chain_registry": {"a-1": {"channelX": "b-1"}}}, "not a channel or client id of 'a-1': 'channelX'"),
        ({"chain_registry": {"a-1": {"transfer/channel-": "b-1"}}}, "not a channel or client id"),
        ({"chain_registry": {"a-1": {"client 7": "b-1"}}}, "not a channel or client id"),
        ({"chain_registry": {"a-1": {"c" * 257: "b-1"}}}, "not a channel or client id"),
    ],
)
def test_odd_files_are_refused_with_the_reason(document, reason):
    with pytest.raises(MalformedRegistry, match=reason):
        read_registry(document)


def test_lineages_stand_alone_or_beside_the_names():
    lines = {"chain_lineages": [["osmo-1", "osmo-2"], ["a-1@01234567", "a-1@89abcdef", "a-2"]]}
    for document in (lines, lines | {"chain_registry": {}}):
        assert is_registry(document)
        assert read_registry(document) == []
        assert read_lineages(document) == [("osmo-1", "osmo-2"), ("a-1@01234567", "a-1@89abcdef", "a-2")]
    assert read_lineages({"chain_registry": {}}) == []


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ({}, "must be an array of arrays"),
        ([["osmo-1"]], "at least two chain ids"),
        (["osmo-1", "osmo-2"], "must be an array of arrays"),
        ([["osmo-1", "osmo 2"]], "malformed chain id in chain_lineages: 'osmo 2'"),
        ([["osmo-1", 2]], "malformed chain id in chain_lineages: '2'"),
        ([["a-1", "a-2"]] * 50_001, "more than 100000 chain ids"),
    ],
)
def test_odd_lineages_are_refused_with_the_reason(lines, reason):
    with pytest.raises(MalformedRegistry, match=reason):
        read_lineages({"chain_lineages": lines})


@pytest.mark.parametrize("lines", [[["a-1", "a-2"], ["a-2", "b-1"]], [["a-2", "a-3"], ["a-1", "a-2"]]])
def test_a_chain_in_two_lineages_is_refused(lines):
    with pytest.raises(MalformedRegistry, match=r"^'a-2' is in two lineages of chain_lineages"):
        Registry([], []).take({"chain_lineages": lines})


def test_a_lineage_may_be_listed_again():
    lines = [["a-1", "a-2", "a-1"], ["a-2", "a-1"], ["a-1", "a-2", "a-3"], ["a-3", "a-2"], ["b-1", "b-2"]]
    given = Registry([], [])
    given.take({"chain_lineages": lines})
    assert given.lineages == list(map(tuple, lines))


def test_the_number_of_entries_has_a_limit(monkeypatch):
    monkeypatch.setattr(registry, "MAX_ENTRIES", 2)
    document = {"chain_registry": {"a-1": {f"channel-{n}": "b-1" for n in range(3)}}}
    with pytest.raises(MalformedRegistry, match="more than 2"):
        read_registry(document)


def test_a_file_may_have_several_documents_and_nothing_else(tmp_path):
    lines = [{"chain_registry": {"a-1": {"channel-1": "b-1"}}}, {"chain_lineages": [["a-1", "a-2"]]}]
    path = tmp_path / "names.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert read_file(str(path)) == ([Registered("a-1", "", "channel-1", "b-1")], [("a-1", "a-2")])
    path.write_text("".join(f"{json.dumps(line)}\n" for line in [*lines, {"result": {}}]))
    with pytest.raises(MalformedRegistry, match="line 3: neither chain_registry nor chain_lineages is in it"):
        read_file(str(path))
