"""Guards of what a relayer believes: blocks that are checked, events that are held against state."""

from tools.guards.mutant import Mutant

TRUTH = "tests/unit/ibc_relayer/test_truth.py::"

H120 = (
    Mutant(
        "h120-what-is-not-found-is-never-looked-for-again",
        "ibc_relayer/block_search.py",
        (
            (
                "if known is not None and height < self._lost.get(key, (0, height + 1))[1]:",
                "if known is not None:",
            ),
        ),
        (f"{TRUTH}test_h120_events_that_one_of_two_nodes_always_hides",),
    ),
)

H121 = (
    Mutant(
        "h121-any-block-is-the-next-one",
        "ibc_relayer/checked_blocks.py",
        (("before.hash != block.parent:", "False:"),),
        (f"{TRUTH}test_h121_a_block_of_another_history_moves_nothing",),
    ),
    Mutant(
        "h121-a-block-of-any-chain",
        "ibc_relayer/checked_blocks.py",
        (("    if (block.chain_id, block.height) != (endpoint.chain_id, height):\n", "    if False:\n"),),
        (f"{TRUTH}test_h121_a_block_of_another_history_moves_nothing",),
    ),
)

H122 = (
    Mutant(
        "h122-a-refused-block-is-asked-for-for-ever",
        "ibc_relayer/reader.py",
        (
            (
                "        except EndpointRefused:\n            if self._is_patient(side):\n",
                "        except EndpointRefused:\n            if True:\n",
            ),
        ),
        (f"{TRUTH}test_h122_pruned_blocks_are_skipped_and_their_packets_found",),
    ),
)

H123 = (
    Mutant(
        "h123-an-older-answer-decides",
        "ibc_relayer/reconcile.py",
        (("        return height >= self._raised[key]\n", "        return True\n"),),
        (f"{TRUTH}test_h123_an_older_answer_decides_nothing",),
    ),
    Mutant(
        "h123-an-event-is-not-compared-with-its-commitment",
        "ibc_relayer/pending_packets.py",
        (("    if not commitment:\n", "    if True:\n"),),
        (f"{TRUTH}test_h123_events_that_say_something_else_once",),
    ),
)
