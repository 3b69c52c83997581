"""Gas of verification, known before it is done; ibc-go charges none (docs/adr/0010)."""

from collections.abc import Sequence

from ibc_core.host.gas import Prices
from ibc_core.proofs import SDK_SPECS, ProofSpec
from light_client.tendermint.types import FLAG_COMMIT, ClientHeader


def price_of_header(prices: Prices, header: ClientHeader) -> int:
    """Gas of a header: every vote for its block may have to be verified, every validator is hashed."""
    votes = sum(sig.flag == FLAG_COMMIT for sig in header.commit.signatures)
    members = len(header.validator_set) + len(header.trusted_validators or ())
    return prices.signature * votes + prices.validator * members


def price_of_proof(prices: Prices, specs: Sequence[ProofSpec], proof: bytes) -> int:
    """Gas of a proof by the client's specifications, which whoever created the client chose."""
    if specs == SDK_SPECS:
        return prices.proof_byte * len(proof)
    children = sum(len(spec.inner_spec.child_order) for spec in specs if spec.inner_spec is not None)
    return prices.foreign_proof_byte * (len(proof) + children)
