"""Guards of the relayer against attestors that lie, and that never answer."""

from tools.guards.mutant import Mutant

ATTESTED = "tests/road/test_attested_chains.py::"

H213 = (
    Mutant(
        "h213-whoever-signed-is-taken-for-the-attestor",
        "ibc_relayer/attestations/service.py",
        ((" or recover(signed_digest(tag, data), signature) != attestor.address:", ":"),),
        (f"{ATTESTED}test_h213_one_bad_attestor_of_three_spoils_nothing_and_two_are_named",),
    ),
    Mutant(
        "h213-whatever-was-signed-is-taken",
        "ibc_relayer/attestations/service.py",
        (("    if answer.attestation_data != data.hex():\n", "    if False:\n"),),
        (f"{ATTESTED}test_h213_one_bad_attestor_of_three_spoils_nothing_and_two_are_named",),
    ),
)

H214 = (
    Mutant(
        "h214-all-attestors-are-waited-for",
        "ibc_relayer/attestations/quorum.py",
        (("            pool.shutdown(wait=False, cancel_futures=True)\n", "            pool.shutdown()\n"),),
        (f"{ATTESTED}test_h214_an_attestor_that_never_answers_holds_nobody_up",),
    ),
)
