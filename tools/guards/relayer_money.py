"""Guards of the relayer's keys, gas, fees and filters."""

from tools.guards.mutant import Mutant

HERE = "tests/unit/ibc_relayer/"
KEYS, ACCOUNTS, LEDGER = f"{HERE}test_keys.py::", f"{HERE}test_accounts.py::", f"{HERE}test_ledger.py::"
DEAR = f"{HERE}test_dear.py::"
FEES, POLICY = f"{HERE}test_fees.py::", f"{HERE}test_policy.py::"

H150 = (
    Mutant(
        "h150-others-may-read-a-key",
        "ibc_relayer/keys.py",
        (("    if found.st_mode & OTHERS:", "    if False:"),),
        (f"{KEYS}test_h150_a_key_that_others_can_reach_is_not_read",),
    ),
    Mutant(
        "h150-an-error-holds-what-was-read",
        "ibc_relayer/keys.py",
        (("        reason = str(error)\n", "        raise KeyRefused(where, str(error)) from error\n"),),
        (f"{KEYS}test_h150_what_is_no_key_is_refused_without_being_repeated",),
    ),
)

H151 = (
    Mutant(
        "h151-a-module-signs",
        "ibc_relayer/chain_account.py",
        (("    if packed.type_url.endswith(KEYLESS):", "    if False:"),),
        (f"{ACCOUNTS}test_h151_a_module_signs_nothing",),
    ),
    Mutant(
        "h151-somebody-else-s-account",
        "ibc_relayer/chain_account.py",
        (("    if account.address != address:", "    if False:"),),
        (f"{ACCOUNTS}test_h151_an_account_of_somebody_else_inside",),
    ),
)

H152 = (
    Mutant(
        "h152-what-would-fail-is-sent",
        "ibc_relayer/accounts.py",
        (("        if estimate.refusal is not None:", "        if False:"),),
        (f"{ACCOUNTS}test_h152_what_would_fail_is_not_sent_nor_paid",),
    ),
    Mutant(
        "h152-a-draft-that-can-be-broadcast",
        "ibc_relayer/accounts.py",
        ((", signed=False)", ")"),),
        (f"{ACCOUNTS}test_h152_what_is_simulated_cannot_be_broadcast",),
    ),
    Mutant(
        "h152-the-same-guess-again",
        "ibc_relayer/accounts.py",
        (("min(2 * self._heavy.get(name, 1), self._gas.limit)", "1"),),
        (f"{ACCOUNTS}test_h152_after_running_out_of_gas_the_next_try_has_more",),
    ),
    Mutant(
        "h152-in-vain-at-the-cap",
        "ibc_relayer/accounts.py",
        (("        if not times:", "        if False:"),),
        (f"{ACCOUNTS}test_h152_after_running_out_of_gas_the_next_try_has_more",),
    ),
    Mutant(
        "h152-a-contract-s-words",
        "ibc_relayer/simulation.py",
        (("if pattern.fullmatch(end)", "if re.search(pattern.pattern, said)"),),
        (f"{ACCOUNTS}test_h152_no_words_of_a_contract_are_taken_for_the_chain_s",),
    ),
)

H153 = (
    Mutant(
        "h153-a-price-without-a-maximum",
        "ibc_relayer/fees.py",
        (
            (
                "min(self.multiplier * price, self.maximum)",
                "self.multiplier * price",
            ),
        ),
        (f"{FEES}test_h153_a_price_beyond_the_maximum_is_never_paid",),
    ),
    Mutant(
        "h153-a-fee-rounded-down",
        "ibc_relayer/fees.py",
        (
            (
                "-(-gas * self.amount.numerator // self.amount.denominator)",
                "gas * self.amount.numerator // self.amount.denominator",
            ),
        ),
        (f"{FEES}test_h153_prices_below_one_unit_are_exact_and_rounded_up",),
    ),
)

H154 = (
    Mutant(
        "h154-written-after-the-broadcast",
        "ibc_relayer/accounts.py",
        (
            ("            self._book.sent(self._chain_id, signed, node.height)\n", "            pass\n"),
            (
                "            checked = node.broadcast(signed.raw)\n",
                "            checked = node.broadcast(signed.raw)\n            self._book.sent('', signed, 0)\n",  # noqa: E501
            ),
        ),
        (f"{LEDGER}test_h154_a_transaction_is_written_before_it_is_broadcast",),
    ),
    Mutant(
        "h154-the-last-fee-that-is-told",
        "ibc_relayer/charged.py",
        (
            (
                'told = next(_events(outcome, "tx", "fee"), None)',
                'told = next(iter([*_events(outcome, "tx", "fee")][::-1]), None)',
            ),
        ),
        (f"{LEDGER}test_h154_a_message_cannot_forge_the_fee",),
    ),
)

H155 = (
    Mutant(
        "h155-what-cannot-be-read-passes",
        "ibc_relayer/policy.py",
        (('        return "unreadable transfer"', "        return None"),),
        (f"{POLICY}test_h155_what_cannot_be_read_waits_where_transfers_are",),
    ),
    Mutant(
        "h155-the-first-payload-alone",
        "ibc_relayer/policy.py",
        (("        return packet.payloads\n", "        return packet.payloads[:1]\n"),),
        (f"{POLICY}test_h155_every_payload_and_encoding_is_looked_at",),
    ),
    Mutant(
        "h155-whatever-it-costs",
        "ibc_relayer/accounts.py",
        (("offer.max_fee is not None and not offer.allows(gas, packets)", "False"),),
        (f"{ACCOUNTS}test_h155_a_packet_that_costs_too_much_is_not_sent",),
    ),
)

H185 = (
    Mutant(
        "h185-an-update-for-what-waits",
        "ibc_relayer/submitter.py",
        (("        elif action_of(outcome) is Action.HOLD:  # nothing", "        elif False:  # nothing"),),
        (f"{DEAR}test_h185_no_update_is_paid_for_what_waits",),
    ),
    Mutant(
        "h186-nobody-shares-the-update",
        "ibc_relayer/submitter.py",
        (("        while len(dear) - left_out > 1:", "        while False:"),),
        (f"{DEAR}test_h186_a_heavy_packet_holds_up_none_of_those_beside_it",),
    ),
    Mutant(
        "h187-all-at-once",
        "ibc_relayer/dear.py",
        (
            (
                "zip(self._waiting(side), range(AT_ONCE), strict=False)",
                "zip(self._waiting(side), self._gas, strict=False)",
            ),
        ),
        (f"{DEAR}test_h187_thousands_that_are_too_dear_are_tried_a_few_at_a_time",),
    ),
    Mutant(
        "h187-as-often-as-ever",
        "ibc_relayer/dear.py",
        (("AGAIN * 2 ** min(self._times[key.target], DOUBLED)", "1"),),
        (f"{DEAR}test_h187_thousands_that_are_too_dear_are_tried_a_few_at_a_time",),
    ),
    Mutant(
        "h193-a-key-of-a-failure",
        "ibc_relayer/keys.py",
        (("        if not done.returncode and len(done.stdout)", "        if len(done.stdout)"),),
        (f"{KEYS}test_h193_a_command_that_prints_no_key_is_refused_without_what_it_printed",),
    ),
    Mutant(
        "h188-the-empty-account-s-turn-again",
        "ibc_relayer/accounts.py",
        (("                if not account.rests:", "                if True:"),),
        (f"{ACCOUNTS}test_h188_an_account_that_cannot_pay_holds_up_none_of_the_others",),
    ),
    Mutant(
        "h188-an-unknown-account-ends-it",
        "ibc_relayer/accounts.py",
        (
            (
                "            except (AccountCannotSign, EndpointRefused):",
                "            except AccountCannotSign:",
            ),
        ),
        (f"{ACCOUNTS}test_h188_an_account_that_the_chain_does_not_know_holds_up_none_of_the_others",),
    ),
)
H227 = (
    Mutant(
        "h227-sqlite-s-own-words",
        "ibc_relayer/ledger.py",
        (
            (
                'raise LedgerUnavailable(chain_id, f"the ledger cannot be written: {error}") from error',
                "raise",
            ),
        ),
        (f"{LEDGER}test_h227_what_could_not_be_changed_is_as_it_was",),
    ),
    Mutant(
        "h227-settled-in-memory-first",
        "ibc_relayer/ledger.py",
        (
            (
                "                closed = self._paid(waiting, key, outcome)\n",
                (
                    "                for each in self._paid(waiting, key, outcome):\n"
                    "                    del waiting[each]\n"
                ),
            ),
        ),
        (f"{LEDGER}test_h227_what_could_not_be_settled_is_open_and_settled_later",),
    ),
    Mutant(
        "h227-looked-at-in-memory-first",
        "ibc_relayer/ledger.py",
        (
            (
                "            waiting.update({key: waiting[key]._replace(since=height) for key in looked})\n",
                "",
            ),
            (
                "            with self._writing(chain_id):\n                rows = [(str(height)",
                (
                    "            waiting.update({each: waiting[each]._replace(since=0) for each in looked})\n"
                    "            with self._writing(chain_id):\n                rows = [(str(height)"
                ),
            ),
        ),
        (f"{LEDGER}test_h227_what_could_not_be_changed_is_as_it_was",),
    ),
)
H233 = (
    Mutant(
        "h233-a-ledger-in-another-program-s-file",
        "ibc_relayer/ledger.py",
        (("        if of != _APPLICATION and (of or (tables and tables != _TABLES)):", "        if False:"),),
        (f"{LEDGER}test_h233_another_program_s_database_is_left_as_it_is",),
    ),
    Mutant(
        "h233-a-ledger-of-a-later-release",
        "ibc_relayer/ledger.py",
        (("        if version > _VERSION:", "        if False:"),),
        (f"{LEDGER}test_h233_another_program_s_database_is_left_as_it_is",),
    ),
    Mutant(
        "h233-a-journal-writes-before-it-looks",
        "ibc_relayer/journal.py",
        (("            self._require_ours()\n", ""),),
        (f"{HERE}test_link.py::test_h233_a_file_that_is_no_journal_is_not_written_to",),
    ),
)
H228 = (
    Mutant(
        "h228-the-last-block-is-the-sequence-s",
        "ibc_relayer/ledger_catch_up.py",
        (("before - BEHIND", "before"),),
        (f"{LEDGER}test_h228_a_node_behind_tells_the_sequence_and_one_ahead_the_last_block",),
    ),
    Mutant(
        "h228-what-no-block-has-is-replaced",
        "ibc_relayer/ledger_catch_up.py",
        (
            (
                "    ledger.looked_until(chain_id, consumed, tip)\n",
                "    for key in consumed:\n        ledger._mark(key, 'replaced')\n",
            ),
        ),
        (f"{LEDGER}test_h228_a_node_ahead_tells_the_sequence_and_one_behind_the_last_block",),
    ),
    Mutant(
        "h228-looks-at-old-blocks-again",
        "ibc_relayer/ledger.py",
        ((" if waiting[key].since < height}", "}"),),
        (f"{LEDGER}test_h228_a_node_behind_tells_the_sequence_and_one_ahead_the_last_block",),
    ),
)
