"""Guards of what input may cost: in proportion to its bytes, paid before it is done, then forgotten."""

from tools.guards.mutant import Mutant

BUDGET = "tests/unit/ibc_core/wire/test_budget.py::"
PROOFS = "tests/unit/ibc_core/proofs/test_work.py::"
STATES = "tests/unit/light_client/test_states.py::"
STRANGERS = "tests/unit/localnet/host/test_strangers_costs.py::"
KEPT = "tests/unit/light_client/test_kept.py::"

H60 = (
    Mutant(
        "h60-an-any-is-checked-whenever-it-is-met",
        "ibc_core/wire/strict.py",
        (("            self._done.add((type_url, value, depth))", "            pass"),),
        (
            f"{BUDGET}test_h60_ten_levels_cost_a_walk_of_each_byte",
            f"{BUDGET}test_h60_an_any_that_is_merged_is_read_once_more_and_what_is_in_it_is_not",
        ),
    ),
    Mutant(
        "h60-a-spent-budget-goes-on",
        "ibc_core/wire/budget.py",
        (("        if self.elements > self.max_elements:", "        if False:"),),
        (f"{BUDGET}test_h60_a_spent_budget_refuses",),
    ),
    Mutant(
        "h60-fields-by-hand-cost-nothing",
        "ibc_core/wire/walk.py",
        (("            visit(ELEMENTS_OF_A_FIELD)\n", "            visit(0)\n"),),
        (f"{BUDGET}test_h60_a_message_of_many_fields_that_is_not_canonical_is_refused_early",),
    ),
    Mutant(
        "h60-lists-cost-nothing",
        "ibc_core/wire/lists.py",
        (("        budget.visit(listed)\n", ""),),
        (
            f"{BUDGET}test_h60_lists_of_next_to_nothing_are_refused_though_canonical",
            f"{BUDGET}test_h60_lists_are_counted_where_anys_are_not_looked_into",
        ),
    ),
    Mutant(
        "h60-lists-of-outer-messages-cost-nothing",
        "ibc_core/wire/strict.py",
        (("    count_listed(message, spent)\n", ""),),
        (f"{BUDGET}test_h60_lists_are_counted_where_anys_are_not_looked_into",),
    ),
    Mutant(
        "h60-each-message-has-a-budget-of-its-own",
        "localnet/host/runner.py",
        (
            (
                "        message = route.decode_within(value, budget)\n",
                "        message = route.decode(value)\n",
            ),
        ),
        (f"{STRANGERS}test_h60_a_transaction_has_one_budget_for_all_of_its_messages",),
    ),
    Mutant(
        "h60-a-route-forgets-the-budget",
        "ibc_core/wire/message.py",
        (("known=known, budget=budget)", "known=known)"),),
        ("tests/unit/ibc_core/wire/test_message.py::test_h60_a_route_spends_the_budget_of_its_transaction",),
    ),
)

H61 = (
    Mutant(
        "h61-a-path-is-copied-at-each-merge",
        "ibc_core/proofs/decode.py",
        (
            (
                "            sides[number].merge(chunk, allowance)\n",
                "            sides[number].merge(chunk, allowance)\n            sides[number].freeze()\n",
            ),
        ),
        (f"{PROOFS}test_h61_a_neighbour_that_comes_again_and_again_is_put_together_once",),
    ),
    Mutant(
        "h61-any-number-of-fields",
        "ibc_core/proofs/wire.py",
        (("        self.left -= 1\n", ""),),
        (f"{PROOFS}test_h61_a_proof_has_so_many_fields_for_its_size",),
    ),
    Mutant(
        "h61-groups-have-any-number-of-fields",
        "ibc_core/proofs/wire.py",
        (
            (
                "        allowance.spend()\n        tag, at = read_varint(data, at, len",
                "        tag, at = read_varint(data, at, len",
            ),
        ),
        (f"{PROOFS}test_h61_a_proof_has_so_many_fields_for_its_size",),
    ),
    Mutant(
        "h61-any-number-of-children",
        "light_client/tendermint/states.py",
        (("        if len(shape.child_order) > MAX_CHILDREN:", "        if False:"),),
        (f"{STATES}test_h61_client_states_that_cannot_be",),
    ),
    Mutant(
        "h61-any-number-of-votes",
        "light_client/tendermint/codec.py",
        (("    if len(message.signatures) > MAX_VALIDATORS:", "    if False:"),),
        (f"{KEPT}test_h61_a_commit_has_as_many_votes_as_cometbft_has_validators",),
    ),
    Mutant(
        "h61-signatures-for-nothing",
        "light_client/tendermint/client.py",
        (("        ctx.gas.consume(sum([price_of_header(", "        len(([price_of_header("),),
        (f"{KEPT}test_h61_signatures_are_paid_for_before_one_is_verified",),
    ),
    Mutant(
        "h61-evidence-is-verified-when-it-is-decoded",
        "light_client/tendermint/misbehaviour.py",
        (
            (
                "            check_power_of(SignedHeader(header, commit), validators)\n",
                "            check_commits(evidence)\n",
            ),
        ),
        (f"{KEPT}test_h61_evidence_pays_for_both_headers_before_a_signature_is_verified",),
    ),
)

H62 = (
    Mutant(
        "h62-a-header-is-kept-before-it-is-verified",
        "light_client/tendermint/client.py",
        (("            checked(message)\n\n", "            take(message, checked(message))\n\n"),),
        (f"{KEPT}test_h62_a_header_that_check_alone_took_leaves_nothing",),
    ),
    Mutant(
        "h62-signatures-are-kept-that-do-not-verify",
        "ibc_core/crypto/signatures.py",
        (("    if verified:\n", "    if True:\n"),),
        (
            "tests/unit/light_client/test_ed25519.py::test_h62_signatures_that_verified_are_kept_and_no_others",
        ),
    ),
    Mutant(
        "h62-entries-of-any-weight",
        "ibc_core/kept.py",
        (("                if self.weight + heavy > limit:\n", "                if False:\n"),),
        (
            "tests/unit/ibc_core/test_kept.py::test_h62_entries_weigh_what_they_are_said_to_and_never_more_than_the_limit",
        ),
    ),
    Mutant(
        "h62-two-threads-keep-at-once",
        "ibc_core/kept.py",
        (
            (
                "        with self._lock:\n            for key, value, weight in entries:",
                "        if True:\n            for key, value, weight in entries:",
            ),
        ),
        ("tests/unit/ibc_core/test_kept.py::test_h62_two_threads_that_keep_at_once_weigh_both",),
    ),
)

H63 = (
    Mutant(
        "h63-the-fast-path-takes-versions-of-ten-bytes",
        "ibc_core/proofs/fast.py",
        (("_LONGEST_LEAF = 11", "_LONGEST_LEAF = 12"),),
        (
            f"{PROOFS}test_h63_a_version_of_ten_bytes_is_judged_by_the_reference",
            f"{PROOFS}test_h63_a_leafs_version_is_read_alike_on_both_roads",
        ),
    ),
)
