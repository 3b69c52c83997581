"""The bank plugin: store, genesis, messages, queries, and the `Bank` service that ICS-20 uses."""

from collections.abc import Mapping, Sequence
from typing import Any

from ibc_module import hookimpl
from pyibc.chain.bank.keeper import STORE, BankKeeper
from pyibc.chain.bank.queries import BankQueries
from pyibc.chain.bank.send import MSG_MULTI_SEND, MSG_SEND, multi_send_route, positive_coin, send_route
from pyibc.chain.config import Entry, address, entries, text
from pyibc.core.address import AddressCodec
from pyibc.core.application.services import Bank
from pyibc.core.coin import Coin, parse_amount
from pyibc.core.errors import InvalidSdkCoins, LogicFault
from pyibc.core.host.context import MessageRoute, QueryRoute, ReadContext, WriteContext
from pyibc.core.setup_error import InvalidGenesis
from pyibc.core.wire.requests import query_routes
from pyibc.isolation.isolate import builtin


def import_balances(ctx: WriteContext, keeper: BankKeeper, addresses: AddressCodec, part: Any) -> None:
    """Credit every balance of the `bank` section to its holder, in order.

    Raises:
        InvalidGenesis: an address or coin is invalid, or a supply reaches 2^256.
    """
    for key, entry in entries(part, "balances", "bank"):
        holder = address(entry, key, addresses)
        for coin_key, each in entries(entry, "coins", key):
            try:
                keeper.endow(ctx, holder, _coin(each, coin_key))
            except (InvalidSdkCoins, LogicFault) as error:
                raise InvalidGenesis(coin_key, dict(each), f"is refused: {error}") from None


def _coin(entry: Entry, key: str) -> Coin:
    """Parse a coin of the genesis; raise InvalidGenesis, InvalidSdkCoins."""
    return positive_coin(text(entry, "denom", key), parse_amount(text(entry, "amount", key)))


def export_balances(ctx: ReadContext, keeper: BankKeeper, addresses: AddressCodec) -> list[dict[str, Any]]:
    """Export all balances, by address and denomination."""
    holders: dict[bytes, list[dict[str, str]]] = {}
    for holder, denom, amount in keeper.all_balances(ctx):
        holders.setdefault(holder, []).append({"denom": denom, "amount": str(amount)})
    return [{"address": addresses.encode(raw).text, "coins": coins} for raw, coins in holders.items()]


@builtin
class BankPlugin:
    """Hook implementations for the bank."""

    def __init__(self, keeper: BankKeeper, addresses: AddressCodec) -> None:
        self._keeper = keeper
        self._addresses = addresses

    @hookimpl
    def ibc_bank(self) -> Bank:
        """Return the bank service that ICS-20 uses."""
        return self._keeper

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """The `bank` store."""
        return (STORE,)

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """`cosmos.bank.v1beta1`: MsgSend and MsgMultiSend."""
        return {
            MSG_SEND: send_route(self._keeper, self._addresses),
            MSG_MULTI_SEND: multi_send_route(self._keeper, self._addresses),
        }

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """`cosmos.bank.v1beta1.Query`."""
        return query_routes(BankQueries(self._keeper, self._addresses))

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Credit the balances of the `bank` section of the genesis.

        Format: `{"bank": {"balances": [{"address", "coins": [{"denom", "amount"}]}]}}`; amounts are strings.

        Raises:
            InvalidGenesis: the section is malformed, or a balance is invalid.
        """
        import_balances(ctx, self._keeper, self._addresses, genesis.get("bank", {}))

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Export all balances, in the format of `chain_init_genesis`."""
        return {"bank": {"balances": export_balances(ctx, self._keeper, self._addresses)}}
