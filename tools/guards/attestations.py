"""Guards of the attestations client: who signed, for what, and what it says."""

from tools.guards.mutant import Mutant

CLIENT = "light_client/attestations/client.py"
SIGNED = "light_client/attestations/signatures.py"
STATES = "light_client/attestations/states.py"
ETHEREUM = "ibc_core/crypto/ethereum.py"
TESTS = "tests/unit/light_client/attestations/test_client.py::"
QUORUM = (f"{TESTS}test_h167_a_quorum_signs_and_nobody_else",)
MEMBERS = (f"{TESTS}test_membership_that_is_not_shown",)
ABSENT = (f"{TESTS}test_absence_that_is_not_shown",)
CREATED = (f"{TESTS}test_states_that_cannot_be",)
MESSAGES = (f"{TESTS}test_messages_that_cannot_be",)
FROZEN = (f"{TESTS}test_h167_two_times_of_a_height_freeze_for_ever",)


def _off(name: str, file: str, condition: str, tests: tuple[str, ...]) -> Mutant:
    """A guard whose condition never holds."""
    indent, keyword, _ = condition.partition("if ")
    return Mutant(f"h167-{name}", file, ((condition, f"{indent}{keyword}False:"),), tests)


H167 = (
    _off("no-signatures-needed", SIGNED, "    if not proof.signatures:", MEMBERS),
    _off("no-quorum", SIGNED, "    if len(proof.signatures) < state.min_required_sigs:", QUORUM),
    Mutant(
        "h167-a-signature-of-nobody",
        SIGNED,
        (
            (
                '            raise InvalidAttestorSignature(f"no public key recovered from signature {number}")',
                "            continue",
            ),
        ),
        QUORUM,
    ),
    _off("one-attestor-twice", SIGNED, "        if signer in seen:", QUORUM),
    _off("a-stranger-signs", SIGNED, "        if signer not in known:", QUORUM),
    Mutant(
        "h167-what-is-signed-has-no-tag",
        "light_client/attestations/attested.py",
        (("sha256(tag + sha256(data).digest())", "sha256(sha256(data).digest())"),),
        QUORUM,
    ),
    Mutant(
        "h167-signatures-cost-nothing",
        CLIENT,
        (("        ctx.gas.consume(self._price * len(proof.signatures))\n", ""),),
        (f"{TESTS}test_signatures_are_paid_for_before_they_are_looked_at",),
    ),
    _off("a-quorum-of-none", STATES, "    if state.min_required_sigs == 0:", CREATED),
    _off("a-quorum-above-all", STATES, "    if state.min_required_sigs > count:", CREATED),
    _off("an-attestor-twice-in-the-state", STATES, "    if len(attestors(state)) != count:", CREATED),
    _off("no-attestation-at-all", CLIENT, "        if not is_attestation(proof.attestation_data):", MESSAGES),
    _off("an-update-without-signatures", CLIENT, "        if not proof.signatures:", MESSAGES),
    _off(
        "signatures-of-any-size",
        CLIENT,
        "            if len(signature) != ethereum.SIGNATURE_SIZE:",
        MESSAGES,
    ),
    _off("a-frozen-client-acts", CLIENT, "    if state.is_frozen:", FROZEN),
    Mutant(
        "h167-two-times-of-a-height",
        CLIENT,
        (("        return known is not None and known != attested.time_ns", "        return False"),),
        FROZEN,
    ),
    _off("of-another-height", CLIENT, "        if packets.height != claim.height.revision_height:", MEMBERS),
    _off("of-no-packets", CLIENT, "        if not packets.packets:", MEMBERS),
    _off(
        "a-path-of-several-parts",
        CLIENT,
        "        if len(claim.path) != 1 or not claim.path[0]:",
        (*MEMBERS, *ABSENT),
    ),
    _off("a-value-of-any-size", CLIENT, "        if len(claim.value) != COMMITMENT_SIZE:", MEMBERS),
    _off("a-value-that-nobody-attested", CLIENT, "        if claim.value not in packets.at(path):", MEMBERS),
    _off("absence-that-nobody-attested", CLIENT, "        if not found:", ABSENT),
    _off("absence-of-what-is-there", CLIENT, "        if found != {ABSENT}:", ABSENT),
    Mutant(
        "h167-the-time-of-any-height",
        CLIENT,
        (("        _time(ctx, client_id, claim.height)\n", ""),),
        (*MEMBERS, *ABSENT),
    ),
    Mutant(
        "h167-a-genesis-refuses-what-was-attested",
        CLIENT,
        (
            (
                "        states.decode_consensus_state(consensus_state)\n\n    def check_message",
                "        self.check_consensus_state(consensus_state)\n\n    def check_message",
            ),
        ),
        (f"{TESTS}test_h167_what_was_attested_comes_back_from_a_genesis",),
    ),
    _off(
        "signatures-of-any-length",
        ETHEREUM,
        "    if len(signature) != SIGNATURE_SIZE:",
        ("tests/unit/ibc_core/crypto/test_ethereum.py::test_what_is_no_signature",),
    ),
)
