"""Guards of what the relayer relays over: strangers make clients, channels and pairs."""

from tools.guards.mutant import Mutant

PATHS = "tests/road/test_strangers_paths.py::"
DELAY = "tests/road/test_connection_delay.py::"
HIDES = f"{PATHS}test_h234_a_node_that_hides_our_channel_does_not_make_a_stranger_s_the_only_one"
OUTAGES = "tests/unit/ibc_relayer/test_outages.py::"

H130 = (
    Mutant(
        "h130-a-client-s-terms-are-not-compared",
        "ibc_relayer/review.py",
        (("                *client.differences(),\n", ""),),
        (f"{PATHS}test_h130_all_terms_that_differ_are_named",),
    ),
    Mutant(
        "h130-any-accepted-term-accepts-all",
        "ibc_relayer/terms.py",
        (("if each.term not in accepted)", "if not accepted)"),),
        (f"{PATHS}test_h130_a_stranger_s_client_with_other_terms_is_not_built_upon",),
    ),
)
H131 = (
    Mutant(
        "h131-the-first-of-several-paths-is-taken",
        "ibc_relayer/find_path.py",
        (("    if len(fitting) > 1:\n", "    if not fitting:\n"),),
        (f"{PATHS}test_h131_a_stranger_s_newer_channel_over_our_connection_is_not_chosen",),
    ),
    Mutant(
        "h131-a-stranger-s-client-is-built-upon",
        "ibc_relayer/open_path.py",
        (("        if is_ours is False or not review", "        if not review"),),
        (f"{PATHS}test_h131_nothing_is_built_upon_a_stranger_s_client_even_with_our_terms",),
    ),
)
H234 = (
    Mutant(
        "h234-a-far-end-that-is-not-there",
        "ibc_relayer/candidates.py",
        (("        _require_far(path, connection, read[1][0], (end, there))\n", "        pass\n"),),
        (HIDES,),
    ),
    Mutant(
        "h234-a-connection-that-is-there-no-more",
        "ibc_relayer/candidates.py",
        (("    if read[0][0] is None:\n", "    if False:\n"),),
        (f"{PATHS}test_h234_no_second_answer_hides_a_connection_either",),
    ),
    Mutant(
        "h234-a-pair-that-is-not-there",
        "ibc_relayer/find_path.py",
        (("            require_no_pair_of_ours(review, drivers)\n", "            pass\n"),),
        (f"{PATHS}test_h234_a_node_that_hides_our_pair_does_not_make_a_stranger_s_the_only_one",),
    ),
    Mutant(
        "h234-a-stranger-keeps-all-from-finding",
        "ibc_relayer/candidates.py",
        (("    if review.are_ours(clients):\n", "    if True:\n"),),
        (f"{PATHS}test_h234_what_a_stranger_s_client_proved_of_b_may_be_missing_there",),
    ),
    Mutant(
        "h234-a-listed-channel-that-is-not-there",
        "ibc_relayer/candidates.py",
        (
            (
                '            raise NodeBehind(a.chain_id, f"lists {each.channel_id}, and has no such channel")\n',  # noqa: E501
                "            continue\n",
            ),
        ),
        (HIDES,),
    ),
    Mutant(
        "h234-a-listed-connection-that-is-not-there",
        "ibc_relayer/candidates.py",
        (("        if is_connection_id(name):\n", "        if False:\n"),),
        (HIDES,),
    ),
    Mutant(
        "h234-a-client-that-is-not-there",
        "ibc_relayer/candidates.py",
        (("    if review.knows(found.client_id) and", "    if False and"),),
        (HIDES,),
    ),
)
H132 = (
    Mutant(
        "h132-a-client-s-configuration-is-not-looked-at",
        "ibc_relayer/review.py",
        (("                *relayer_differences(host, client_id),\n", ""),),
        (f"{PATHS}test_h132_a_pair_whose_creator_says_who_may_relay_is_named",),
    ),
    Mutant(
        "h132-a-stranger-s-half-of-a-pair-is-completed",
        "ibc_relayer/open_clients.py",
        (("            review.are_ours(pair)\n            and _may", "            _may"),),
        (f"{PATHS}test_h132_a_stranger_who_names_our_client_does_not_get_our_registration",),
    ),
)
H133 = (
    Mutant(
        "h133-only-the-newest-header-is-compared",
        "ibc_relayer/review.py",
        (
            (
                "        if not left and not is_known:\n",
                "        if left and not left:\n",
            ),
        ),
        (f"{PATHS}test_h133_a_client_that_began_with_a_forged_header_is_not_built_upon",),
    ),
)
H134 = (
    Mutant(
        "h134-a-registration-s-client-is-not-reviewed",
        "ibc_relayer/queue/path.py",
        (("    review.client(side, found.client_id).require_none(remote.text)\n", ""),),
        (f"{PATHS}test_h134_a_stranger_s_end_of_a_queue_is_not_relayed_over",),
    ),
)
H135 = (
    Mutant(
        "h135-a-journal-of-other-paths-is-not-refused",
        "pyibc/cli/relay_links.py",
        (("    if paths and not names:\n", "    if names and not paths:\n"),),
        (f"{PATHS}test_h135_a_journal_of_another_path_ends_the_command_before_anything_is_sent",),
    ),
)
H136 = (
    Mutant(
        "h136-a-header-is-always-old-enough",
        "ibc_relayer/delay.py",
        (
            (
                "        if not self._is_mature(header, self._delays[connection_id]):\n",
                "        if not header:\n",
            ),
        ),
        (f"{DELAY}test_h136_packets_wait_for_the_delay_and_are_not_tried_before",),
    ),
    Mutant(
        "h136-each-start-waits-for-a-new-header",
        "ibc_relayer/delay.py",
        (("        if latest.planned:\n", "        if not tasks:\n"),),
        (f"{DELAY}test_h136_a_relayer_that_is_restarted_all_the_time_delivers_all_the_same",),
    ),
)
H225 = (
    Mutant(
        "h225-a-client-older-than-all-blocks-is-unusable",
        "ibc_relayer/foreign_client.py",
        (
            (
                "if last is None or not isinstance(driver, OutlivesBlocks):",
                "if driver:",
            ),
        ),
        (f"{OUTAGES}test_h225_a_client_older_than_all_blocks_of_a_node_is_relayed_over",),
    ),
    Mutant(
        "h225-whatever-validators-it-trusts",
        "ibc_relayer/tendermint.py",
        (
            (
                "return _consensus_state(consensus_state).next_validators_hash == header.validators_hash",
                "return bool(header)",
            ),
        ),
        (f"{OUTAGES}test_h225_but_not_if_it_trusts_other_validators",),
    ),
    Mutant(
        "h225-a-client-that-nobody-knows-is-taken",
        "ibc_relayer/review.py",
        (("is_chosen=is_known", "is_chosen=True"),),
        (f"{OUTAGES}test_h225_nor_if_nobody_named_it_and_nobody_knows_who_made_it",),
    ),
)
H229 = (
    Mutant(
        "h229-proofs-after-the-delay",
        "ibc_relayer/delay.py",
        (("((kept, header.proofs), (more, proofs))", "((kept, None), (more, proofs))"),),
        (f"{DELAY}test_h229_nodes_that_keep_fewer_states_than_the_delay_has_blocks",),
    ),
)
