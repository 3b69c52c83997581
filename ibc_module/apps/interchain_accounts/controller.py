"""The controller's end of interchain accounts' channels (ICS-27, over ICS-26)."""

from ibc_core.application.classic import (
    Acknowledged,
    AppAcknowledgement,
    BoundApp,
    Closing,
    IbcApp,
    Opened,
    Opening,
    Received,
    TimedOut,
)
from ibc_core.application.packet_data import PacketData
from ibc_core.channel.types import ChannelState
from ibc_core.errors import (
    ActiveChannelAlreadySet,
    ControllerDisabled,
    InvalidAccountAddress,
    InvalidAccountsVersion,
    InvalidChannelFlow,
    InvalidChannelOrdering,
    InvalidControllerPort,
    InvalidHostPort,
    InvalidRequest,
    LogicFault,
)
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.shipped import shipped
from ibc_core.identifiers import is_blank
from ibc_core.interchain_accounts.metadata import (
    Metadata,
    check_metadata,
    decode_metadata,
    default_metadata,
    encode_metadata,
    is_same_but_for_address,
)
from ibc_core.interchain_accounts.names import CONTROLLER_PREFIX, HOST_PORT
from ibc_core.packet import acknowledgement as acks
from ibc_module.apps.interchain_accounts import events, packet_data
from ibc_module.apps.interchain_accounts.params import controller_params
from ibc_module.apps.interchain_accounts.state import (
    NOT_THE_OPENER,
    AccountsState,
    channel_of,
    find_channel,
    is_in_state,
    other_connection,
)


@shipped
class ControllerApp(IbcApp):
    """Opens channels and sends over them; an application below it, if there is one, may watch."""

    def __init__(self, state: AccountsState, below: BoundApp | None) -> None:
        self._state = state
        self._below = below

    # -- handshake

    def on_chan_open_init(self, ctx: WriteContext, opening: Opening) -> str:
        """Proposes the metadata, by default for transactions in protobuf.

        Raises:
            ControllerDisabled, InvalidControllerPort, InvalidHostPort, InvalidType: not for this end.
            UnsupportedEncoding, UnknownDataType, InvalidConnection, InvalidAccountAddress,
            InvalidAccountsVersion: bad metadata.
            ActiveChannelAlreadySet, InvalidChannelOrdering, InvalidAccountsVersion: the owner's channel is
                open, or was another one.
        """
        self._require_enabled(ctx)
        # guard: h161-any-port-is-a-controller test_controller::test_what_it_does_not_open
        if not opening.port_id.startswith(CONTROLLER_PREFIX):
            raise InvalidControllerPort(opening.port_id)
        # guard: h161-any-port-is-a-host test_controller::test_what_it_does_not_open
        if opening.counterparty.port_id != HOST_PORT:
            raise InvalidHostPort(opening.counterparty.port_id)
        far = other_connection(ctx, opening.connection_id)
        metadata = (
            default_metadata(opening.connection_id, far)
            if is_blank(opening.version)
            else decode_metadata(opening.version)
        )
        check_metadata(metadata, opening.connection_id, far)
        self._check_reopening(ctx, opening, metadata)
        version = encode_metadata(metadata)
        below = self._told(ctx, opening.port_id, opening.connection_id)
        if below is not None:
            below.on_chan_open_init(ctx, opening._replace(version=version))
        return version

    def _check_reopening(self, ctx: ReadContext, opening: Opening, metadata: Metadata) -> None:
        active = self._state.active_channel(ctx, opening.connection_id, opening.port_id)
        if active is None:
            return
        before = find_channel(ctx, opening.port_id, active)
        if before is None:
            raise LogicFault(f"the active channel {active} of {opening.port_id} does not exist")
        # guard: h161-a-second-channel-is-opened test_h161_a_channel_that_is_not_closed_is_the_only_one
        if before.state is not ChannelState.CLOSED:
            raise ActiveChannelAlreadySet(active, opening.port_id)
        # guard: h161-another-order-is-opened-again test_a_closed_channel_is_opened_again_in_the_same_way
        if before.ordering is not opening.order:
            raise InvalidChannelOrdering(before.ordering.text, opening.order.text)
        # guard: h161-other-metadata-are-opened-again test_a_closed_channel_is_opened_again_in_the_same_way
        if not is_same_but_for_address(before.version, metadata):
            raise InvalidAccountsVersion("the metadata differs from that of the channel before")

    def on_chan_open_try(self) -> str:
        """Refuses: the controller opens.

        Raises:
            InvalidChannelFlow.
        """
        raise InvalidChannelFlow(NOT_THE_OPENER)

    def on_chan_open_ack(self, ctx: WriteContext, opened: Opened) -> None:
        """Notes the channel and the account that the host made.

        Raises:
            ControllerDisabled, InvalidControllerPort, ActiveChannelAlreadySet, ...: as for the first step.
            InvalidAccountAddress: the host names no account.
        """
        self._require_enabled(ctx)
        port_id, channel_id = opened.port_id, opened.channel_id
        if not port_id.startswith(CONTROLLER_PREFIX):
            raise InvalidControllerPort(port_id)
        metadata = decode_metadata(opened.version)
        active = self._state.active_channel(ctx, metadata.controller_connection_id, port_id)
        # guard: h161-both-handshakes-are-completed test_h161_of_two_handshakes_one_is_completed
        if active is not None and is_in_state(ctx, port_id, active, ChannelState.OPEN):
            raise ActiveChannelAlreadySet(active, port_id)
        connection_id = channel_of(ctx, port_id, channel_id).connection_id
        check_metadata(metadata, connection_id, other_connection(ctx, connection_id))
        # guard: h161-a-host-answers-without-an-account test_what_the_host_may_not_answer
        if is_blank(metadata.address):
            raise InvalidAccountAddress(metadata.address)
        self._state.set_active_channel(ctx, connection_id, port_id, channel_id)
        self._state.set_address(ctx, connection_id, port_id, metadata.address)
        below = self._told(ctx, port_id, connection_id)
        if below is not None:
            below.on_chan_open_ack(ctx, opened)

    def on_chan_open_confirm(self) -> None:
        """Refuses: the controller opens.

        Raises:
            InvalidChannelFlow.
        """
        raise InvalidChannelFlow(NOT_THE_OPENER)

    def on_chan_close_init(self) -> None:
        """Refuses: users do not close channels.

        Raises:
            InvalidRequest.
        """
        raise InvalidRequest("user cannot close channel")

    def on_chan_close_confirm(self, ctx: WriteContext, closing: Closing) -> None:
        """The host's end is closed; the owner may register again."""
        below = self._below_channel(ctx, closing.port_id, closing.channel_id)
        if below is not None:
            below.on_chan_close_confirm(ctx, closing)

    # -- packets

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement:
        """Refuses: the host sends nothing."""
        error = InvalidChannelFlow("cannot receive packet on controller chain")
        events.emit_refused(ctx, "controller_channel_id", received.packet.channel_id_on_b, str(error))
        return AppAcknowledgement(success=False, data=acks.failure(error))

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """The host's answer is for its owner to look at.

        Raises:
            ControllerDisabled: the packet waits.
        """
        self._require_enabled(ctx)
        packet = acknowledged.packet
        below = self._below_channel(ctx, packet.port_id_on_a, packet.channel_id_on_a)
        if below is not None:
            below.on_acknowledgement_packet(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """The transaction was not executed; an ordered channel is closed.

        Raises:
            ControllerDisabled: the packet waits.
        """
        self._require_enabled(ctx)
        packet = timed_out.packet
        below = self._below_channel(ctx, packet.port_id_on_a, packet.channel_id_on_a)
        if below is not None:
            below.on_timeout_packet(ctx, timed_out)

    def decode_packet_data(self, data: bytes) -> PacketData:
        """The owner, whom the port names, the memo, and the transaction.

        Raises:
            InvalidType: it is no JSON of packet data.
        """
        return packet_data.told(data)

    # -- internals

    def _require_enabled(self, ctx: ReadContext) -> None:
        # guard: h161-a-controller-that-is-off-goes-on test_off_it_opens_and_settles_nothing
        if not controller_params(self._state.params(ctx)).controller_enabled:
            raise ControllerDisabled

    def _below_channel(self, ctx: ReadContext, port_id: str, channel_id: str) -> BoundApp | None:
        return self._told(ctx, port_id, channel_of(ctx, port_id, channel_id).connection_id)

    def _told(self, ctx: ReadContext, port_id: str, connection_id: str) -> BoundApp | None:
        """The application below, if it is told of this account's channel."""
        if self._below is not None and self._state.has_middleware(ctx, connection_id, port_id):
            return self._below
        return None
