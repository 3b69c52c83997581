"""Guards of the relayer against nodes that are slow, lag, lie or are of another chain."""

from tools.guards.mutant import Mutant

UNIT = "tests/unit/ibc_relayer/"
HTTP, NODES, POOL = f"{UNIT}test_http.py::", f"{UNIT}test_bad_nodes.py::", f"{UNIT}test_rpc_pool.py::"

H140 = (
    Mutant(
        "h140-a-contract-s-code-is-the-account-s",
        "ibc_relayer/outcomes.py",
        (("(rule.ante and (executed or OF_A_MESSAGE in log))", "(rule.ante and False)"),),
        (f"{UNIT}test_outcomes.py::test_h140_a_packet_cannot_speak_for_the_account_or_the_mempool",),
    ),
)
H141 = (
    Mutant(
        "h141-reads-have-no-deadline",
        "ibc_relayer/http_pool.py",
        (
            (
                "        self._inner.settimeout(self._connection.deadline.left())\n        return",
                "        return",
            ),
        ),
        (f"{HTTP}test_h141_a_peer_that_drips_bytes_is_left_at_the_deadline",),
    ),
    Mutant(
        "h141-answers-have-no-bound",
        "ibc_relayer/http_pool.py",
        (("                raise AnswerTooLarge\n", "                continue\n"),),
        (f"{HTTP}test_h141_an_answer_too_large_is_an_error_and_not_cut",),
    ),
    Mutant(
        "h141-errors-tell-the-url",
        "ibc_relayer/rpc_client.py",
        (("        self.name = str(target)\n", "        self.name = url\n"),),
        (f"{HTTP}test_h141_no_error_tells_the_secrets_of_a_url",),
    ),
)
H142 = (
    Mutant(
        "h142-a-proof-that-lacks-ends-the-round",
        "ibc_relayer/submitter.py",
        (("all(_is_skipped(item) for item in built)", "any(_is_skipped(item) for item in built)"),),
        (f"{NODES}test_h142_one_refused_proof_in_a_hundred_keeps_no_packet_back",),
    ),
    Mutant(
        "h142-an-ordered-channel-goes-on-without-a-packet",
        "ibc_relayer/submitter.py",
        (("        if task.ordered and _is_skipped(built):\n", "        if False:\n"),),
        (f"{NODES}test_h142_an_ordered_channel_waits_for_the_proof_and_stays_in_order",),
    ),
)
H143 = (
    Mutant(
        "h143-a-limit-is-forgotten-at-once",
        "ibc_relayer/batch.py",
        (("PATIENCE = 20\n", "PATIENCE = 1\n"),),
        (f"{NODES}test_h143_a_batch_too_large_is_halved_and_the_limit_is_remembered",),
    ),
    Mutant(
        "h143-a-full-mempool-is-not-waited-for",
        "ibc_relayer/submission.py",
        (("        if attempt or full:", "        if attempt:"),),
        (f"{NODES}test_h143_a_full_mempool_is_waited_for_and_blames_no_packet",),
    ),
)
H144 = (
    Mutant(
        "h144-the-newest-header-is-always-taken",
        "ibc_relayer/clock_guard.py",
        (("        if self._lead_ns is None:\n", "        if True:\n"),),
        (f"{NODES}test_h144_a_clock_a_minute_ahead_is_waited_for",),
    ),
    Mutant(
        "h144-absence-in-an-older-state-is-believed",
        "ibc_relayer/submitter.py",
        (
            (
                "        if older and isinstance(built, Result)",
                "        if False and isinstance(built, Result)",
            ),
        ),
        (f"{NODES}test_h144_a_clock_a_minute_ahead_is_waited_for",),
    ),
)
H145 = (
    Mutant(
        "h145-chain-ids-of-nodes-are-not-compared",
        "ibc_relayer/rpc_pool.py",
        (("        if chain_id != expected:\n", "        if False:\n"),),
        (f"{POOL}test_h145_a_node_of_another_chain_is_dropped_and_named",),
    ),
    Mutant(
        "h145-a-node-may-contradict-itself",
        "ibc_relayer/node_judge.py",
        (("        if known != told and by is node:\n", "        if False:\n"),),
        (f"{POOL}test_h145_a_chain_that_began_anew_behind_the_address_is_dropped",),
    ),
    Mutant(
        "h145-a-header-needs-no-signatures",
        "ibc_relayer/vouching.py",
        (("        if header_hash(signed.header) != told:\n", "        if False:\n"),),
        (f"{POOL}test_h145_of_two_nodes_the_one_whose_block_is_not_signed_is_dropped",),
    ),
    Mutant(
        "h145-nobody-is-outvoted",
        "ibc_relayer/node_judge.py",
        (("        wrong = _outvoted(votes) or self", "        wrong = self"),),
        (f"{POOL}test_h145_of_three_nodes_the_majority_is_right",),
    ),
)
H146 = (
    Mutant(
        "h146-any-height-is-the-newest",
        "ibc_relayer/rpc_pool.py",
        (("                if height is None or height >= self._height:\n", "                if True:\n"),),
        (f"{POOL}test_h146_an_answer_from_behind_is_asked_of_another_node",),
    ),
)
H147 = (
    Mutant(
        "h147-a-restart-is-not-waited-for",
        "ibc_relayer/rpc_client.py",
        (("    attempts: int = 7", "    attempts: int = 2"),),
        (f"{HTTP}test_h147_a_node_that_restarts_in_three_seconds_is_waited_for",),
    ),
)
H224 = (
    Mutant(
        "h224-a-new-connection-takes-nobody-s-place",
        "ibc_relayer/http_pool.py",
        (
            (
                "self._idle.pop() if self._idle else None",
                "self._idle.pop() if self._idle and not fresh else None",
            ),
            ("        if connection is not None and fresh:", "        if False:"),
        ),
        (f"{HTTP}test_h224_a_hundred_broadcasts_leave_one_connection_at_the_node",),
    ),
    Mutant(
        "h224-idle-connections-have-no-bound",
        "ibc_relayer/http_pool.py",
        (("len(self._idle) < MOST_IDLE", "True"),),
        (f"{HTTP}test_h224_many_threads_leave_a_bounded_number_of_connections",),
    ),
)
H230 = (
    Mutant(
        "h230-all-calls-have-one-number",
        "ibc_relayer/rpc_client.py",
        (("        number = next(self._numbers)\n", "        number = 1\n"),),
        (f"{HTTP}test_h230_an_answer_that_comes_twice_is_not_taken_for_the_next_one",),
    ),
    Mutant(
        "h230-more-is-read-from-that-connection",
        "ibc_relayer/rpc_client.py",
        (
            (
                'close()\n            raise MalformedAnswer(self.name, method, f"to',
                '__class__\n            raise MalformedAnswer(self.name, method, f"to',
            ),
        ),
        (f"{HTTP}test_h230_an_answer_that_comes_twice_is_not_taken_for_the_next_one",),
    ),
)
H231 = (
    Mutant(
        "h231-any-number-of-pages",
        "ibc_relayer/rpc_read.py",
        (('read_integer(answer["total"])', 'int(answer["total"])'),),
        (f"{UNIT}test_rpc.py::test_h231_pages_of_no_number_are_malformed",),
    ),
)
