"""The gRPC service `cosmos.bank.v1beta1.Query`. No coins are locked, so all balances are spendable."""

from pyibc.chain.bank.keeper import BALANCES, STORE, SUPPLY, BankKeeper, holder_prefix
from pyibc.core.address import Address, AddressCodec
from pyibc.core.coin import is_denom
from pyibc.core.errors import InvalidRequest, NotFound
from pyibc.core.host.context import ReadContext
from pyibc.core.wire.requests import paginate
from pyibc.proto.cosmos.bank.v1beta1 import bank_pb2
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2 as pb
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest, PageResponse
from pyibc.proto.cosmos.base.v1beta1.coin_pb2 import Coin


class BankQueries:
    """Query service for one chain's balances."""

    def __init__(self, keeper: BankKeeper, addresses: AddressCodec) -> None:
        self._keeper = keeper
        self._addresses = addresses

    def balance(self, ctx: ReadContext, request: pb.QueryBalanceRequest) -> pb.QueryBalanceResponse:
        """Return an account's balance of one denomination, zero included."""
        return pb.QueryBalanceResponse(balance=self._held(ctx, request.address, request.denom))

    def all_balances(
        self, ctx: ReadContext, request: pb.QueryAllBalancesRequest
    ) -> pb.QueryAllBalancesResponse:
        """Return a page of an account's balances, by denomination."""
        coins, page = self._balances(ctx, request.address, request.pagination)
        return pb.QueryAllBalancesResponse(balances=coins, pagination=page)

    def spendable(
        self, ctx: ReadContext, request: pb.QuerySpendableBalancesRequest
    ) -> pb.QuerySpendableBalancesResponse:
        """Return a page of an account's spendable balances: all of its balances."""
        coins, page = self._balances(ctx, request.address, request.pagination)
        return pb.QuerySpendableBalancesResponse(balances=coins, pagination=page)

    def spendable_by_denom(
        self, ctx: ReadContext, request: pb.QuerySpendableBalanceByDenomRequest
    ) -> pb.QuerySpendableBalanceByDenomResponse:
        """Return an account's spendable balance of one denomination: the same as Balance."""
        held = self._held(ctx, request.address, request.denom)
        return pb.QuerySpendableBalanceByDenomResponse(balance=held)

    def supply_of(self, ctx: ReadContext, request: pb.QuerySupplyOfRequest) -> pb.QuerySupplyOfResponse:
        """Return the total supply of one denomination."""
        denom = _denom(request.denom)
        amount = str(self._keeper.supply(ctx, denom))
        return pb.QuerySupplyOfResponse(amount=Coin(denom=denom, amount=amount))

    def total_supply(
        self, ctx: ReadContext, request: pb.QueryTotalSupplyRequest
    ) -> pb.QueryTotalSupplyResponse:
        """Return a page of the supply of all denominations."""
        coins, page = paginate(ctx.reader(STORE).iterate, SUPPLY, request.pagination, _coin, bool)
        return pb.QueryTotalSupplyResponse(supply=coins, pagination=page)

    def params(self, _ctx: ReadContext, _request: pb.QueryParamsRequest) -> pb.QueryParamsResponse:
        """Return the bank's parameters: sending is enabled for every denomination."""
        return pb.QueryParamsResponse(params=bank_pb2.Params(default_send_enabled=True))

    def denom_metadata(
        self, _ctx: ReadContext, request: pb.QueryDenomMetadataRequest
    ) -> pb.QueryDenomMetadataResponse:
        """Raise NotFound: this host stores no denomination metadata."""
        raise NotFound(f"client metadata for denom {_denom(request.denom)}")

    def denoms_metadata(
        self, _ctx: ReadContext, _request: pb.QueryDenomsMetadataRequest
    ) -> pb.QueryDenomsMetadataResponse:
        """Return an empty page: this host stores no denomination metadata."""
        return pb.QueryDenomsMetadataResponse(pagination=PageResponse())

    def denom_owners(
        self, ctx: ReadContext, request: pb.QueryDenomOwnersRequest
    ) -> pb.QueryDenomOwnersResponse:
        """Return a page of the accounts that hold a denomination, by address; scans all balances."""
        denom = _denom(request.denom).encode()

        def read(below: bytes, raw: bytes) -> pb.DenomOwner | None:
            end = 1 + below[0]
            if below[end:] != denom:
                return None
            owner = self._addresses.encode(below[1:end]).text
            return pb.DenomOwner(address=owner, balance=_coin(denom, raw))

        owners, page = paginate(
            ctx.reader(STORE).iterate, BALANCES, request.pagination, read, lambda key: key.endswith(denom)
        )
        return pb.QueryDenomOwnersResponse(denom_owners=owners, pagination=page)

    def _held(self, ctx: ReadContext, address: str, denom: str) -> Coin:
        holder = self._addresses.decode(address, "address")
        return Coin(denom=denom, amount=str(self._keeper.balance(ctx, holder.raw, _denom(denom))))

    def _balances(self, ctx: ReadContext, address: str, page: PageRequest) -> tuple[list[Coin], PageResponse]:
        holder: Address = self._addresses.decode(address, "address")
        return paginate(ctx.reader(STORE).iterate, holder_prefix(holder.raw), page, _coin, bool)


def _coin(denom: bytes, raw: bytes) -> Coin:
    return Coin(denom=denom.decode(), amount=str(int.from_bytes(raw, "big")))


def _denom(text: str) -> str:
    if not is_denom(text):
        raise InvalidRequest(f"invalid denom: {text[:128]!a}")
    return text
