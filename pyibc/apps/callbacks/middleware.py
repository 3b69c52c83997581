"""Callbacks middleware of IBC v1: one layer around an application, one between it and core."""

from ibc_module.at_wiring import AtWiring
from keepers.channel import ChannelKeeper
from pyibc.apps.callbacks.caller import ContractCaller
from pyibc.apps.callbacks.memo import CallbackData, Side
from pyibc.core.application.classic import Acknowledged, AppAcknowledgement, BoundApp, Received, TimedOut
from pyibc.core.application.middleware import PassThroughApp, PassThroughSender
from pyibc.core.application.packet_data import PacketData
from pyibc.core.application.services import PacketSender
from pyibc.core.errors import InvalidCallbackData
from pyibc.core.height import Height
from pyibc.core.host.context import WriteContext
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.types import Packet
from pyibc.isolation.builtin import builtin


class PortLayers:
    """State shared by both layers of a port; the sending one is built before the application is known."""

    below = AtWiring[BoundApp]()

    def __init__(self, caller: ContractCaller) -> None:
        self.caller = caller

    def callback_data(
        self, ctx: WriteContext, side: Side, packet: Packet, version: str
    ) -> CallbackData | None:
        """Return a packet's callback data.

        Raises:
            InvalidCallbackData: it is malformed.
        """

        def decode() -> PacketData:
            return self.below.decode_packet_data(packet.data, version)

        return self.caller.callback_data(ctx, side, decode, version, packet.port_id_on_a)


@builtin
class CallbacksApp(PassThroughApp):
    """Layer around the application: calls contracts after it."""

    def __init__(self, layers: PortLayers) -> None:
        super().__init__(layers.below)
        self._layers = layers

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Call the destination's contract if the application accepted the packet.

        If the contract refuses, or the callback data is malformed, the packet gets an error acknowledgement
        and the application's writes are reverted.
        """
        answer = self.below.on_recv_packet(ctx, received)
        # guard: h177-refused-packets-are-told drop:success
        #   test_no_contract_hears_of_what_the_application_refused
        if answer is None or not answer.success:
            return answer
        packet = received.packet
        try:
            callback = self._layers.callback_data(ctx, Side.DESTINATION, packet, received.channel_version)
        except InvalidCallbackData as error:
            # guard: h177-malformed-is-received {AppAcknowledgement(success=False, data=acks.failure(error))
            #   => answer} test_h177_a_malformed_callback_is_not_received
            return AppAcknowledgement(success=False, data=acks.failure(error))
        refused = (
            None if callback is None else self._layers.caller.received(ctx, callback, packet, answer.data)
        )
        return answer if refused is None else AppAcknowledgement(success=False, data=acks.failure(refused))

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """Call the source's contract after the application.

        Raises:
            InvalidCallbackData: the callback data is malformed: the packet was sent past the middleware.
            IbcError: the application refuses, or the contract needs more gas.
        """
        self.below.on_acknowledgement_packet(ctx, acknowledged)
        version, packet, acknowledgement, relayer = acknowledged
        callback = self._layers.callback_data(ctx, Side.SOURCE, packet, version)
        if callback is not None:
            self._layers.caller.acknowledged(ctx, callback, packet, acknowledgement, relayer)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """Call the source's contract after the application.

        Raises:
            InvalidCallbackData, IbcError: see `on_acknowledgement_packet`.
        """
        self.below.on_timeout_packet(ctx, timed_out)
        version, packet, relayer = timed_out
        callback = self._layers.callback_data(ctx, Side.SOURCE, packet, version)
        if callback is not None:
            self._layers.caller.timed_out(ctx, callback, packet, relayer)


@builtin
class CallbacksSender(PassThroughSender):
    """Layer between the application and core."""

    def __init__(self, above: PacketSender, layers: PortLayers) -> None:
        super().__init__(above)
        self._layers = layers
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
        """Send a packet and call the source's contract.

        Raises:
            InvalidCallbackData: the callback data is malformed.
            BaseException: a layer above, or the contract, refuses or fails.
        """
        sequence = super().send_packet(ctx, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)
        packet = Packet(sequence, port_id, channel_id, "", "", data, timeout_height_on_b, timeout_ns_on_b)
        version = self._channels.get(ctx, port_id, channel_id).version
        callback = self._layers.callback_data(ctx, Side.SOURCE, packet, version)
        if callback is not None:
            self._layers.caller.sent(ctx, callback, packet)
        return sequence

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Write an asynchronous acknowledgement and call the destination's contract, which cannot refuse.

        Raises:
            InvalidCallbackData: the callback data is malformed.
            IbcError: a layer above refuses, or the contract needs more gas.
        """
        super().write_acknowledgement(ctx, packet, acknowledgement)
        version = self._channels.get(ctx, packet.port_id_on_b, packet.channel_id_on_b).version
        callback = self._layers.callback_data(ctx, Side.DESTINATION, packet, version)
        if callback is not None:
            self._layers.caller.received(ctx, callback, packet, acknowledgement)
