"""Light client guards: signatures, voting power, headers."""

from tools.guards.mutant import Mutant

EVIDENCE = "tests/unit/light_client/test_misbehaviour.py::"
CLIENTS = "tests/road/test_security_clients.py::"
TYPES = "tests/unit/light_client/test_types.py::"

H26 = (
    Mutant(
        "h26-an-address-is-not-its-keys",
        "light_client/tendermint/types.py",
        (("    if address_of(key_type, public_key) != address:", "    if False:"),),
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
        (("    if not 0 <= power <= MAX_I64:", "    if False:"),),
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
        "light_client/tendermint/voting.py",
        (("    if power <= needed:\n        raise NotEnoughPower(power, needed)\n", ""),),
        (f"{CLIENTS}test_h32_evidence_that_a_third_signed_does_not_freeze",),
    ),
    Mutant(
        "h32-evidence-needs-no-signatures",
        "light_client/tendermint/client.py",
        (("                misbehaviour.check_commits(decoded)\n", "                pass\n"),),
        (f"{EVIDENCE}test_h32_evidence_with_a_wrong_signature_does_not_freeze",),
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
