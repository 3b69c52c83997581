"""Coins as a plugin of the host: store, genesis, MsgSend, queries, and the bank of ICS-20."""

from collections.abc import Mapping, Sequence
from typing import Any

from ibc_module import hookimpl
from ibc_module.core.address import AddressCodec
from ibc_module.core.application import Bank
from ibc_module.core.context import ReadContext, WriteContext
from ibc_module.hookspecs import MessageRoute, QueryRoute
from ibc_module.wire._generated.cosmos.bank.v1beta1 import query_pb2 as pb
from localnet.host.bank import STORE, BankKeeper
from localnet.host.bank_genesis import export_balances, import_balances
from localnet.host.bank_send import MSG_SEND, send_route
from localnet.host.requests import parse_request


class BankPlugin:
    """Hooks of the bank."""

    def __init__(self, keeper: BankKeeper, addresses: AddressCodec) -> None:
        self._keeper = keeper
        self._addresses = addresses

    @hookimpl
    def ibc_bank(self) -> Bank:
        """This host's coins."""
        return self._keeper

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Its store."""
        return (STORE,)

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """`cosmos.bank.v1beta1.MsgSend`."""
        return {MSG_SEND: send_route(self._keeper, self._addresses)}

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """`cosmos.bank.v1beta1.Query`: Balance, AllBalances, SupplyOf, TotalSupply."""
        return {
            "/cosmos.bank.v1beta1.Query/Balance": self._balance,
            "/cosmos.bank.v1beta1.Query/AllBalances": self._all_balances,
            "/cosmos.bank.v1beta1.Query/SupplyOf": self._supply_of,
            "/cosmos.bank.v1beta1.Query/TotalSupply": self._total_supply,
        }

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """`{"bank": {"balances": [{"address", "coins": [{"denom", "amount"}]}]}}`; amounts are text.

        Raises:
            InvalidGenesis: it is malformed or impossible.
        """
        import_balances(ctx, self._keeper, self._addresses, genesis.get("bank", {}))

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """All balances, by address and denomination."""
        return {"bank": {"balances": export_balances(ctx, self._keeper, self._addresses)}}

    def _balance(self, ctx: ReadContext, request: bytes) -> bytes:
        asked = parse_request(pb.QueryBalanceRequest, request)
        address = self._addresses.decode(asked.address, "address")
        response = pb.QueryBalanceResponse()
        response.balance.denom = asked.denom
        response.balance.amount = str(self._keeper.balance(ctx, address.raw, asked.denom))
        return response.SerializeToString(deterministic=True)

    def _all_balances(self, ctx: ReadContext, request: bytes) -> bytes:
        asked = parse_request(pb.QueryAllBalancesRequest, request)
        address = self._addresses.decode(asked.address, "address")
        response = pb.QueryAllBalancesResponse()
        for denom, amount in self._keeper.balances(ctx, address.raw):
            response.balances.add(denom=denom, amount=str(amount))
        response.pagination.total = len(response.balances)
        return response.SerializeToString(deterministic=True)

    def _supply_of(self, ctx: ReadContext, request: bytes) -> bytes:
        asked = parse_request(pb.QuerySupplyOfRequest, request)
        response = pb.QuerySupplyOfResponse()
        response.amount.denom = asked.denom
        response.amount.amount = str(self._keeper.supply(ctx, asked.denom))
        return response.SerializeToString(deterministic=True)

    def _total_supply(self, ctx: ReadContext, request: bytes) -> bytes:
        parse_request(pb.QueryTotalSupplyRequest, request)
        response = pb.QueryTotalSupplyResponse()
        for denom, amount in self._keeper.total_supply(ctx):
            response.supply.add(denom=denom, amount=str(amount))
        response.pagination.total = len(response.supply)
        return response.SerializeToString(deterministic=True)
