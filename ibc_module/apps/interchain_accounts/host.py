"""The host's end of interchain accounts' channels (ICS-27, over ICS-26)."""

from ibc_core.address import Address, AddressCodec
from ibc_core.application.classic import AppAcknowledgement, IbcApp, Opened, Opening, Received
from ibc_core.application.packet_data import PacketData
from ibc_core.application.services import Accounts
from ibc_core.channel.types import ChannelState
from ibc_core.errors import (
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
)
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.module_account import derived_address, submodule_address
from ibc_core.host.shipped import shipped
from ibc_core.interchain_accounts.metadata import (
    Metadata,
    check_metadata,
    decode_metadata,
    default_metadata,
    encode_metadata,
)
from ibc_core.interchain_accounts.names import HOST_PORT, MODULE_NAME
from ibc_core.packet import acknowledgement as acks
from ibc_module.apps.interchain_accounts import events, packet_data
from ibc_module.apps.interchain_accounts.execution import Execution
from ibc_module.apps.interchain_accounts.params import host_params
from ibc_module.apps.interchain_accounts.state import (
    NOT_THE_OPENER,
    AccountsState,
    channel_of,
    find_channel,
    other_connection,
)

_NOT_THE_SENDER = "a host chain does not send a packet over the channel"
_ACCOUNTS = submodule_address(MODULE_NAME, b"icahost-accounts")


@shipped
class HostApp(IbcApp):
    """Makes accounts for owners of other chains, and executes what they send."""

    def __init__(
        self, state: AccountsState, accounts: Accounts, addresses: AddressCodec, execution: Execution
    ) -> None:
        self._state = state
        self._accounts = accounts
        self._addresses = addresses
        self._execution = execution

    # -- handshake

    def on_chan_open_init(self) -> str:
        """Refuses: the controller opens.

        Raises:
            InvalidChannelFlow.
        """
        raise InvalidChannelFlow(NOT_THE_OPENER)

    def on_chan_open_try(self, ctx: WriteContext, opening: Opening) -> str:
        """Makes the account, or finds it again; answers with the metadata and its address.

        Metadata that cannot be read are answered with the default.

        Raises:
            HostDisabled, InvalidHostPort: not for this end.
            UnsupportedEncoding, UnknownDataType, InvalidConnection, InvalidAccountAddress,
            InvalidAccountsVersion: bad metadata.
            ActiveChannelAlreadySet, InterchainAccountExists, InvalidAccountReopening: no account for it.
        """
        self._require_enabled(ctx)
        if opening.port_id != HOST_PORT:
            raise InvalidHostPort(opening.port_id)
        here, port_id = opening.connection_id, opening.counterparty.port_id
        far = other_connection(ctx, here)
        metadata = _proposed(opening.version, far, here)._replace(host_connection_id=here)
        check_metadata(metadata, far, here)
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
        # guard: h164-a-second-channel-for-the-account drop
        #   test_a_channel_is_opened_again_with_the_same_account_once_it_is_closed
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
        """An address that nobody can know before the block, to send coins or make an account there."""
        # guard: h164-an-address-that-everybody-knows drop:app_hash
        #   test_an_account_is_derived_with_the_header_s_app_hash
        key = f"{connection_id}{port_id}".encode() + ctx.app_hash
        return self._addresses.encode(derived_address(_ACCOUNTS, key))

    def on_chan_open_ack(self) -> None:
        """Refuses: the controller opens.

        Raises:
            InvalidChannelFlow.
        """
        raise InvalidChannelFlow(NOT_THE_OPENER)

    def on_chan_open_confirm(self, ctx: WriteContext, opened: Opened) -> None:
        """Notes the channel as the account's.

        Raises:
            HostDisabled.
        """
        self._require_enabled(ctx)
        connection_id = channel_of(ctx, opened.port_id, opened.channel_id).connection_id
        self._state.set_active_channel(ctx, connection_id, opened.counterparty.port_id, opened.channel_id)

    def on_chan_close_init(self) -> None:
        """Refuses: users do not close channels.

        Raises:
            InvalidRequest.
        """
        raise InvalidRequest("user cannot close channel")

    def on_chan_close_confirm(self) -> None:
        """The controller's end is closed; its owner may register again."""

    # -- packets

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement:
        """Executes the transaction, or answers with the error's code (never its text).

        Raises:
            OutOfGas, LogicFault, ApplicationFault: no verdict on the packet: the transaction fails.
        """
        channel_id = received.packet.channel_id_on_b
        if not host_params(self._state.params(ctx)).host_enabled:
            events.emit_host_disabled(ctx, channel_id)
            # guard: h160-a-host-that-is-off-executes pass test_off_it_executes_nothing
            return AppAcknowledgement(success=False, data=acks.failure(HostDisabled()))
        try:
            result = self._execution.run(ctx, received)
        # guard: h160-no-verdict-is-answered test_gas_that_runs_out_is_no_answer test_a_fault_is_no_answer
        except NO_VERDICT:
            raise
        except IbcError as error:
            events.emit_refused(ctx, "host_channel_id", channel_id, str(error))
            return AppAcknowledgement(success=False, data=acks.failure(error))
        events.emit_executed(ctx, channel_id)
        return AppAcknowledgement(success=True, data=acks.success(result))

    def on_acknowledgement_packet(self) -> None:
        """Refuses: the host sends nothing.

        Raises:
            InvalidChannelFlow.
        """
        raise InvalidChannelFlow(_NOT_THE_SENDER)

    def on_timeout_packet(self) -> None:
        """Refuses: the host sends nothing.

        Raises:
            InvalidChannelFlow.
        """
        raise InvalidChannelFlow(_NOT_THE_SENDER)

    def decode_packet_data(self, data: bytes) -> PacketData:
        """The owner, whom the controller's port names, the memo, and the transaction.

        Raises:
            InvalidType: it is no JSON of packet data.
        """
        return packet_data.told(data)

    def _require_enabled(self, ctx: ReadContext) -> None:
        if not host_params(self._state.params(ctx)).host_enabled:
            # guard: h160-a-host-that-is-off-opens {=> return} test_off_it_opens_nothing
            raise HostDisabled


def _proposed(version: str, controller_connection_id: str, host_connection_id: str) -> Metadata:
    try:
        return decode_metadata(version)
    except InvalidType:
        return default_metadata(controller_connection_id, host_connection_id)
