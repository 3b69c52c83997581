"""Guards of headers and states that are there before anybody asks."""

from tools.guards.mutant import Mutant

WATCHED = "tests/unit/ibc_relayer/test_watched_heads.py::"
LIGHT = "tests/unit/ibc_relayer/test_light_ahead.py::"
STATES = "tests/unit/ibc_relayer/test_states_ahead.py::"

HEADS = (
    Mutant(
        "a-header-beyond-the-next-is-a-head",
        "ibc_relayer/reader.py",
        (("signing.signed_height != following:", "signing.signed_height < following:"),),
        (f"{WATCHED}test_no_other_header_makes_a_head",),
    ),
    Mutant(
        "a-header-is-no-head-before-its-block-is-executed",
        "ibc_relayer/reader.py",
        (("            return self._signed(side, before)\n", "            return before\n"),),
        (f"{WATCHED}test_a_header_proves_what_was_read_before_its_block_is_executed",),
    ),
    Mutant(
        "a-further-header-is-not-told",
        "ibc_relayer/height_watch.py",
        ((" or self._signed() > signed", ""),),
        (
            "tests/unit/ibc_relayer/test_height_watch.py::test_a_further_header_is_told_at_once_though_the_height_is_the_same",
        ),
    ),
    Mutant(
        "headers-are-asked-for-for-ever",
        "ibc_relayer/light_ahead.py",
        ((" <= self._wanted + LASTING", ""),),
        (f"{LIGHT}test_after_some_blocks_without_need_none_is_asked_for",),
    ),
    Mutant(
        "a-header-of-another-height-is-kept",
        "ibc_relayer/rpc_blocks.py",
        (
            (
                'self._require(height, commit["signed_header"]["header"]["chain_id"], block.height)',
                "",
            ),
        ),
        (
            f"{LIGHT}test_a_header_of_another_height_is_not_kept",
            f"{LIGHT}test_a_header_of_another_chain_or_height_is_refused",
        ),
    ),
    Mutant(
        "the-first-of-several-pages-is-taken-for-all",
        "ibc_relayer/rpc_blocks.py",
        (("        if len(members) < total:\n", "        if False:\n"),),
        (f"{LIGHT}test_what_is_no_header_is_left_to_whoever_asks_for_it",),
    ),
    Mutant(
        "all-nodes-are-asked-for-what-none-claims",
        "ibc_relayer/rpc_pool.py",
        (
            (
                "            if _needed(call.params) > self._height:\n                return answer",
                "            if False:\n                return answer",
            ),
        ),
        (f"{LIGHT}test_of_several_nodes_no_other_is_asked_for_a_block_that_nobody_claims",),
    ),
    Mutant(
        "no-other-node-is-asked-for-what-is-claimed",
        "ibc_relayer/rpc_pool.py",
        (
            (
                "            if _needed(call.params) > self._height:\n                return answer",
                "            if True:\n                return answer",
            ),
        ),
        (f"{LIGHT}test_of_several_nodes_one_that_claims_the_block_is_asked",),
    ),
    Mutant(
        "a-state-is-used-for-any-header",
        "ibc_relayer/foreign_client.py",
        (("if foreseen is not None and foreseen[0] == tip else", "if foreseen is not None else"),),
        (f"{STATES}test_one_to_another_header_asks",),
    ),
    Mutant(
        "a-state-is-used-again-and-again",
        "ibc_relayer/foreign_client.py",
        (
            (
                "        foreseen, self._foreseen = self._foreseen, None\n",
                "        foreseen = self._foreseen\n",
            ),
        ),
        (f"{STATES}test_an_update_that_was_foreseen_asks_for_no_state",),
    ),
    Mutant(
        "clients-of-attestors-do-not-wait-for-the-block",
        "ibc_relayer/link.py",
        ((" if self._clients[other(side)].needs_headers_alone]", "]"),),
        (f"{WATCHED}test_a_client_that_needs_more_than_headers_waits_for_the_block",),
    ),
    Mutant(
        "headers-of-no-use-are-asked-for-with-each-height",
        "ibc_relayer/light_ahead.py",
        (("if self._questions.asks() else []", "if True else []"),),
        (f"{LIGHT}test_what_was_of_no_use_is_not_asked_for_with_each_height",),
    ),
    Mutant(
        "any-height-is-wanted",
        "ibc_relayer/rpc_blocks.py",
        (
            ("        self._ahead.wanted(height)\n        return found\n", "        return found\n"),
            (
                "        found = self._light_blocks.get(",
                "        self._ahead.wanted(height)\n        found = self._light_blocks.get(",
            ),
        ),
        (f"{LIGHT}test_a_height_that_no_chain_has_keeps_nobody_from_asking",),
    ),
    Mutant(
        "headers-are-kept-whatever-was-wrong",
        "ibc_relayer/rpc_blocks.py",
        (("        self._light_blocks.forget()\n", ""),),
        (f"{LIGHT}test_headers_that_a_node_told_are_asked_for_again_once_something_was_wrong",),
    ),
)
