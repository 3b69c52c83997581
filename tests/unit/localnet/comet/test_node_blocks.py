"""An exporter under CometBFT takes what it lacks from its validator's own RPC, when that answers."""

import logging

import pytest

from localnet.chain import LocalChain
from localnet.comet.application import NodeBlocks
from localnet.errors import NoSuchBlock
from localnet.rpc.methods import Methods, Params
from localnet.settings import Genesis
from pyibc.indexer.blocks.export import BlockExporter
from pyibc.indexer.blocks.plugin import ExportPlugin
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.rpc.calls import Rpc

ALLOWED = {"block", "block_results"}


class Node(Rpc):
    """A chain's RPC in this process, which may be down, or have pruned its blocks."""

    def __init__(self):
        self.chain = LocalChain("comet-1", genesis=Genesis(time_ns=10**18))
        self.methods = Methods(self.chain, "")
        self.is_down, self.pruned, self.asked = False, 0, []

    def call(self, method, **params):
        assert method in ALLOWED  # `status` waits for the commit that waits for it
        self.asked.append((method, params))
        if self.is_down:
            raise EndpointUnavailable("node", "refused")
        if int(params["height"]) <= self.pruned:
            raise EndpointRefused("node", method, "pruned")
        try:
            return self.methods.call(method, Params(params, uri=False))
        except NoSuchBlock as error:
            raise EndpointRefused("node", method, str(error)) from error


@pytest.fixture
def node():
    made = Node()
    for _ in range(30):
        made.chain.make_block([], made.chain.tip().time_ns + 10**9)
    yield made
    made.chain.close()


@pytest.fixture
def exporter(node, tmp_path):
    made = ExportPlugin(tmp_path / "out", NodeBlocks("comet-1", node), sync=True)
    yield made
    made.close()


def heights(tmp_path):
    with BlockExporter(tmp_path / "out") as export:
        return export.heights.ranges


def test_h196_what_an_export_lacks_comes_from_the_validator_s_rpc(node, exporter, tmp_path):
    for height in (*range(1, 5), 25):
        exporter.chain_committed(node.chain.block(height))
    assert heights(tmp_path) == ((1, 25),)
    with BlockExporter(tmp_path / "out") as export:
        assert export.block_at(7).app_hash == node.chain.block(7).app_hash
    assert {method for method, _ in node.asked} == ALLOWED


def test_h196_a_node_that_starts_is_asked_again_with_the_next_block(node, exporter, tmp_path, caplog):
    node.is_down = True
    for height in (1, 10, 11):
        exporter.chain_committed(node.chain.block(height))
    assert heights(tmp_path) == ((1, 1), (10, 11))
    told = [each for each in caplog.records if "refused" in each.getMessage()]
    assert [each.levelno for each in told if each.levelno >= logging.WARNING] == [logging.WARNING]
    node.is_down, node.pruned = False, 3
    exporter.chain_committed(node.chain.block(12))
    assert heights(tmp_path) == ((1, 1), (4, 12))
    assert "block 3 stays missing, the host does not have it" in caplog.text


def test_h196_a_block_of_another_chain_is_not_exported(node, tmp_path):
    with pytest.raises(MalformedAnswer):
        NodeBlocks("other-1", node)(5)
    exporter = ExportPlugin(tmp_path / "out", NodeBlocks("other-1", node))
    exporter.chain_committed(node.chain.block(1))
    exporter.chain_committed(node.chain.block(4))
    exporter.close()
    assert heights(tmp_path) == ((1, 1), (4, 4))
