"""Guards of answers that turn out to be none when they are read: who gave them, and what is asked then."""

from tools.guards.mutant import Mutant

DOUBTS = "tests/unit/ibc_relayer/test_pool_doubts.py::"
ANSWERS = "tests/unit/ibc_relayer/test_answers_doubted.py::"

H241 = (
    Mutant(
        "h241-an-answer-is-doubted-twice",
        "ibc_relayer/rpc_pool.py",
        (("        self._answering.node = None\n        if node is None or", "        if node is None or"),),
        (f"{ANSWERS}test_h241_an_answer_is_doubted_once",),
    ),
    Mutant(
        "h241-the-pool-does-not-hear-of-values",
        "ibc_relayer/daemon/shared_chain.py",
        (("            self._endpoint.doubt(error)\n", "            pass\n"),),
        (f"{ANSWERS}test_h241_through_the_chain_that_links_share_the_pool_hears_of_it",),
    ),
    Mutant(
        "h241-who-gives-no-height-is-believed-again",
        "ibc_relayer/packet_queries.py",
        (("raise doubted(endpoint, MalformedAnswer(", "raise doubted(None, MalformedAnswer("),),
        (f"{ANSWERS}test_h241_commitments_of_no_height",),
    ),
    Mutant(
        "h241-a-simulation-that-is-none-is-passed-over",
        "ibc_relayer/simulation.py",
        (("lambda: read(answer), query)", "lambda: read(answer))"),),
        (f"{ANSWERS}test_h241_a_simulation_that_is_none_is_told_and_taken_for_none",),
    ),
    Mutant(
        "h241-the-pool-is-not-told",
        "ibc_relayer/rpc_read.py",
        (("        teller.doubt(error)\n", "        pass\n"),),
        (
            f"{DOUBTS}test_h241_a_node_whose_transactions_are_not_those_of_its_header_is_passed_over",
            f"{DOUBTS}test_h241_whatever_is_read_of_it",
        ),
    ),
    Mutant(
        "h241-a-doubted-node-is-asked-first",
        "ibc_relayer/rpc_pool.py",
        (
            (
                "            node.doubted = self._clock() + LONGEST_S\n        self._notify",
                "            pass\n        self._notify",
            ),
        ),
        (f"{DOUBTS}test_h241_after_a_minute_it_is_asked_first_again",),
    ),
    Mutant(
        "h241-any-of-several-is-blamed",
        "ibc_relayer/rpc_pool.py",
        (("                if self._answering.node is not node:\n", "                if False:\n"),),
        (f"{DOUBTS}test_h241_of_answers_of_several_nodes_none_is_blamed",),
    ),
    Mutant(
        "h241-the-one-that-is-asked-first-is-blamed",
        "ibc_relayer/rpc_pool.py",
        (
            (
                "                    self._answering.node = node\n",
                "                    self._answering.node = self.nodes[0]\n",
            ),
        ),
        (f"{DOUBTS}test_h241_a_node_that_has_answered_in_vain_is_not_blamed_for_anothers_answer",),
    ),
    Mutant(
        "h241-it-is-told-with-every-answer",
        "ibc_relayer/rpc_pool.py",
        (
            (
                "OFTEN = frozenset({Happening.DIFFERS, Happening.MALFORMED})",
                "OFTEN = frozenset({Happening.DIFFERS})",
            ),
        ),
        (f"{DOUBTS}test_h241_it_is_named_once_a_minute",),
    ),
    Mutant(
        "h241-a-refusal-is-taken-for-a-malformed-answer",
        "ibc_relayer/rpc_proofs.py",
        (
            (
                "            raise EndpointRefused(self._chain_id, PROOFS, f\"{response['code']!a:.32}\")\n",
                '            raise ValueError("it refuses")\n',
            ),
        ),
        (f"{DOUBTS}test_h241_a_node_that_knows_no_query_is_not_doubted",),
    ),
    Mutant(
        "h241-a-form-that-is-broken-is-asked-for-again",
        "ibc_relayer/rpc_blocks.py",
        (("            self._rest(height)\n            raise\n", "            raise\n"),),
        (f"{DOUBTS}test_h241_a_single_node_is_asked_in_json_then",),
    ),
    Mutant(
        "where-a-header-is-refused-both-are-asked-for-with-every-block",
        "ibc_relayer/rpc_blocks.py",
        (("        if block is None:\n            self._rest(height)\n", ""),),
        (f"{DOUBTS}test_where_a_header_is_refused_both_are_not_asked_for_with_every_block",),
    ),
)
