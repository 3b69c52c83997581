"""Controller application of interchain accounts (ICS-27), on ports `icacontroller-{owner}`."""

from pyibc.apps.interchain_accounts import execution as events
from pyibc.apps.interchain_accounts import packet_data
from pyibc.apps.interchain_accounts.packet_data import (
    CONTROLLER_PREFIX,
    HOST_PORT,
    Metadata,
    check_metadata,
    decode_metadata,
    default_metadata,
    encode_metadata,
    is_previous_metadata_equal,
)
from pyibc.apps.interchain_accounts.state import (
    CONTROLLER_INITIATES,
    AccountsState,
    controller_params,
    counterparty_connection,
    find_channel,
    get_channel,
    is_in_state,
)
from pyibc.core.application.classic import (
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
from pyibc.core.application.packet_data import PacketData
from pyibc.core.channel.types import ChannelState
from pyibc.core.errors import (
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
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.identifiers import is_blank
from pyibc.core.packet import acknowledgement as acks
from pyibc.isolation.builtin import builtin


@builtin
class ControllerApp(IbcApp):
    """Opens channels and sends transactions; an optional application below it gets the callbacks too."""

    def __init__(self, state: AccountsState, below: BoundApp | None) -> None:
        self._state = state
        self._below = below

    # -- handshake

    def on_chan_open_init(self, ctx: WriteContext, opening: Opening) -> str:
        """Return the channel's metadata as its version; a blank version means transactions in protobuf.

        Raises:
            ControllerDisabled: the parameters disable the controller.
            InvalidControllerPort, InvalidHostPort: a port is wrong.
            InvalidType, UnsupportedEncoding, UnknownDataType, InvalidConnection, InvalidAccountAddress,
                InvalidAccountsVersion: the metadata is malformed or does not fit the connection.
            ActiveChannelAlreadySet: the owner has a channel that is not closed.
            InvalidChannelOrdering, InvalidAccountsVersion: the owner's closed channel had another order
                or other metadata.
        """
        self._require_enabled(ctx)
        # guard: h161-any-port-is-a-controller test_controller::test_what_it_does_not_open
        if not opening.port_id.startswith(CONTROLLER_PREFIX):
            raise InvalidControllerPort(opening.port_id)
        # guard: h161-any-port-is-a-host test_controller::test_what_it_does_not_open
        if opening.counterparty.port_id != HOST_PORT:
            raise InvalidHostPort(opening.counterparty.port_id)
        counterparty_id = counterparty_connection(ctx, opening.connection_id)
        metadata = (
            default_metadata(opening.connection_id, counterparty_id)
            if is_blank(opening.version)
            else decode_metadata(opening.version)
        )
        check_metadata(metadata, opening.connection_id, counterparty_id)
        self._check_reopening(ctx, opening, metadata)
        version = encode_metadata(metadata)
        below = self._middleware(ctx, opening.port_id, opening.connection_id)
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
        if not is_previous_metadata_equal(before.version, metadata):
            raise InvalidAccountsVersion("the metadata differs from that of the channel before")

    def on_chan_open_try(self) -> str:
        """Refuse: only the controller starts the handshake.

        Raises:
            InvalidChannelFlow: always.
        """
        raise InvalidChannelFlow(CONTROLLER_INITIATES)

    def on_chan_open_ack(self, ctx: WriteContext, opened: Opened) -> None:
        """Store the active channel and the account's address on the host.

        Raises:
            ControllerDisabled, InvalidControllerPort, ActiveChannelAlreadySet, ...: see `on_chan_open_init`.
            InvalidAccountAddress: the host's metadata has no address.
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
        connection_id = get_channel(ctx, port_id, channel_id).connection_id
        check_metadata(metadata, connection_id, counterparty_connection(ctx, connection_id))
        # guard: h161-a-host-answers-without-an-account test_what_the_host_may_not_answer
        if is_blank(metadata.address):
            raise InvalidAccountAddress(metadata.address)
        self._state.set_active_channel(ctx, connection_id, port_id, channel_id)
        self._state.set_address(ctx, connection_id, port_id, metadata.address)
        below = self._middleware(ctx, port_id, connection_id)
        if below is not None:
            below.on_chan_open_ack(ctx, opened)

    def on_chan_open_confirm(self) -> None:
        """Refuse: only the controller starts the handshake.

        Raises:
            InvalidChannelFlow: always.
        """
        raise InvalidChannelFlow(CONTROLLER_INITIATES)

    def on_chan_close_init(self) -> None:
        """Refuse: users cannot close a channel.

        Raises:
            InvalidRequest: always.
        """
        raise InvalidRequest("user cannot close channel")

    def on_chan_close_confirm(self, ctx: WriteContext, closing: Closing) -> None:
        """Accept: the host closed its end. The owner may register again."""
        below = self._below_channel(ctx, closing.port_id, closing.channel_id)
        if below is not None:
            below.on_chan_close_confirm(ctx, closing)

    # -- packets

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement:
        """Refuse: the host sends no packets."""
        error = InvalidChannelFlow("cannot receive packet on controller chain")
        events.emit_refused(ctx, "controller_channel_id", received.packet.channel_id_on_b, str(error))
        return AppAcknowledgement(success=False, data=acks.failure(error))

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """Accept and pass the acknowledgement to the application below.

        Raises:
            ControllerDisabled: the parameters disable the controller; the packet stays pending.
        """
        self._require_enabled(ctx)
        packet = acknowledged.packet
        below = self._below_channel(ctx, packet.port_id_on_a, packet.channel_id_on_a)
        if below is not None:
            below.on_acknowledgement_packet(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """Accept and pass the timeout to the application below; core closes an ordered channel.

        Raises:
            ControllerDisabled: the parameters disable the controller; the packet stays pending.
        """
        self._require_enabled(ctx)
        packet = timed_out.packet
        below = self._below_channel(ctx, packet.port_id_on_a, packet.channel_id_on_a)
        if below is not None:
            below.on_timeout_packet(ctx, timed_out)

    def decode_packet_data(self, data: bytes) -> PacketData:
        """Return owner (from the port), memo and transaction.

        Raises:
            InvalidType: it is not packet data in JSON.
        """
        return packet_data.to_packet_data(data)

    # -- internals

    def _require_enabled(self, ctx: ReadContext) -> None:
        # guard: h161-a-controller-that-is-off-goes-on test_off_it_opens_and_settles_nothing
        if not controller_params(self._state.params(ctx)).controller_enabled:
            raise ControllerDisabled

    def _below_channel(self, ctx: ReadContext, port_id: str, channel_id: str) -> BoundApp | None:
        return self._middleware(ctx, port_id, get_channel(ctx, port_id, channel_id).connection_id)

    def _middleware(self, ctx: ReadContext, port_id: str, connection_id: str) -> BoundApp | None:
        """Return the application below if callbacks are enabled for this account, else None."""
        if self._below is not None and self._state.is_middleware_enabled(ctx, connection_id, port_id):
            return self._below
        return None
