"""MsgUpdateParams of the host and MsgModuleQuerySafe (ICS-27)."""

from typing import Final

from ibc_core.application.services import Services
from ibc_core.errors import InvalidRequest, UnauthorizedTx, UnknownRequest
from ibc_core.host.context import WriteContext
from ibc_core.interchain_accounts.msg_module_query_safe import MsgModuleQuerySafe
from ibc_core.interchain_accounts.msg_update_host_params import MsgUpdateHostParams
from ibc_module.apps.interchain_accounts.params import HostParams, encode_host_params
from ibc_module.apps.interchain_accounts.state import AccountsState

_SAFE: Final = {
    "cosmos.auth.v1beta1": (
        "Accounts", "Account", "AccountAddressByID", "Params", "ModuleAccounts",
        "ModuleAccountByName", "AccountInfo",
    ),
    "cosmos.bank.v1beta1": (
        "Balance", "AllBalances", "SpendableBalances", "SpendableBalanceByDenom", "TotalSupply",
        "SupplyOf", "Params", "DenomsMetadata", "DenomMetadata", "DenomMetadataByQueryString",
        "DenomOwners", "DenomOwnersByQuery", "SendEnabled",
    ),
    "cosmos.staking.v1beta1": (
        "Validators", "Validator", "ValidatorDelegations", "ValidatorUnbondingDelegations",
        "Delegation", "UnbondingDelegation", "DelegatorDelegations",
        "DelegatorUnbondingDelegations", "Redelegations", "DelegatorValidators",
        "DelegatorValidator", "HistoricalInfo", "Pool", "Params",
    ),
    "ibc.core.client.v1": (
        "VerifyMembership",
    ),
}  # fmt: skip
SAFE_QUERIES: Final = frozenset(
    f"/{package}.Query/{name}" for package, names in _SAFE.items() for name in names
)
"""What the SDK and ibc-go mark as `module_query_safe`: every node gives the same answer, at the same gas."""


def update_params(ctx: WriteContext, msg: MsgUpdateHostParams, state: AccountsState, authority: str) -> bytes:
    """Writes the parameters.

    Runs on: B, the host.
    Proves: nothing.
    Writes: params.
    Emits: nothing.

    Raises:
        UnauthorizedTx: the signer is not the authority.
    """
    # guard: h160-anybody-sets-the-host-s-parameters test_host::test_the_authority_alone_sets_the_parameters
    if msg.signer != authority:
        raise UnauthorizedTx(f"invalid authority: expected {authority}, got {msg.signer}")
    state.set_params(ctx, encode_host_params(HostParams(msg.host_enabled, msg.allow_messages)))
    return msg.RESPONSE.encode(None)


def query_safe(ctx: WriteContext, msg: MsgModuleQuerySafe, services: Services) -> bytes:
    """Answers queries, whoever asks.

    Runs on: B, the host.
    Proves: nothing.
    Writes: nothing.
    Emits: nothing.

    Raises:
        InvalidRequest: a query that is not safe, or that the chain does not have.
        IbcError: a query's own error.
    """
    responses = []
    for request in msg.requests:
        # guard: h160-any-query-is-safe test_queries_that_no_account_asks
        if request.path not in SAFE_QUERIES:
            raise InvalidRequest(f"not module query safe: {request.path[:128]}")
        try:
            responses.append(services.messages.query(ctx, request.path, request.data))
        except UnknownRequest:
            raise InvalidRequest(f"no route to query: {request.path}") from None
    return msg.RESPONSE.encode((ctx.height.revision_height, responses))
