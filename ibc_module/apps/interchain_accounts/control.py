"""What owners ask the controller for: MsgRegisterInterchainAccount, MsgSendTx, MsgUpdateParams (ICS-27)."""

from ibc_core.address import AddressCodec
from ibc_core.application.services import Messages, PacketSender, Services
from ibc_core.channel.open_init import MsgChannelOpenInit
from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from ibc_core.errors import (
    ActiveChannelAlreadySet,
    ActiveChannelNotFound,
    ControllerDisabled,
    InvalidChannelFlow,
    InvalidTimeoutTimestamp,
    UnauthorizedTx,
)
from ibc_core.height import ZERO_HEIGHT
from ibc_core.host.context import WriteContext
from ibc_core.host.module_account import module_address
from ibc_core.interchain_accounts.msg_register import MsgRegisterInterchainAccount
from ibc_core.interchain_accounts.msg_send_tx import MsgSendTx
from ibc_core.interchain_accounts.msg_update_controller_params import MsgUpdateControllerParams
from ibc_core.interchain_accounts.names import HOST_PORT, MODULE_NAME, controller_port
from ibc_core.interchain_accounts.packet_data import InterchainAccountPacketData, encode_packet_data
from ibc_core.numbers import MAX_U64
from ibc_core.wire.budget import Budget
from ibc_core.wire.message import pack_msg
from ibc_module.apps.interchain_accounts.params import (
    ControllerParams,
    controller_params,
    encode_controller_params,
)
from ibc_module.apps.interchain_accounts.state import DISABLED, ENABLED, AccountsState, is_in_state
from ibc_proto.ibc.core.channel.v1.tx_pb2 import MsgChannelOpenInitResponse


class Control:
    """Registers interchain accounts and sends their transactions.

    `register` and `send` are for modules of the chain that act for owners themselves: nobody has signed.
    """

    def __init__(self, state: AccountsState, services: Services) -> None:
        self._state = state
        self._messages: Messages = services.messages
        self._sender: PacketSender = services.sender
        self._addresses: AddressCodec = services.addresses
        self._authority = services.authority

    # -- messages

    def register_by_message(self, ctx: WriteContext, msg: MsgRegisterInterchainAccount) -> bytes:
        """Opens a channel for the owner's account; the application below the controller is not told of it.

        Runs on: A, the controller.
        Proves: nothing.
        Writes: isMiddlewareEnabled, port, and what chanOpenInit writes.
        Emits: what chanOpenInit emits.

        Raises:
            InvalidAccountAddress, InvalidChannelFlow, ActiveChannelAlreadySet: not this owner, not now.
            IbcError: what MsgChannelOpenInit is refused for.
        """
        port_id = controller_port(msg.owner)
        # guard: h161-a-message-takes-a-module-s-account test_what_a_module_registered_no_message_takes
        if self._state.has_middleware(ctx, msg.connection_id, port_id):
            self._require_closed(ctx, port_id, msg.connection_id)
        self._state.set_middleware(ctx, msg.connection_id, port_id, DISABLED)
        channel_id = self._open(ctx, port_id, msg.connection_id, msg.version, msg.ordering)
        return msg.RESPONSE.encode((channel_id, port_id))

    def send_by_message(self, ctx: WriteContext, msg: MsgSendTx) -> bytes:
        """Sends a transaction for the owner's account.

        Runs on: A, the controller.
        Proves: nothing.
        Writes: what sendPacket writes.
        Emits: send_packet.

        Raises:
            ControllerDisabled, ActiveChannelNotFound, InvalidTimeoutTimestamp, InvalidOutgoingData.
            IbcError: what sendPacket is refused for.
        """
        port_id = controller_port(msg.owner)
        timeout_ns = (ctx.time_ns + msg.relative_timeout) & MAX_U64  # as Go adds
        return msg.RESPONSE.encode(self.send(ctx, msg.connection_id, port_id, msg.packet_data, timeout_ns))

    def update_params(self, ctx: WriteContext, msg: MsgUpdateControllerParams) -> bytes:
        """Writes the parameters.

        Runs on: A, the controller.
        Proves: nothing.
        Writes: params.
        Emits: nothing.

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
        """Opens a channel of which the application below the controller is told; returns its identifier.

        Raises:
            IbcError: as `register_by_message`.
        """
        port_id = controller_port(owner)
        # guard: h161-a-module-takes-a-message-s-account test_what_a_message_registered_no_module_takes
        if self._state.lacks_middleware(ctx, connection_id, port_id):
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
        """Sends a transaction over the open channel of a controller's port; returns the packet's sequence.

        `timeout_ns`: by the host's clock, unix nanoseconds.

        Raises:
            IbcError: as `send_by_message`.
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
        """Who registered an account first, by message or as a module, goes on until its channel is closed."""
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
