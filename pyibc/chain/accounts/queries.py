"""The gRPC service `cosmos.auth.v1beta1.Query`: accounts and parameters."""

from pyibc.chain.accounts.keeper import ACCOUNTS, MODULE_TYPE_URL, STORE, Accounts, decode_account
from pyibc.chain.config import HostConfig, module_address
from pyibc.core.address import AddressCodec
from pyibc.core.errors import InvalidRequest, NotFound, UnknownAccount
from pyibc.core.host.context import ReadContext
from pyibc.core.wire.requests import paginate
from pyibc.proto.cosmos.auth.v1beta1 import auth_pb2
from pyibc.proto.cosmos.auth.v1beta1 import query_pb2 as pb
from pyibc.proto.google.protobuf.any_pb2 import Any as PbAny

_ED25519_GAS = 590  # the SDK's default; this host accepts no ed25519 signatures


class AuthQueries:
    """Query service for one chain's accounts."""

    def __init__(self, accounts: Accounts, addresses: AddressCodec, config: HostConfig) -> None:
        self._accounts = accounts
        self._addresses = addresses
        self._config = config

    def account(self, ctx: ReadContext, request: pb.QueryAccountRequest) -> pb.QueryAccountResponse:
        """Return the account at an address. Raises InvalidAddress, UnknownAccount."""
        response = pb.QueryAccountResponse()
        response.account.ParseFromString(self._encoded(ctx, request.address))
        return response

    def all_accounts(self, ctx: ReadContext, request: pb.QueryAccountsRequest) -> pb.QueryAccountsResponse:
        """Return a page of accounts, in address order. Raises InvalidRequest."""
        found, page = paginate(
            ctx.reader(STORE).iterate, ACCOUNTS, request.pagination, lambda _, raw: raw, bool
        )
        response = pb.QueryAccountsResponse(pagination=page)
        for raw in found:
            response.accounts.add().ParseFromString(raw)
        return response

    def account_info(
        self, ctx: ReadContext, request: pb.QueryAccountInfoRequest
    ) -> pb.QueryAccountInfoResponse:
        """Return an account as BaseAccount. Raises InvalidAddress, UnknownAccount."""
        response = pb.QueryAccountInfoResponse()
        packed = PbAny.FromString(self._encoded(ctx, request.address))
        if packed.type_url == MODULE_TYPE_URL:
            response.info.CopyFrom(auth_pb2.ModuleAccount.FromString(packed.value).base_account)
        else:
            response.info.ParseFromString(packed.value)
        return response

    def address_by_id(
        self, ctx: ReadContext, request: pb.QueryAccountAddressByIDRequest
    ) -> pb.QueryAccountAddressByIDResponse:
        """Return the address with an account number. Raises NotFound; InvalidRequest for the removed `id`."""
        if request.id:
            raise InvalidRequest("id is no longer supported: use account_id")
        for _, account in self._accounts.all(ctx):
            if account.number == request.account_id:
                return pb.QueryAccountAddressByIDResponse(account_address=account.address)
        raise NotFound(f"account number {request.account_id}")

    def bech32_prefix(self, _ctx: ReadContext, _request: pb.Bech32PrefixRequest) -> pb.Bech32PrefixResponse:
        """Return the bech32 prefix of the chain's addresses."""
        return pb.Bech32PrefixResponse(bech32_prefix=self._addresses.prefix)

    def module_accounts(
        self, ctx: ReadContext, _request: pb.QueryModuleAccountsRequest
    ) -> pb.QueryModuleAccountsResponse:
        """Return the existing module accounts, by name; each is created when it first receives coins."""
        names = sorted(self._config.module_accounts)
        found = [account for name in names if (account := self._module(ctx, name)) is not None]
        return pb.QueryModuleAccountsResponse(accounts=[_as_any(account) for account in found])

    def module_account_by_name(
        self, ctx: ReadContext, request: pb.QueryModuleAccountByNameRequest
    ) -> pb.QueryModuleAccountByNameResponse:
        """Return the account of a module. Raises NotFound, InvalidRequest."""
        if not request.name:
            raise InvalidRequest("module name is empty")
        known = request.name in self._config.module_accounts
        account = self._module(ctx, request.name) if known else None
        if account is None:
            raise NotFound(f"account {request.name[:64]}")
        return pb.QueryModuleAccountByNameResponse(account=_as_any(account))

    def params(self, _ctx: ReadContext, _request: pb.QueryParamsRequest) -> pb.QueryParamsResponse:
        """Return the host's limits and gas costs that correspond to the SDK's auth parameters."""
        limits, gas = self._config.limits, self._config.gas
        return pb.QueryParamsResponse(
            params=auth_pb2.Params(
                max_memo_characters=limits.memo_bytes,
                tx_sig_limit=limits.signatures,
                tx_size_cost_per_byte=gas.tx_byte,
                sig_verify_cost_ed25519=_ED25519_GAS,
                sig_verify_cost_secp256k1=gas.signature,
            )
        )

    def _encoded(self, ctx: ReadContext, text: str) -> bytes:
        raw = self._accounts.encoded(ctx, self._addresses.decode(text, "address").raw)
        if raw is None:
            raise UnknownAccount(text)
        return raw

    def _module(self, ctx: ReadContext, name: str) -> auth_pb2.ModuleAccount | None:
        raw = self._accounts.encoded(ctx, module_address(name))
        if raw is None:
            return None
        account = decode_account(raw)
        base = auth_pb2.BaseAccount(
            address=account.address, account_number=account.number, sequence=account.sequence
        )
        return auth_pb2.ModuleAccount(base_account=base, name=name)


def _as_any(account: auth_pb2.ModuleAccount) -> PbAny:
    return PbAny(type_url=MODULE_TYPE_URL, value=account.SerializeToString(deterministic=True))
