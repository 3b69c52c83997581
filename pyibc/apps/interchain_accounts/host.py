"""Host of interchain accounts (ICS-27): application on port `icahost`, and its messages."""

from typing import Final

from pyibc.apps.interchain_accounts import execution as events
from pyibc.apps.interchain_accounts import packet_data
from pyibc.apps.interchain_accounts.execution import TxExecutor
from pyibc.apps.interchain_accounts.messages import MsgModuleQuerySafe, MsgUpdateHostParams
from pyibc.apps.interchain_accounts.packet_data import (
    HOST_PORT,
    MODULE_NAME,
    Metadata,
    check_metadata,
    decode_metadata,
    default_metadata,
    encode_metadata,
)
from pyibc.apps.interchain_accounts.state import (
    CONTROLLER_INITIATES,
    AccountsState,
    HostParams,
    counterparty_connection,
    encode_host_params,
    find_channel,
    get_channel,
    host_params,
)
from pyibc.core.address import Address, AddressCodec, derived_address, submodule_address
from pyibc.core.application.classic import AppAcknowledgement, IbcApp, Opened, Opening, Received
from pyibc.core.application.packet_data import PacketData
from pyibc.core.application.services import Accounts, Services
from pyibc.core.channel.types import ChannelState
from pyibc.core.errors import (
    NO_VERDICT,
    ActiveChannelAlreadySet,
    HostDisabled,
    IbcError,
    InterchainAccountExists,
    InvalidAccountReopening,
    InvalidChannelFlow,
    InvalidHostPort,
    InvalidRequest,
    InvalidType,
    LogicFault,
    UnauthorizedTx,
    UnknownRequest,
)
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet import acknowledgement as acks
from pyibc.isolation.isolate import builtin
from pyibc.isolation.limits import MAX_RESPONSE, check_size

_NOT_THE_SENDER = "a host chain does not send a packet over the channel"
_ACCOUNTS = submodule_address(MODULE_NAME, b"icahost-accounts")


@builtin
class HostApp(IbcApp):
    """Creates accounts for owners on other chains and executes their transactions."""

    def __init__(
        self, state: AccountsState, accounts: Accounts, addresses: AddressCodec, executor: TxExecutor
    ) -> None:
        self._state = state
        self._accounts = accounts
        self._addresses = addresses
        self._executor = executor

    # -- handshake

    def on_chan_open_init(self) -> str:
        """Refuse: only the controller starts the handshake.

        Raises:
            InvalidChannelFlow: always.
        """
        raise InvalidChannelFlow(CONTROLLER_INITIATES)

    def on_chan_open_try(self, ctx: WriteContext, opening: Opening) -> str:
        """Create or reuse the account; return the metadata with its address.

        Malformed metadata is replaced by the default.

        Raises:
            HostDisabled: the parameters disable the host.
            InvalidHostPort: the port is not `icahost`.
            UnsupportedEncoding, UnknownDataType, InvalidConnection, InvalidAccountAddress,
                InvalidAccountsVersion: the metadata does not fit the connection.
            ActiveChannelAlreadySet: the account has a channel that is not closed.
            InterchainAccountExists, InvalidAccountReopening: the address belongs to another account.
        """
        self._require_enabled(ctx)
        if opening.port_id != HOST_PORT:
            raise InvalidHostPort(opening.port_id)
        here, port_id = opening.connection_id, opening.counterparty.port_id
        counterparty_id = counterparty_connection(ctx, here)
        metadata = _proposed(opening.version, counterparty_id, here)._replace(host_connection_id=here)
        check_metadata(metadata, counterparty_id, here)
        self._require_closed(ctx, here, port_id)
        address = self._account(ctx, here, port_id)
        return encode_metadata(metadata._replace(address=address))

    def _require_closed(self, ctx: ReadContext, connection_id: str, port_id: str) -> None:
        active = self._state.active_channel(ctx, connection_id, port_id)
        if active is None:
            return
        before = find_channel(ctx, HOST_PORT, active)
        if before is None:
            raise LogicFault(f"the active channel {active} of {port_id} does not exist")
        # guard: h164-a-second-channel-for-the-account drop test_a_transcript_is_followed_to_its_last_block
        if before.state is not ChannelState.CLOSED:
            raise ActiveChannelAlreadySet(active, port_id)

    def _account(self, ctx: WriteContext, connection_id: str, port_id: str) -> str:
        known = self._state.address(ctx, connection_id, port_id)
        if known is not None:
            account = self._accounts.get(ctx, self._addresses.decode(known, "address").raw)
            # guard: h164-any-account-is-opened-again test_h164_an_account_of_another_kind_is_not_opened_again
            if account is None or not account.owner:
                raise InvalidAccountReopening(known)
            return known
        address = self._new_address(ctx, connection_id, port_id)
        if self._accounts.get(ctx, address.raw) is not None:
            # guard: h164-an-account-that-is-there {=> return address.text}
            #   test_h164_an_account_that_is_there_already_is_nobody_s
            raise InterchainAccountExists(address.text)
        self._accounts.create(ctx, address, owner=port_id)
        self._state.set_address(ctx, connection_id, port_id, address.text)
        return address.text

    def _new_address(self, ctx: ReadContext, connection_id: str, port_id: str) -> Address:
        """Derive an address that is unpredictable before the block, so that nobody can fund or occupy it."""
        # guard: h164-an-address-that-everybody-knows drop:app_hash
        #   test_an_account_is_derived_with_the_header_s_app_hash
        key = f"{connection_id}{port_id}".encode() + ctx.app_hash
        return self._addresses.encode(derived_address(_ACCOUNTS, key))

    def on_chan_open_ack(self) -> None:
        """Refuse: only the controller starts the handshake.

        Raises:
            InvalidChannelFlow: always.
        """
        raise InvalidChannelFlow(CONTROLLER_INITIATES)

    def on_chan_open_confirm(self, ctx: WriteContext, opened: Opened) -> None:
        """Store the account's active channel.

        Raises:
            HostDisabled: the parameters disable the host.
        """
        self._require_enabled(ctx)
        connection_id = get_channel(ctx, opened.port_id, opened.channel_id).connection_id
        self._state.set_active_channel(ctx, connection_id, opened.counterparty.port_id, opened.channel_id)

    def on_chan_close_init(self) -> None:
        """Refuse: users cannot close a channel.

        Raises:
            InvalidRequest: always.
        """
        raise InvalidRequest("user cannot close channel")

    def on_chan_close_confirm(self) -> None:
        """Accept: the controller closed its end. The owner may register again."""

    # -- packets

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement:
        """Execute the transaction, or acknowledge with the error's codespace and code, never its text.

        Raises:
            OutOfGas, LogicFault, ApplicationFault: the transaction fails and the packet stays unreceived.
        """
        channel_id = received.packet.channel_id_on_b
        if not host_params(self._state.params(ctx)).host_enabled:
            events.emit_host_disabled(ctx, channel_id)
            # guard: h160-a-host-that-is-off-executes pass test_off_it_executes_nothing
            return AppAcknowledgement(success=False, data=acks.failure(HostDisabled()))
        try:
            result = self._executor.execute(ctx, received)
        # guard: h160-no-verdict-is-answered test_gas_that_runs_out_is_no_answer test_a_fault_is_no_answer
        except NO_VERDICT:
            raise
        except IbcError as error:
            events.emit_refused(ctx, "host_channel_id", channel_id, str(error))
            return AppAcknowledgement(success=False, data=acks.failure(error))
        events.emit_executed(ctx, channel_id)
        return AppAcknowledgement(success=True, data=acks.success(result))

    def on_acknowledgement_packet(self) -> None:
        """Refuse: the host sends no packets.

        Raises:
            InvalidChannelFlow: always.
        """
        raise InvalidChannelFlow(_NOT_THE_SENDER)

    def on_timeout_packet(self) -> None:
        """Refuse: the host sends no packets.

        Raises:
            InvalidChannelFlow: always.
        """
        raise InvalidChannelFlow(_NOT_THE_SENDER)

    def decode_packet_data(self, data: bytes) -> PacketData:
        """Return owner (from the controller's port), memo and transaction.

        Raises:
            InvalidType: it is not packet data in JSON.
        """
        return packet_data.to_packet_data(data)

    def _require_enabled(self, ctx: ReadContext) -> None:
        if not host_params(self._state.params(ctx)).host_enabled:
            # guard: h160-a-host-that-is-off-opens {=> return} test_off_it_opens_nothing
            raise HostDisabled


def _proposed(version: str, controller_connection_id: str, host_connection_id: str) -> Metadata:
    try:
        return decode_metadata(version)
    except InvalidType:
        return default_metadata(controller_connection_id, host_connection_id)


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
