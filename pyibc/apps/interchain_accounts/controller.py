"""Controller of interchain accounts (ICS-27), on ports `icacontroller-{owner}`: application and messages."""

from pyibc.apps.interchain_accounts import execution as events
from pyibc.apps.interchain_accounts import packet_data
from pyibc.apps.interchain_accounts.messages import (
    MsgRegisterInterchainAccount,
    MsgSendTx,
    MsgUpdateControllerParams,
)
from pyibc.apps.interchain_accounts.packet_data import (
    CONTROLLER_PREFIX,
    HOST_PORT,
    MODULE_NAME,
    InterchainAccountPacketData,
    Metadata,
    check_metadata,
    controller_port,
    decode_metadata,
    default_metadata,
    encode_metadata,
    encode_packet_data,
    is_previous_metadata_equal,
)
from pyibc.apps.interchain_accounts.state import (
    CONTROLLER_INITIATES,
    DISABLED,
    ENABLED,
    AccountsState,
    ControllerParams,
    controller_params,
    counterparty_connection,
    encode_controller_params,
    find_channel,
    get_channel,
    is_in_state,
)
from pyibc.codec.budget import Budget
from pyibc.core.address import AddressCodec, module_address
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
from pyibc.core.application.services import Messages, PacketSender, Services
from pyibc.core.channel.messages import MsgChannelOpenInit
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.errors import (
    ActiveChannelAlreadySet,
    ActiveChannelNotFound,
    ControllerDisabled,
    InvalidAccountAddress,
    InvalidAccountsVersion,
    InvalidChannelFlow,
    InvalidChannelOrdering,
    InvalidControllerPort,
    InvalidHostPort,
    InvalidRequest,
    InvalidTimeoutTimestamp,
    LogicFault,
    UnauthorizedTx,
)
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.identifiers import is_blank
from pyibc.core.numbers import MAX_U64
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.wire.message import pack_msg
from pyibc.isolation.isolate import builtin
from pyibc.proto.ibc.core.channel.v1.tx_pb2 import MsgChannelOpenInitResponse


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


class ControllerKeeper:
    """Registers interchain accounts and sends their transactions.

    Modules of the chain that act as owners call `register` and `send` directly, without a signature.
    """

    def __init__(self, state: AccountsState, services: Services) -> None:
        self._state = state
        self._messages: Messages = services.messages
        self._sender: PacketSender = services.sender
        self._addresses: AddressCodec = services.addresses
        self._authority = services.authority

    # -- messages

    def register_by_message(self, ctx: WriteContext, msg: MsgRegisterInterchainAccount) -> bytes:
        """Open a channel for the owner's account, with callbacks of the application below disabled.

        Runs on: A, the controller. Proves: nothing. Writes: isMiddlewareEnabled, port, and what chanOpenInit
        writes. Emits: what chanOpenInit emits.

        Raises:
            InvalidAccountAddress: the owner is blank.
            InvalidChannelFlow: a module of the chain has registered the owner, and the channel is not
                closed.
            ActiveChannelAlreadySet: the owner has an open channel.
            IbcError: see MsgChannelOpenInit.
        """
        port_id = controller_port(msg.owner)
        # guard: h161-a-message-takes-a-module-s-account test_what_a_module_registered_no_message_takes
        if self._state.is_middleware_enabled(ctx, msg.connection_id, port_id):
            self._require_closed(ctx, port_id, msg.connection_id)
        self._state.set_middleware(ctx, msg.connection_id, port_id, DISABLED)
        channel_id = self._open(ctx, port_id, msg.connection_id, msg.version, msg.ordering)
        return msg.RESPONSE.encode((channel_id, port_id))

    def send_by_message(self, ctx: WriteContext, msg: MsgSendTx) -> bytes:
        """Send a transaction for the owner's account.

        Runs on: A, the controller. Proves: nothing. Writes: what sendPacket writes. Emits: send_packet.

        Raises:
            ControllerDisabled: the parameters disable the controller.
            ActiveChannelNotFound: the owner has no open channel.
            InvalidTimeoutTimestamp: the timeout has passed.
            InvalidOutgoingData: type, transaction or memo is invalid.
            IbcError: see sendPacket.
        """
        port_id = controller_port(msg.owner)
        timeout_ns = (ctx.time_ns + msg.relative_timeout) & MAX_U64  # wraps around as in Go
        return msg.RESPONSE.encode(self.send(ctx, msg.connection_id, port_id, msg.packet_data, timeout_ns))

    def update_params(self, ctx: WriteContext, msg: MsgUpdateControllerParams) -> bytes:
        """Replace the parameters.

        Runs on: A, the controller. Proves: nothing. Writes: params. Emits: nothing.

        Raises:
            UnauthorizedTx: the signer is not the authority.
        """
        # guard: h160-anybody-sets-the-controller-s-parameters drop
        #   test_controller::test_the_authority_alone_sets_the_parameters
        if msg.signer != self._authority:
            raise UnauthorizedTx(f"invalid authority: expected {self._authority}, got {msg.signer}")
        self._state.set_params(ctx, encode_controller_params(ControllerParams(msg.controller_enabled)))
        return msg.RESPONSE.encode(None)

    # -- for modules of the chain

    def register(
        self,
        ctx: WriteContext,
        connection_id: str,
        owner: str,
        version: str = "",
        ordering: Order = Order.UNORDERED,
    ) -> str:
        """Open a channel for a module, with callbacks of the application below; return its identifier.

        Raises:
            IbcError: see `register_by_message`.
        """
        port_id = controller_port(owner)
        # guard: h161-a-module-takes-a-message-s-account test_what_a_message_registered_no_module_takes
        if self._state.is_middleware_disabled(ctx, connection_id, port_id):
            self._require_closed(ctx, port_id, connection_id)
        self._state.set_middleware(ctx, connection_id, port_id, ENABLED)
        return self._open(ctx, port_id, connection_id, version, ordering)

    def send(
        self,
        ctx: WriteContext,
        connection_id: str,
        port_id: str,
        data: InterchainAccountPacketData,
        timeout_ns: int,
    ) -> int:
        """Send a transaction over the open channel of a controller port; return the packet's sequence.

        `timeout_ns`: unix nanoseconds of the host's clock.

        Raises:
            IbcError: see `send_by_message`.
        """
        # guard: h161-a-controller-that-is-off-sends test_off_nothing_is_sent
        if not controller_params(self._state.params(ctx)).controller_enabled:
            raise ControllerDisabled
        active = self._state.active_channel(ctx, connection_id, port_id)
        # guard: h161-sent-over-a-closed-channel drop:is_in_state test_nothing_is_sent_without_an_open_channel
        if active is None or not is_in_state(ctx, port_id, active, ChannelState.OPEN):
            raise ActiveChannelNotFound(connection_id, port_id)
        # guard: h161-sent-into-the-past test_nothing_is_sent_into_the_past
        if ctx.time_ns >= timeout_ns:
            raise InvalidTimeoutTimestamp(timeout_ns)
        data.check()
        return self._sender.send_packet(
            ctx, port_id, active, ZERO_HEIGHT, timeout_ns, encode_packet_data(data)
        )

    # -- internals

    def _require_closed(self, ctx: WriteContext, port_id: str, connection_id: str) -> None:
        """Refuse to switch between message and module registration unless the channel is closed."""
        active = self._state.active_channel(ctx, connection_id, port_id)
        if not is_in_state(ctx, port_id, active, ChannelState.CLOSED):
            raise InvalidChannelFlow("channel is already active or a handshake is in flight")

    def _open(
        self, ctx: WriteContext, port_id: str, connection_id: str, version: str, ordering: Order
    ) -> str:
        active = self._state.active_channel(ctx, connection_id, port_id)
        if active is not None and is_in_state(ctx, port_id, active, ChannelState.OPEN):
            # guard: h161-registered-over-an-open-channel test_a_registration_while_the_channel_is_open
            raise ActiveChannelAlreadySet(active, port_id)
        self._state.set_port(ctx, port_id)
        end = ChannelEnd(
            ChannelState.INIT, ordering, ChannelCounterparty(HOST_PORT, ""), (connection_id,), version
        )
        signer = self._addresses.encode(module_address(MODULE_NAME)).text
        packed = pack_msg(MsgChannelOpenInit(port_id, end, signer))
        message = self._messages.decode(packed, Budget(len(packed.value)))
        answer = self._messages.deliver(ctx, message)
        return MsgChannelOpenInitResponse.FromString(answer.value).channel_id
