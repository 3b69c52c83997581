"""Import and export of genesis balances."""

from typing import Any

from ibc_core.address import AddressCodec
from ibc_core.coin import Coin, parse_amount
from ibc_core.errors import InvalidSdkCoins
from ibc_core.genesis.entries import InvalidGenesis
from ibc_core.host.context import ReadContext, WriteContext
from localnet.host.bank import BankKeeper
from localnet.host.bank_send import positive_coin
from localnet.host.genesis_parts import Entry, address, entries, text


def import_balances(ctx: WriteContext, keeper: BankKeeper, addresses: AddressCodec, part: Any) -> None:
    """Credits every balance of the `bank` section to its holder, in order.

    Raises:
        InvalidGenesis: an address or coin is invalid, or a supply reaches 2^256.
    """
    for key, entry in entries(part, "balances", "bank"):
        holder = address(entry, key, addresses)
        for coin_key, each in entries(entry, "coins", key):
            try:
                keeper.endow(ctx, holder, _coin(each, coin_key))
            except InvalidSdkCoins as error:
                raise InvalidGenesis(coin_key, dict(each), f"is refused: {error}") from None


def _coin(entry: Entry, key: str) -> Coin:
    """Raises InvalidGenesis, InvalidSdkCoins."""
    return positive_coin(text(entry, "denom", key), parse_amount(text(entry, "amount", key)))


def export_balances(ctx: ReadContext, keeper: BankKeeper, addresses: AddressCodec) -> list[dict[str, Any]]:
    """All balances, by address and denomination."""
    holders: dict[bytes, list[dict[str, str]]] = {}
    for holder, denom, amount in keeper.all_balances(ctx):
        holders.setdefault(holder, []).append({"denom": denom, "amount": str(amount)})
    return [{"address": addresses.encode(raw).text, "coins": coins} for raw, coins in holders.items()]
