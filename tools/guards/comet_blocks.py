"""Guards of what an exporter under CometBFT asks of its node."""

from tools.guards.mutant import Mutant

BLOCKS = "tests/unit/localnet/comet/test_node_blocks.py::"

H196 = (
    Mutant(
        "h196-a-node-that-starts-is-given-up",
        "ibc_indexer/plugin.py",
        (("                self._lacks |= Heights.of([height])\n", ""),),
        (f"{BLOCKS}test_h196_a_node_that_starts_is_asked_again_with_the_next_block",),
    ),
    Mutant(
        "h196-a-block-of-any-chain-will-do",
        "localnet/comet/node_blocks.py",
        (("if (block.chain_id, block.height) != (self._chain_id, height):", "if False:"),),
        (f"{BLOCKS}test_h196_a_block_of_another_chain_is_not_exported",),
    ),
)
