"""Gas of a header, known before it is verified; ibc-go charges none (docs/adr/0010)."""

from ibc_core.host.gas import Prices
from light_client.tendermint.seen import SeenHeader
from light_client.tendermint.types import ClientHeader


def price_of_header(prices: Prices, header: ClientHeader | SeenHeader) -> int:
    """Gas of a header: every vote for its block may have to be verified, every validator is hashed."""
    return prices.signature * header.votes + prices.validator * header.members
