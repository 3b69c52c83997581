"""Msg service of the controller: MsgRegisterInterchainAccount, MsgSendTx, MsgUpdateParams (ICS-27)."""

from pyibc.apps.interchain_accounts.messages import (
    MsgRegisterInterchainAccount,
    MsgSendTx,
    MsgUpdateControllerParams,
)
from pyibc.apps.interchain_accounts.packet_data import (
    HOST_PORT,
    MODULE_NAME,
    InterchainAccountPacketData,
    controller_port,
    encode_packet_data,
)
from pyibc.apps.interchain_accounts.state import (
    DISABLED,
    ENABLED,
    AccountsState,
    ControllerParams,
    controller_params,
    encode_controller_params,
    is_in_state,
)
from pyibc.codec.budget import Budget
from pyibc.core.address import AddressCodec, module_address
from pyibc.core.application.services import Messages, PacketSender, Services
from pyibc.core.channel.messages import MsgChannelOpenInit
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.errors import (
    ActiveChannelAlreadySet,
    ActiveChannelNotFound,
    ControllerDisabled,
    InvalidChannelFlow,
    InvalidTimeoutTimestamp,
    UnauthorizedTx,
)
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.host.context import WriteContext
from pyibc.core.numbers import MAX_U64
from pyibc.core.wire.message import pack_msg
from pyibc.proto.ibc.core.channel.v1.tx_pb2 import MsgChannelOpenInitResponse


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
