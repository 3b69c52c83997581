"""Msg service of the host: MsgUpdateParams and MsgModuleQuerySafe (ICS-27)."""

from typing import Final

from pyibc.apps.interchain_accounts.messages import MsgModuleQuerySafe, MsgUpdateHostParams
from pyibc.apps.interchain_accounts.state import AccountsState, HostParams, encode_host_params
from pyibc.core.application.services import Services
from pyibc.core.errors import InvalidRequest, UnauthorizedTx, UnknownRequest
from pyibc.core.host.context import WriteContext
from pyibc.isolation.limits import MAX_RESPONSE, check_size

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
"""Queries that the SDK and ibc-go mark `module_query_safe`: deterministic in response and gas."""


def update_params(ctx: WriteContext, msg: MsgUpdateHostParams, state: AccountsState, authority: str) -> bytes:
    """Replace the parameters.

    Runs on: B, the host. Proves: nothing. Writes: params. Emits: nothing.

    Raises:
        UnauthorizedTx: the signer is not the authority.
    """
    # guard: h160-anybody-sets-the-host-s-parameters test_host::test_the_authority_alone_sets_the_parameters
    if msg.signer != authority:
        raise UnauthorizedTx(f"invalid authority: expected {authority}, got {msg.signer}")
    state.set_params(ctx, encode_host_params(HostParams(msg.host_enabled, msg.allow_messages)))
    return msg.RESPONSE.encode(None)


def query_safe(ctx: WriteContext, msg: MsgModuleQuerySafe, services: Services) -> bytes:
    """Execute queries in the block; anyone may ask.

    Runs on: B, the host. Proves: nothing. Writes: nothing. Emits: nothing.

    Raises:
        InvalidRequest: a query is not safe, or the chain does not have it.
        TooLarge: the responses exceed the size of a message's response.
        IbcError: a query failed.
    """
    responses, size = [], 0
    for request in msg.requests:
        # guard: h160-any-query-is-safe test_queries_that_no_account_asks
        if request.path not in SAFE_QUERIES:
            raise InvalidRequest(f"not module query safe: {request.path[:128]}")
        try:
            response = services.messages.query(ctx, request.path, request.data)
        except UnknownRequest:
            raise InvalidRequest(f"no route to query: {request.path}") from None
        size += len(response)
        # guard: h246-queries-without-end drop test_h246_queries_end_where_their_responses_are_too_large
        check_size("responses", size, MAX_RESPONSE)
        responses.append(response)
    return msg.RESPONSE.encode((ctx.height.revision_height, responses))
