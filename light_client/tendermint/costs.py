"""Gas of a header, known before it is verified; ibc-go charges none (docs/adr/0010)."""

from ibc_core.host.gas import Prices
from light_client.tendermint.types import FLAG_COMMIT, ClientHeader


def price_of_header(prices: Prices, header: ClientHeader) -> int:
    """Gas of a header: every vote for its block may have to be verified, every validator is hashed."""
    votes = sum(sig.flag == FLAG_COMMIT for sig in header.commit.signatures)
    members = len(header.validator_set) + len(header.trusted_validators or ())
    return prices.signature * votes + prices.validator * members
