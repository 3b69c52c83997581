"""Balances of the genesis, in and out."""

from collections.abc import Iterable, Mapping
from typing import Any

from ibc_module.core.address import AddressCodec
from ibc_module.core.context import ReadContext, WriteContext
from localnet.host.bank import BankKeeper
from localnet.host.bank_send import parse_coin


def import_balances(
    ctx: WriteContext, keeper: BankKeeper, addresses: AddressCodec, entries: Iterable[Mapping[str, Any]]
) -> None:
    """Mints every balance to its holder, in order.

    Raises:
        InvalidSdkCoins: a coin is none, or a supply reaches 2^256.
        InvalidAddress: a holder is no address of this chain.
    """
    for entry in entries:
        holder = addresses.decode(entry["address"], "genesis balance")
        for each in entry["coins"]:
            keeper.endow(ctx, holder, parse_coin(each["denom"], each["amount"]))


def export_balances(ctx: ReadContext, keeper: BankKeeper, addresses: AddressCodec) -> list[dict[str, Any]]:
    """All balances by address, then denomination."""
    holders: dict[bytes, list[dict[str, str]]] = {}
    for address, denom, amount in keeper.all_balances(ctx):
        holders.setdefault(address, []).append({"denom": denom, "amount": str(amount)})
    return [{"address": addresses.encode(raw).text, "coins": coins} for raw, coins in holders.items()]
