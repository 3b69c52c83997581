"""The guards that `mutants.py` removes: what is changed where, and the tests that must notice."""

from typing import NamedTuple

PACKETS = "tests/road/test_security_packets.py::"
ROAD = "tests/road/test_security_proofs.py::"
CLIENTS = "tests/road/test_security_clients.py::"
MESSAGES = "tests/road/test_security_messages.py::"
COINS = "tests/road/test_security_transfers.py::"
V2 = "tests/unit/handlers/packet_v2/test_security.py::"
UNIT = "tests/unit/handlers/packet/"
RECV = f"{UNIT}test_recv.py::"
RECV_V2 = "tests/unit/handlers/packet_v2/test_recv.py::"
APP_V2 = "tests/unit/apps/transfer/test_app_v2.py::"
PROOFS = "tests/unit/proofs/test_chain.py::"
OPS = "tests/unit/proofs/test_ops.py::"
FORGED = "tests/unit/proofs/test_forgeries.py::"
TYPES = "tests/unit/light_client/test_types.py::"


class Mutant(NamedTuple):
    """A guard and what notices that it is gone."""

    name: str  # begins with the entry of docs/security.md
    file: str
    edits: tuple[tuple[str, str], ...]  # (passage that is there once, what stands in its place)
    tests: tuple[str, ...]


def _moved(name: str, file: str, line: str, after: str, *tests: str) -> Mutant:
    """`line` (within its function) done after `after` instead of before."""
    return Mutant(name, file, ((line, ""), (after, after + line)), tests)


H4 = (
    Mutant(
        "h4-recv-undone-events-keep-their-names",
        "handlers/packet/recv.py",
        (("ctx.emit(channel_events.callback_error(event))", "ctx.emit(event)"),),
        (
            f"{COINS}test_h4_a_failed_receive_emits_only_renamed_events",
            f"{RECV}test_h4_a_refusing_application_leaves_its_answer_and_nothing_else",
        ),
    ),
    Mutant(
        "h4-recv-failed-callback-is-kept",
        "handlers/packet/recv.py",
        (("branch.discard() if answer is not None and not answer.success else ()", "()"),),
        (
            f"{PACKETS}test_h36_an_error_answer_keeps_the_receipt_and_none_of_the_applications_writes",
            f"{RECV}test_h4_a_refusing_application_leaves_its_answer_and_nothing_else",
        ),
    ),
    Mutant(
        "h4-recv-v2-undone-events-keep-their-names",
        "handlers/packet_v2/recv.py",
        (("ctx.emit(callback_error(event))", "ctx.emit(event)"),),
        (f"{RECV_V2}test_h4_a_failed_application_is_undone_and_chain_a_learns_no_more",),
    ),
    Mutant(
        "h4-recv-v2-failed-callback-is-kept",
        "handlers/packet_v2/recv.py",
        (("branch.discard() if answer == (SENTINEL,) else ()", "()"),),
        (f"{RECV_V2}test_h4_a_failed_application_is_undone_and_chain_a_learns_no_more",),
    ),
    Mutant(
        "h4-attributes-keep-their-names",
        "ibc_module/core/channel_events.py",
        (("(CALLBACK_ERROR_PREFIX + key, value)", "(key, value)"),),
        (f"{COINS}test_h4_a_failed_receive_emits_only_renamed_events",),
    ),
    Mutant(
        "h4-indexer-counts-undone-events",
        "ibc_module/indexer/packets.py",
        (
            (
                "        if kind in CHANNEL_TYPES:\n            walker.packet(index, kind, dict(attributes))",
                """        kind = kind.removeprefix("ibccallbackerror-")
        attributes = [(key.removeprefix("ibccallbackerror-"), value) for key, value in attributes]
        if kind in CHANNEL_TYPES:
            walker.packet(index, kind, dict(attributes))""",
            ),
        ),
        (f"{PACKETS}test_h4_the_indexer_counts_no_undone_event",),
    ),
)

_DELETE = "    keepers.packets.delete_commitment(ctx, packet)\n"
_DELETE_V2 = "    keepers.v2.packets.delete_commitment(ctx, packet)\n"
_REENTRANT = f"{PACKETS}test_h5_reentrant_app_cannot_be_refunded_twice"
_GONE = f"{PACKETS}test_h5_the_commitment_is_gone_before_the_application_is_told"
_REENTRANT_V2 = f"{V2}test_h5_reentrant_app_is_told_once"
_GONE_V2 = f"{V2}test_h5_the_commitment_is_gone_before_the_application_is_told"

H5 = (
    _moved(
        "h5-timeout-deletes-after-the-callback",
        "handlers/packet/timeout.py",
        _DELETE,
        "    app.on_timeout_packet(ctx, end_on_a.version, packet, relayer)\n",
        _REENTRANT,
        _GONE,
        f"{COINS}test_h5_reentrant_app_cannot_be_refunded_twice",
    ),
    Mutant(
        "h5-timeout-never-deletes",
        "handlers/packet/timeout.py",
        ((_DELETE, ""),),
        (
            _REENTRANT,
            _GONE,
            f"{PACKETS}test_h38_a_second_timeout_on_close_does_nothing",
        ),
    ),
    _moved(
        "h5-acknowledge-deletes-after-the-callback",
        "handlers/packet/acknowledge.py",
        _DELETE,
        "    app.on_acknowledgement_packet(ctx, end_on_a.version, packet, acknowledgement, relayer)\n",
        _REENTRANT,
        _GONE,
        f"{COINS}test_h5_reentrant_app_cannot_be_refunded_twice_for_an_error",
    ),
    _moved(
        "h5-recv-marks-after-the-callback",
        "handlers/packet/recv.py",
        "    mark_received(keepers, ctx, packet, end_on_b.ordering)\n",
        "    answer = _run(ctx, app, end_on_b.version, packet, relayer)\n",
        f"{PACKETS}test_h5_reentrant_app_cannot_receive_twice",
        f"{COINS}test_h5_reentrant_app_cannot_be_paid_twice",
    ),
    Mutant(
        "h5-timeout-on-close-asks-for-no-commitment",
        "handlers/packet/timeout_on_close.py",
        (
            (
                "    if commitment is None:\n        return REDUNDANT\n",
                "    commitment = packet_commitment(packet)\n",
            ),
        ),
        (_REENTRANT, f"{PACKETS}test_h38_a_second_timeout_on_close_does_nothing"),
    ),
    _moved(
        "h5-timeout-v2-deletes-after-the-callback",
        "handlers/packet_v2/timeout.py",
        _DELETE_V2,
        "        app.on_timeout_packet(ctx, client_on_a, client_on_b, packet.sequence, payload, relayer)\n",
        _REENTRANT_V2,
        _GONE_V2,
    ),
    _moved(
        "h5-acknowledge-v2-deletes-after-the-callback",
        "handlers/packet_v2/acknowledge.py",
        _DELETE_V2,
        "            ctx, client_on_a, client_on_b, packet.sequence, answer, payload, relayer\n        )\n",
        _REENTRANT_V2,
        _GONE_V2,
    ),
    _moved(
        "h5-recv-v2-marks-after-the-callback",
        "handlers/packet_v2/recv.py",
        "    keepers.v2.packets.set_receipt(ctx, packet)\n",
        "    answer = _run(ctx, verified, received)\n",
        _REENTRANT_V2,
        f"{V2}test_h5_the_receipt_is_there_before_the_application_runs",
    ),
)

_CANONICAL = """        try:
            acks.check_canonical(acknowledgement)
        except InvalidAcknowledgement as error:
            raise InvalidType("a canonical acknowledgement", "another form of it") from error
"""

_CANONICAL_V2 = "".join(line.removeprefix("    ") for line in _CANONICAL.splitlines(keepends=True))

H7 = (
    Mutant(
        "h7-transfer-takes-any-form",
        "ibc_module/apps/transfer/app.py",
        ((_CANONICAL, ""),),
        (f"{COINS}test_h7_transfer_takes_only_the_one_form_of_an_acknowledgement",),
    ),
    Mutant(
        "h7-transfer-v2-takes-any-form",
        "ibc_module/apps/transfer/app_v2.py",
        ((_CANONICAL_V2, ""),),
        (f"{APP_V2}test_h9_answers_that_are_none_refund_nothing",),
    ),
    Mutant(
        "h8-core-takes-any-form",
        "handlers/packet/acknowledge.py",
        (("    check_canonical(msg.acknowledgement)\n", ""),),
        (f"{PACKETS}test_h8_core_takes_only_the_one_form_of_a_standard_acknowledgement",),
    ),
    Mutant(
        "h7-every-form-is-canonical",
        "ibc_module/core/acknowledgement.py",
        (("parsed is not None and encode(parsed) != acknowledgement", "False"),),
        (
            f"{COINS}test_h7_transfer_takes_only_the_one_form_of_an_acknowledgement",
            f"{PACKETS}test_h8_core_takes_only_the_one_form_of_a_standard_acknowledgement",
            f"{APP_V2}test_h9_answers_that_are_none_refund_nothing",
        ),
    ),
)

H26 = (
    Mutant(
        "h26-an-address-is-not-its-keys",
        "light_client/tendermint/types.py",
        (("    if address_of(member.key_type, member.public_key) != member.address:", "    if False:"),),
        (f"{CLIENTS}test_h26_an_address_is_that_of_its_key", f"{TYPES}test_h31_impossible_validators"),
    ),
    Mutant(
        "h26-a-validator-may-stand-in-a-set-twice",
        "light_client/tendermint/types.py",
        (("        if len(self._places) != len(self.validators):", "        if False:"),),
        (
            f"{TYPES}test_h26_a_validator_twice_is_refused",
            f"{CLIENTS}test_h26_a_validator_stands_in_a_set_once",
        ),
    ),
    Mutant(
        "h26-a-vote-counts-twice",
        "light_client/tendermint/voting.py",
        (("            if place in seen:", "            if False:"),),
        (f"{CLIENTS}test_h26_a_validator_counts_once",),
    ),
)

H30 = (
    Mutant(
        "h30-a-vote-is-not-bound-to-its-place",
        "light_client/tendermint/voting.py",
        (("            if sig.validator_address != member.address:", "            if False:"),),
        (
            f"{CLIENTS}test_h30_every_vote_is_bound_to_the_validator_in_its_place",
            "tests/unit/light_client/test_verifier.py::TestBothRoads::test_h30_swapped_addresses_are_refused",
        ),
    ),
    Mutant(
        "h30-a-commit-may-have-any-size",
        "light_client/tendermint/predicates.py",
        (("    if len(commit.signatures) != len(validators):", "    if False:"),),
        (f"{CLIENTS}test_h30_a_commit_has_one_entry_for_each_validator",),
    ),
)

H31 = (
    Mutant(
        "h31-any-power",
        "light_client/tendermint/types.py",
        (("    if not 0 <= member.power <= MAX_I64:", "    if False:"),),
        (f"{CLIENTS}test_h31_powers_stay_within_64_bits", f"{TYPES}test_h31_impossible_validators"),
    ),
    Mutant(
        "h31-any-total",
        "light_client/tendermint/types.py",
        (("        if self.total_power > MAX_TOTAL_POWER:", "        if False:"),),
        (f"{CLIENTS}test_h31_powers_stay_within_64_bits", f"{TYPES}test_h31_impossible_validators"),
    ),
)

H32 = (
    Mutant(
        "h32-a-commit-is-for-any-header",
        "light_client/tendermint/predicates.py",
        (("    if commit.block_id.hash != expected:", "    if False:"),),
        (
            f"{CLIENTS}test_h32_an_edited_header_beside_a_real_commit_does_not_freeze",
            f"{CLIENTS}test_h32_an_edited_header_is_no_update",
        ),
    ),
    Mutant(
        "h32-evidence-is-not-checked-by-itself",
        "light_client/tendermint/misbehaviour.py",
        (("            check_basic(client_header)\n", "            pass\n"),),
        (f"{CLIENTS}test_h32_an_edited_header_beside_a_real_commit_does_not_freeze",),
    ),
    Mutant(
        "h32-evidence-needs-no-majority",
        "light_client/tendermint/misbehaviour.py",
        (("        _check_own_commit(client_header)\n", "        pass\n"),),
        (f"{CLIENTS}test_h32_evidence_that_a_third_signed_does_not_freeze",),
    ),
    Mutant(
        "h32-evidence-needs-no-trust",
        "light_client/tendermint/misbehaviour.py",
        (("check_trusted_power(chain_id, client_header.commit, validators, state.trust_level)", "pass"),),
        (f"{CLIENTS}test_h32_evidence_of_strangers_does_not_freeze",),
    ),
    Mutant(
        "h32-one-header-is-a-fork",
        "light_client/tendermint/misbehaviour.py",
        (("        return one.commit.block_id.hash != two.commit.block_id.hash", "        return True"),),
        (f"{CLIENTS}test_h32_the_same_header_twice_does_not_freeze",),
    ),
    Mutant(
        "h32-any-order-of-heights",
        "light_client/tendermint/misbehaviour.py",
        (("    if height_of(one) < height_of(two):", "    if False:"),),
        (f"{CLIENTS}test_h32_evidence_in_the_wrong_order_does_not_freeze",),
    ),
)

H15 = (
    Mutant(
        "h15-ics20-answers-when-the-gas-is-gone",
        "ibc_module/apps/transfer/app.py",
        (("        except (OutOfGas, LogicFault):\n            raise\n", ""),),
        (f"{COINS}test_h15_out_of_gas_inside_ics20_is_no_answer",),
    ),
    Mutant(
        "h15-ics20-v2-answers-when-the-gas-is-gone",
        "ibc_module/apps/transfer/app_v2.py",
        (("        except (OutOfGas, LogicFault):\n            raise\n", ""),),
        (f"{APP_V2}test_h15_out_of_gas_is_no_answer",),
    ),
    Mutant(
        "h15-a-dead-client-carries-packets",
        "keepers/client.py",
        (
            (
                "            raise ClientNotActive(client_id, status.value)\n        return found",
                "            pass\n        return found",
            ),
        ),
        (f"{MESSAGES}test_h15_a_client_that_is_not_active_carries_nothing",),
    ),
)

_CHAIN, _VERIFY, _FAST = (
    "ibc_module/proofs/chain.py",
    "ibc_module/proofs/verify.py",
    "ibc_module/proofs/fast.py",
)
_CHECKS, _SDK_PATH = "ibc_module/proofs/checks.py", "ibc_module/proofs/sdk_path.py"
_ANY_BYTE = f"{FORGED}test_h18_no_byte_of_a_proof_can_change"
_NODE_AS_LEAF = f"{FORGED}test_h18_an_inner_node_is_no_leaf"

H18 = (
    Mutant(
        "h18-any-leaf-prefix",
        _CHECKS,
        (
            ("        _check_iavl_leaf(leaf.prefix)\n", "        pass\n"),
            ("    if not leaf.prefix.startswith(expected.prefix):", "    if False:"),
        ),
        (_NODE_AS_LEAF, f"{OPS}test_h18_iavl_leaf_prefixes_that_do_not_pass"),
    ),
    Mutant(
        "h18-a-leaf-of-any-height-and-size",
        _CHECKS,
        (("    if (height, size) != (0, 1):", "    if False:"),),
        (f"{OPS}test_h18_iavl_leaf_prefixes_that_do_not_pass",),
    ),
    Mutant(
        "h18-bytes-behind-a-leafs-version",
        _CHECKS,
        (("    if rest:", "    if False:"),),
        (f"{OPS}test_h18_iavl_leaf_prefixes_that_do_not_pass",),
    ),
    Mutant(
        "h18-any-inner-prefix",
        _CHECKS,
        (
            ("        _check_iavl_inner(inner, layer)\n", "        pass\n"),
            ("    if inner.prefix.startswith(spec.leaf_spec.prefix):", "    if False:"),
        ),
        (
            f"{FORGED}test_h18_a_leaf_is_no_inner_node",
            f"{OPS}test_h18_iavl_inner_operations_that_do_not_pass",
        ),
    ),
    Mutant(
        "h18-any-bytes-behind-an-inner-version",
        _CHECKS,
        (("    if rest not in (1, 34):", "    if False:"),),
        (f"{OPS}test_h18_iavl_inner_operations_that_do_not_pass",),
    ),
    Mutant(
        "h18-a-node-below-its-layer",
        _CHECKS,
        (("    if height < layer:", "    if False:"),),
        (f"{OPS}test_h18_iavl_inner_operations_that_do_not_pass",),
    ),
    Mutant(
        "h18-fast-path-takes-any-header-for-a-leafs",
        _SDK_PATH,
        (("    if _leaf_header(proof, start, stop) is None:", "    if False:"),),
        (_NODE_AS_LEAF,),
    ),
    Mutant(
        "h18-fast-path-takes-any-leaf-operation",
        _SDK_PATH,
        (("proof[at + 1 : at + 8] != _LEAF_OP or ", ""),),
        (_ANY_BYTE,),
    ),
)

_OTHER_STORE = f"{FORGED}test_h22_a_proof_is_of_one_store"
_OTHER_ROOT = f"{FORGED}test_h22_a_proof_to_another_root_is_refused"

H22 = (
    Mutant(
        "h22-an-absence-passes-for-a-presence",
        _CHAIN,
        (('            raise InvalidProof(f"proof {at} must be an existence proof")', "            return"),),
        (
            f"{PROOFS}test_h22_a_chain_of_two_absence_proofs_whose_root_equals_the_value_is_refused",
            f"{ROAD}test_h22_absence_below_is_no_presence",
        ),
    ),
    Mutant(
        "h22-any-refusal-is-an-absence",
        _CHAIN,
        (('        raise InvalidProof("lowest proof must be a non-existence proof")', "        return"),),
        (
            f"{PROOFS}test_h22_a_membership_proof_does_not_prove_absence",
            f"{ROAD}test_h22_presence_is_no_absence",
        ),
    ),
    Mutant(
        "h22-the-store-is-not-looked-at",
        _CHAIN,
        (("specs[at], path[-1 - at], value)", "specs[at], step.key if at else path[-1], value)"),),
        (
            _OTHER_STORE,
            f"{ROAD}test_h23_a_proof_from_another_store_is_refused",
            f"{ROAD}test_h23_an_absence_in_another_store_is_refused",
        ),
    ),
    Mutant(
        "h22-fast-path-does-not-look-at-the-store",
        _SDK_PATH,
        (("name = encode_varint(len(store)) + store", 'name = b"\\x03ibc"'),),
        (_OTHER_STORE,),
    ),
    Mutant(
        "h22-any-root",
        _CHAIN,
        (("    if value != root:", "    if False:"),),
        (_OTHER_ROOT, f"{FORGED}test_h20_a_root_has_32_bytes"),
    ),
    Mutant(
        "h22-fast-path-any-root",
        _SDK_PATH,
        (("sha256(data).digest()) != root:", "sha256(data).digest()) is None:"),),
        (_OTHER_ROOT,),
    ),
    Mutant(
        "h22-the-right-proof-under-another-key",
        _VERIFY,
        (("    if key != proof.key:", "    if False:"),),
        (f"{ROAD}test_h22_the_answer_to_another_packet_is_no_answer", _OTHER_STORE),
    ),
    Mutant(
        "h22-another-value",
        _VERIFY,
        (("    if value != proof.value:", "    if False:"),),
        (f"{FORGED}test_h22_a_right_proof_of_another_value_is_refused",),
    ),
    Mutant(
        "h22-neighbours-enclose-any-key",
        _VERIFY,
        (("    _check_order(proof, spec, key)\n", ""),),
        (
            f"{FORGED}test_h22_the_neighbours_of_one_key_do_not_enclose_another",
            f"{PROOFS}test_h22_absence_of_another_key_is_not_proven",
        ),
    ),
    Mutant(
        "h22-fast-path-neighbours-enclose-any-key",
        _FAST,
        (("not left.key < key < right.key", "False"),),
        (f"{FORGED}test_h22_the_neighbours_of_one_key_do_not_enclose_another",),
    ),
    Mutant(
        "h22-neighbours-need-not-be-neighbours",
        _VERIFY,
        (("        check_neighbours(shape, left.path, right.path)\n", "        pass\n"),),
        (f"{PROOFS}test_h22_neighbours_with_a_key_between_them_are_refused",),
    ),
    Mutant(
        "h22-an-edge-is-anywhere",
        _VERIFY,
        (
            ("        check_leftmost(shape, right.path)\n", "        pass\n"),
            ("        check_rightmost(shape, left.path)\n", "        pass\n"),
        ),
        (f"{PROOFS}test_h22_edge_proof_of_a_key_that_is_not_at_the_edge_is_refused",),
    ),
    Mutant(
        "h22-fewer-steps-than-trees",
        _CHAIN,
        (("    if len(specs) != len(proofs):", "    if len(specs) < len(proofs):"),),
        (f"{ROAD}test_h22_one_step_more_or_less_is_refused",),
    ),
    Mutant(
        "h22-any-steps-above-a-known-node",
        _SDK_PATH,
        (
            ("tail is not None and tail.steps == proof[at:end]:", "tail is not None:"),
            ("(tail is None and at != end)", "False"),
        ),
        (f"{PROOFS}test_h22_garbage_above_a_known_node_is_refused_on_a_warm_node",),
    ),
    Mutant(
        "h23-packets-need-no-proof",
        "keepers/connection.py",
        (
            (
                "height, delay_ns, blocks, proof, merkle_path, value\n        )",
                "height, delay_ns, blocks, proof, merkle_path, value\n        ) if False else None",
            ),
        ),
        (
            f"{ROAD}test_h23_a_proof_from_another_store_is_refused",
            f"{RECV}test_h18_a_bit_flipped_anywhere_in_the_proof_is_refused",
            f"{UNIT}test_acknowledge.py::test_h18_a_bit_flipped_anywhere_in_the_proof_is_refused",
        ),
    ),
    Mutant(
        "h23-absence-needs-no-proof",
        "keepers/connection.py",
        (
            (
                "delay_ns, blocks, proof, merkle_path)",
                "delay_ns, blocks, proof, merkle_path) if False else None",
            ),
        ),
        (
            f"{ROAD}test_h23_an_absence_in_another_store_is_refused",
            f"{UNIT}test_timeout.py::test_h18_a_bit_flipped_anywhere_in_the_proof_is_refused",
        ),
    ),
)

_COINS, _DENOM = "ibc_module/apps/transfer/coins.py", "ibc_module/apps/transfer/denom.py"
_NOT_OTHERS = f"{COINS}test_h40_a_hostile_chain_cannot_move_another_channels_escrow"
_TWO_VOUCHERS = f"{COINS}test_h40_the_same_coin_over_two_channels_is_two_vouchers"
_NO_MORE = f"{COINS}test_h40_a_hostile_chain_takes_out_no_more_than_came_in"

H40 = (
    Mutant(
        "h40-vouchers-are-not-bound-to-their-channel",
        _COINS,
        (("new = voucher(denom, port_on_b, channel_on_b)", 'new = voucher(denom, port_on_b, "channel-0")'),),
        (_TWO_VOUCHERS, f"{APP_V2}test_h40_the_same_coin_through_two_clients_is_two_vouchers"),
    ),
    Mutant(
        "h40-any-first-hop-leads-home",
        _DENOM,
        (("self.trace[0] == (port_id, channel_id)", "True"),),
        (_NO_MORE, f"{APP_V2}test_h40_a_coin_that_went_elsewhere_does_not_come_home_here"),
    ),
    Mutant(
        "h40-one-escrow-for-all-channels",
        "ibc_module/apps/transfer/escrow.py",
        (('f"{port_id}/{channel_id}"', 'f"{port_id}"'),),
        (_NOT_OTHERS, f"{APP_V2}test_h40_a_client_takes_out_no_more_than_came_in_through_it"),
    ),
    Mutant(
        "h40-coins-come-out-of-nowhere",
        _COINS,
        (
            (
                "        self._bank.send(ctx, self._escrow(port, channel), receiver, amount)\n",
                "        self._bank.mint(ctx, receiver, amount)\n",
            ),
        ),
        (_NOT_OTHERS, _NO_MORE),
    ),
    Mutant(
        "h40-a-packet-comes-from-any-channel",
        "handlers/packet/recv.py",
        (("    check_source(end_on_b, packet)\n", ""),),
        (f"{PACKETS}test_h40_a_packet_comes_from_the_other_end_of_its_channel",),
    ),
    Mutant(
        "h40-a-packet-went-to-any-channel",
        "handlers/packet/acknowledge.py",
        (("    check_destination(end_on_a, packet)\n", ""),),
        (f"{PACKETS}test_h40_an_answer_comes_from_the_other_end_of_its_channel",),
    ),
    Mutant(
        "h40-a-late-packet-went-to-any-channel",
        "handlers/packet/timeout.py",
        (("    check_destination(end_on_a, packet)\n", ""),),
        (f"{PACKETS}test_h40_a_receipt_that_another_channel_lacks_refunds_nothing",),
    ),
)

MUTANTS = (*H4, *H5, *H7, *H15, *H18, *H22, *H26, *H30, *H31, *H32, *H40)
