"""Blocks of a node: queried once, cached, and decoded only as far as needed."""

import pytest

from pyibc.core.host.block import CommittedBlock
from pyibc.relayer.daemon.connecting import UNREAD
from pyibc.relayer.errors import EndpointRefused, MalformedAnswer
from pyibc.relayer.rpc.blocks import RpcBlocks
from pyibc.relayer.rpc.calls import Call, Rpc
from pyibc.relayer.rpc.client import RpcConfig, read_response, read_result
from pyibc.relayer.rpc.endpoint import InclusionSearch
from tests.unit.pyibc.relayer.rpc.test_pool import Backend, busy, chains  # noqa: F401 - fixtures


class Batching(Backend):
    """Node with batches whose results are raw JSON, as over HTTP."""

    def call_many(self, calls):
        self.calls.append(tuple(call.method for call in calls))
        return [self.outcome(call) for call in calls]

    def outcome(self, call: Call):
        try:
            return self.call(call.method, **call.params)
        except EndpointRefused as error:
            return error


@pytest.fixture
def node(chains):  # noqa: F811
    return Batching(chains.a.chain)


def methods(node):
    return [each[0] for each in node.calls if each[0] in {"block", "block_results"}]


def test_block_and_results_come_by_one_request_and_once(node):
    blocks = RpcBlocks(node)
    node.calls.clear()
    first = blocks.block(3)
    assert (first.height, blocks.block(3)) == (3, first)
    assert node.calls[0] == ("block", "block_results")
    assert methods(node) == ["block", "block", "block_results"]  # the batch, and its two parts


def test_a_block_that_is_known_is_not_asked_for_with_its_results(node):
    blocks = RpcBlocks(node)
    blocks.raw(3)
    node.calls.clear()
    blocks.block(3)
    assert node.calls == [("block_results", "3")]


def test_what_was_wrong_is_asked_for_again_once_it_is_forgotten(node):
    blocks = RpcBlocks(node)

    def without_app_hash(method, _params, answer):
        return {**answer, "app_hash": ""} if method == "block_results" else answer

    node.spoil = without_app_hash
    assert blocks.block(3).app_hash == b""
    node.spoil = lambda _method, _params, answer: answer
    assert blocks.block(3).app_hash == b""
    blocks.forget()
    assert blocks.block(3).app_hash


@pytest.mark.parametrize("spoiled", ["block", "block_results"])
def test_a_block_of_another_height_is_refused_and_not_kept(node, spoiled):
    blocks, honest = RpcBlocks(node), node.spoil
    other = node.call(spoiled, height="4")
    node.spoil = lambda method, _params, answer: other if method == spoiled else answer
    with pytest.raises(MalformedAnswer):
        blocks.block(3)
    node.spoil = honest
    assert blocks.block(3).height == 3


def test_a_block_that_is_not_there_is_refused_by_name(node):
    blocks = RpcBlocks(node)
    with pytest.raises(EndpointRefused, match="current blockchain height"):
        blocks.block(99)


def test_events_that_no_link_and_no_ledger_reads_are_left_out():
    text = (
        b'{"id":1,"result":{"height":"3","txs_results":[{"code":0,"events":[{"type":"message"},'
        b'{"type":"send_packet","attributes":[{"key":"k","value":"v"}]},{"type":"tx"}]}]}}'
    )
    results = read_result("block_results", read_response(text).result)
    header = {"chain_id": "n-3", "height": "3", "time": "2026-01-01T00:00:00Z"}
    raw = {"block": {"header": header, "data": {"txs": ["dHg="]}}}

    class Node(Rpc):
        def call(self, _method, **_params):
            return {"node_info": {"network": "n-3", "version": "0.38.17"}}

    def read(config: RpcConfig) -> CommittedBlock:
        return RpcBlocks(Node(), config).read(3, {**raw, "block_id": {"hash": "00"}}, results).block

    kinds = [kind for kind, _ in read(RpcConfig()).txs[0].events]
    assert kinds == ["message", "send_packet", "tx"]
    assert read(RpcConfig(unread=UNREAD)).txs[0].events == (("send_packet", (("k", "v"),)), ("tx", ()))


def test_a_transaction_is_found_in_its_block_and_no_other_s_results_are_asked_for(node, busy):  # noqa: F811
    blocks, outcome = RpcBlocks(node), node.chain.block(busy).txs[0]
    node.calls.clear()
    assert InclusionSearch(blocks, outcome.tx, busy - 1).poll() == outcome
    assert [each for each in node.calls if each[0] == "block_results"] == [("block_results", str(busy))]
    assert InclusionSearch(blocks, b"not there", busy).poll() is None
