"""Guards of what a relayer believes: blocks that are checked, events that are held against state."""

from tools.guards.mutant import Mutant

TRUTH = "tests/unit/ibc_relayer/test_truth.py::"

BESIDE = "tests/unit/ibc_relayer/test_truth_beside.py::"

H240 = (
    Mutant(
        "h240-looked-for-below-the-lowest-answer",
        "ibc_relayer/reconcile.py",
        (("                truth.sent.last,\n", "                truth.sent.height,\n"),),
        (
            f"{TRUTH}test_h240_what_comes_between_two_pages_is_not_looked_for_in_older_blocks",
            f"{TRUTH}test_h240_an_event_is_looked_for_from_the_highest_answer_down",
        ),
    ),
    Mutant(
        "h240-an-old-block-is-waited-for",
        "ibc_relayer/block_search.py",
        (("            if beside and not self._is_there(front.height):\n                return True\n", ""),),
        (f"{BESIDE}test_h240_fresh_packets_go_on_while_an_old_block_is_asked_for",),
    ),
    Mutant(
        "h240-states-are-waited-for",
        "ibc_relayer/truth.py",
        (("        if self._ahead is not None and self.is_known:\n", "        if False:\n"),),
        (f"{BESIDE}test_h240_a_round_does_not_wait_for_states",),
    ),
    Mutant(
        "h240-what-was-read-since-is-held-against-older-answers",
        "ibc_relayer/reconcile.py",
        (("if before is not None and known is not before.packets.get(sequence):", "if False:"),),
        (f"{BESIDE}test_h240_what_was_read_while_states_were_asked_is_not_held_against_them",),
    ),
    Mutant(
        "h240-what-was-sent-since-is-dropped",
        "ibc_relayer/reconcile.py",
        (("packets.packets[sequence] is not before.packets.get(sequence):", "False:"),),
        (f"{BESIDE}test_h240_what_was_read_while_states_were_asked_is_not_held_against_them",),
    ),
    Mutant(
        "h240-an-ordered-channel-is-put-back",
        "ibc_relayer/reconcile.py",
        (("if before is None or packets.next_sequence_recv == before.next_sequence_recv:", "if True:"),),
        (f"{BESIDE}test_an_ordered_channel_s_next_sequence_is_not_put_back_meanwhile",),
    ),
    Mutant(
        "what-has-ended-is-looked-for",
        "ibc_relayer/block_search.py",
        (("            done = key[2] in wanted.packets.ended", "            done = False"),),
        (f"{BESIDE}test_what_has_come_to_its_end_since_is_not_looked_for",),
    ),
    Mutant(
        "an-end-that-the-state-denies-is-believed",
        "ibc_relayer/block_search.py",
        (("        wanted.packets.ended.pop(key[2], None)  # the state does not know of that\n", ""),),
        (f"{BESIDE}test_what_has_come_to_its_end_since_is_not_looked_for",),
    ),
    Mutant(
        "doubts-are-answered-by-what-was-asked-before",
        "ibc_relayer/truth.py",
        (
            (
                "        self._looked_at, self._refusals = self._asked_at, 0\n",
                "        self._looked_at, self._refusals, self.is_doubtful = self._asked_at, 0, False\n",
            ),
        ),
        (f"{BESIDE}test_what_is_doubted_while_states_are_asked_is_looked_into_again",),
    ),
    Mutant(
        "a-comparison-is-forgotten-while-it-is-asked",
        "ibc_relayer/truth.py",
        (("        if self._asking is not None:\n            return self._asking.done()\n", ""),),
        (f"{BESIDE}test_a_comparison_for_a_doubt_is_not_forgotten_while_it_is_asked",),
    ),
)

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
