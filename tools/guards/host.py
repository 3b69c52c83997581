"""Guards of the host's side: what a stranger's transaction may cost, who pays for it."""

from tools.guards.mutant import Mutant

OVERLAY = "tests/unit/ibc_core/test_overlay.py::"
COSTS = "tests/unit/localnet/host/test_strangers_costs.py::"
PAYER = "tests/unit/localnet/host/test_fee_payer.py::"
WRITTEN = "tests/unit/ibc_core/test_written_keys.py::"

H71 = (
    Mutant(
        "h71-deletions-are-passed-over-for-nothing",
        "ibc_core/host/overlay.py",
        (
            (
                '                consume(ITER_NEXT_COST + READ_BYTE * (len(key) + len(value or b"")))\n',
                "                consume(ITER_NEXT_COST + READ_BYTE * len(key + value) if value else 0)\n",
            ),
        ),
        (f"{OVERLAY}test_h71_a_deletion_that_is_passed_over_costs_as_an_entry_does",),
    ),
    Mutant(
        "h71-all-that-a-block-wrote-is-looked-at",
        "ibc_core/host/written_keys.py",
        (("known.irange(start, end, (True, False))", "sorted(writes) if start <= key < (end or b'~')"),),
        (f"{WRITTEN}test_h71_a_range_costs_what_is_in_it_whatever_else_was_written",),
    ),
)

H72 = (
    Mutant(
        "h72-the-first-signer-pays",
        "localnet/host/runner.py",
        (("known.setdefault(payer.raw, payer)", "payer = next(iter({**known, payer.raw: payer}.values()))"),),
        (f"{PAYER}test_h72_the_payer_pays_however_the_address_is_written",),
    ),
    Mutant(
        "h72-an-address-keeps-the-text-it-came-in",
        "ibc_core/address.py",
        (("Address(raw, body)", "Address(raw, text)"),),
        (
            "tests/unit/ibc_core/test_address.py::test_h72_upper_case_is_the_same_address_with_the_same_text",
            f"{PAYER}test_h72_an_account_has_one_text_whoever_wrote_it_first",
        ),
    ),
)

H73 = (
    Mutant(
        "h73-totals-in-escrow-go-below-zero",
        "ibc_module/apps/transfer/state.py",
        (("    if total < 0:\n", "    if False:\n"),),
        (
            "tests/road/test_security_transfers.py::test_h73_no_more_comes_out_of_escrow_than_ever_went_in",
            "tests/unit/ibc_module/apps/transfer/test_app_v2.py::test_h73_no_more_is_refunded_than_went_in",
        ),
    ),
)

H74 = (
    Mutant(
        "h74-a-localhost-proof-is-of-any-height",
        "light_client/localhost.py",
        (("        if height > ctx.height:\n", "        if False:\n"),),
        ("tests/road/test_localhost.py::test_h74_nobody_times_a_packet_out_by_a_height_of_his_choice",),
    ),
)

H75 = (
    Mutant(
        "h75-what-is-refused-is-remembered",
        "localnet/host/runner.py",
        (("self._cache.get(raw) or self._decoded(raw, Mode.CHECK)", "self.decode(raw)"),),
        (f"{COSTS}test_h75_what_the_mempool_refuses_is_not_remembered",),
    ),
    Mutant(
        "h75-any-number-of-signers",
        "ibc_core/wire/tx.py",
        (("    if len(auth.signer_infos) > MAX_SIGNERS:", "    if False:"),),
        (f"{COSTS}test_h75_a_transaction_has_so_many_signers_and_no_more",),
    ),
    Mutant(
        "h75-messages-of-any-number-of-signers",
        "localnet/host/runner.py",
        (("            if len(known) > self._config.limits.signatures:", "            if False:"),),
        (f"{COSTS}test_h75_messages_of_too_many_signers_are_not_all_read",),
    ),
    Mutant(
        "h75-a-multi-send-is-read-before-it-is-signed",
        "localnet/host/bank_send.py",
        (("    return MsgMultiSend(_", "    payout(raw, addresses)\n    return MsgMultiSend(_"),),
        (f"{COSTS}test_h75_who_gets_a_multi_send_is_read_when_somebody_has_signed",),
    ),
    Mutant(
        "h75-any-number-of-coins-in-a-fee",
        "ibc_core/wire/tx.py",
        (("    if len(fee.amount) > MAX_FEE_COINS:", "    if False:"),),
        (f"{COSTS}test_h75_a_fee_has_so_many_coins_and_no_more",),
    ),
    Mutant(
        "h75-any-number-of-sequences",
        "ibc_module/queries/lookup.py",
        (("    if len(asked) > MAX_SEQUENCES:", "    if False:"),),
        (
            "tests/unit/ibc_module/queries/test_packet.py::test_h75_so_many_sequences_and_no_more",
            "tests/unit/ibc_module/queries/test_packet_v2.py::test_h75_so_many_sequences_and_no_more",
        ),
    ),
    Mutant(
        "h75-a-query-reads-without-end",
        "localnet/host/app.py",
        (("            ctx.gas.reset(QUERY_GAS)\n", ""),),
        (f"{COSTS}test_h75_a_query_reads_so_much_and_no_more",),
    ),
    Mutant(
        "h75-listing-clients-reads-their-consensus-states",
        "ibc_module/queries/client.py",
        (
            (
                "        lambda start, end: _scan_client_states(ctx.ibc, start, end),\n",
                "        ctx.ibc.iterate,\n",
            ),
        ),
        (
            "tests/unit/ibc_module/queries/test_client.py::test_h75_listing_clients_reads_none_of_their_consensus_states",
        ),
    ),
)

H76 = (
    Mutant(
        "h76-zeros-hide-the-length-of-a-body",
        "localnet/rpc/server.py",
        (("len(length) > 10 or int(length) > MAX_BODY", "int(length[:10]) > MAX_BODY"),),
        ("tests/unit/localnet/rpc/test_rpc.py::test_h76_a_length_behind_zeros_is_no_way_around_the_bound",),
    ),
    Mutant(
        "h76-faults-end-the-connection",
        "localnet/rpc/answers.py",
        (("except Exception as error:", "except ConnectionError as error:"),),
        ("tests/unit/localnet/rpc/test_rpc.py::test_h76_a_fault_of_ours_is_answered_and_logged_once",),
    ),
    Mutant(
        "h76-heights-below-zero-are-looked-up",
        "localnet/rpc/methods.py",
        (("if height < 0:", "if False:"),),
        ("tests/unit/localnet/rpc/test_rpc.py::test_h76_a_height_below_zero_is_refused_by_every_method",),
    ),
)
