"""Proof guards: every byte is significant, nodes are not leaves, and stores are distinct."""

from tools.guards.mutant import Mutant

ROAD = "tests/road/test_security_proofs.py::"
UNIT = "tests/unit/handlers/packet/"
RECV = f"{UNIT}test_recv.py::"
PROOFS = "tests/unit/ibc_core/proofs/test_chain.py::"
OPS = "tests/unit/ibc_core/proofs/test_ops.py::"
FORGED = "tests/unit/ibc_core/proofs/test_forgeries.py::"

_CHAIN, _VERIFY, _FAST = (
    "ibc_core/proofs/chain.py",
    "ibc_core/proofs/verify.py",
    "ibc_core/proofs/fast.py",
)
_CHECKS = "ibc_core/proofs/checks.py"
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
        _FAST,
        (("    if _leaf_header(proof, start, stop) is None:", "    if False:"),),
        (_NODE_AS_LEAF,),
    ),
    Mutant(
        "h18-fast-path-takes-any-leaf-operation",
        _FAST,
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
        _FAST,
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
        _FAST,
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
        _FAST,
        (
            ("tail is not None and tail.steps == proof[at:end]:", "tail is not None:"),
            ("(tail is None and at != end)", "False"),
        ),
        (f"{PROOFS}test_h22_garbage_above_a_known_node_is_refused_on_a_warm_node",),
    ),
    Mutant(
        "h23-packets-need-no-proof",
        "keepers/connection/keeper.py",
        (
            (
                "value, delay_ns, blocks)\n        return self._clients.verify_membership(",
                "value, delay_ns, blocks)\n        return None and self._clients.verify_membership(",
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
        "keepers/connection/keeper.py",
        (
            (
                "self._clients.verify_non_membership(ctx, end.client_id, claim)",
                "None",
            ),
        ),
        (
            f"{ROAD}test_h23_an_absence_in_another_store_is_refused",
            f"{UNIT}test_timeout.py::test_h18_a_bit_flipped_anywhere_in_the_proof_is_refused",
        ),
    ),
)
