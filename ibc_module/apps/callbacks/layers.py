"""The middleware of IBC classic: around an application, and between it and the module."""

from ibc_core.application.classic import Acknowledged, AppAcknowledgement, BoundApp, Received, TimedOut
from ibc_core.application.middleware import PassThroughApp, PassThroughSender
from ibc_core.application.packet_data import PacketData
from ibc_core.application.services import PacketSender
from ibc_core.callbacks.asked import Asked, Side
from ibc_core.errors import InvalidCallbackData
from ibc_core.height import Height
from ibc_core.host.context import WriteContext
from ibc_core.host.shipped import shipped
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet.types import Packet
from ibc_module.apps.callbacks.caller import Caller
from ibc_module.at_wiring import AtWiring
from keepers.channel.keeper import ChannelKeeper


class Stack:
    """Where one of the middlewares stands: its sender is made before there is an application below."""

    below = AtWiring[BoundApp]()

    def __init__(self, caller: Caller) -> None:
        self.caller = caller

    def asked(self, ctx: WriteContext, side: Side, packet: Packet, version: str) -> Asked | None:
        """The callback that a packet asks for.

        Raises:
            InvalidCallbackData: what it asks for is malformed.
        """

        def decode() -> PacketData:
            return self.below.decode_packet_data(packet.data, version)

        return self.caller.asked(ctx, side, decode, version, packet.port_id_on_a)


@shipped
class CallbacksApp(PassThroughApp):
    """Around the application: contracts hear what it has done."""

    def __init__(self, stack: Stack) -> None:
        super().__init__(stack.below)
        self._stack = stack

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Calls the destination's contract once the application has accepted the packet.

        Its refusal is the answer, as is that of a malformed callback: what the application wrote is undone.
        """
        answer = self.below.on_recv_packet(ctx, received)
        # guard: h177-refused-packets-are-told drop:success
        #   test_no_contract_hears_of_what_the_application_refused
        if answer is None or not answer.success:
            return answer
        packet = received.packet
        try:
            asked = self._stack.asked(ctx, Side.DESTINATION, packet, received.channel_version)
        except InvalidCallbackData as error:
            # guard: h177-malformed-is-received {AppAcknowledgement(success=False, data=acks.failure(error))
            #   => answer} test_h177_a_malformed_callback_is_not_received
            return AppAcknowledgement(success=False, data=acks.failure(error))
        refused = None if asked is None else self._stack.caller.received(ctx, asked, packet, answer.data)
        return answer if refused is None else AppAcknowledgement(success=False, data=acks.failure(refused))

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """Calls the source's contract.

        Raises:
            InvalidCallbackData: the packet was sent past the middleware, with a malformed callback.
            IbcError: what the application raises, or the contract needs more gas.
        """
        self.below.on_acknowledgement_packet(ctx, acknowledged)
        version, packet, acknowledgement, relayer = acknowledged
        asked = self._stack.asked(ctx, Side.SOURCE, packet, version)
        if asked is not None:
            self._stack.caller.acknowledged(ctx, asked, packet, acknowledgement, relayer)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """Calls the source's contract.

        Raises:
            InvalidCallbackData, IbcError: as for an acknowledgement.
        """
        self.below.on_timeout_packet(ctx, timed_out)
        version, packet, relayer = timed_out
        asked = self._stack.asked(ctx, Side.SOURCE, packet, version)
        if asked is not None:
            self._stack.caller.timed_out(ctx, asked, packet, relayer)


@shipped
class CallbacksSender(PassThroughSender):
    """Between the application and the module."""

    def __init__(self, above: PacketSender, stack: Stack) -> None:
        super().__init__(above)
        self._stack = stack
        self._channels = ChannelKeeper()

    def send_packet(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        timeout_height_on_b: Height,
        timeout_ns_on_b: int,
        data: bytes,
    ) -> int:
        """Sends a packet, and asks the source's contract.

        Raises:
            InvalidCallbackData: what the packet asks for is malformed.
            BaseException: what the layers above raise, or the contract.
        """
        sequence = super().send_packet(ctx, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)
        packet = Packet(sequence, port_id, channel_id, "", "", data, timeout_height_on_b, timeout_ns_on_b)
        version = self._channels.get(ctx, port_id, channel_id).version
        asked = self._stack.asked(ctx, Side.SOURCE, packet, version)
        if asked is not None:
            self._stack.caller.sent(ctx, asked, packet)
        return sequence

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Answers a packet late, and calls the destination's contract: its refusal changes nothing any more.

        Raises:
            InvalidCallbackData: what the packet asks for is malformed.
            IbcError: what the layers above raise, or the contract needs more gas.
        """
        super().write_acknowledgement(ctx, packet, acknowledgement)
        version = self._channels.get(ctx, packet.port_id_on_b, packet.channel_id_on_b).version
        asked = self._stack.asked(ctx, Side.DESTINATION, packet, version)
        if asked is not None:
            self._stack.caller.received(ctx, asked, packet, acknowledgement)
