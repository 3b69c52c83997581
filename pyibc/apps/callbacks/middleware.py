"""Middleware that calls contracts on packet events (ADR-8), over a channel and over a client."""

from ibc_module.registration import AtWiring
from keepers.channel import ChannelKeeper
from keepers.packet_v2 import PacketKeeperV2
from pyibc.apps.callbacks.caller import ContractCaller
from pyibc.apps.callbacks.memo import CallbackData, Side
from pyibc.core.application.classic import Acknowledged, AppAcknowledgement, BoundApp, Received, TimedOut
from pyibc.core.application.middleware import (
    PassThroughApp,
    PassThroughAppV2,
    PassThroughSender,
    PassThroughSenderV2,
)
from pyibc.core.application.packet_data import PacketData
from pyibc.core.application.services import PacketSender
from pyibc.core.application.v2 import (
    AcknowledgedV2,
    BoundAppV2,
    PacketSenderV2,
    PayloadAnswer,
    ReceivedV2,
    SendingV2,
    TimedOutV2,
)
from pyibc.core.errors import InvalidCallbackData
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.host.context import WriteContext
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import AcknowledgementV2, Payload
from pyibc.isolation.isolate import builtin


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

    def __init__(self, below: BoundApp, layers: PortLayers) -> None:
        super().__init__(below)
        layers.below = below
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


class PortLayersV2:
    """State shared by both layers of a port; the sending one is built before the application is known."""

    below = AtWiring[BoundAppV2]()

    def __init__(self, caller: ContractCaller) -> None:
        self.caller = caller

    def callback_data(self, ctx: WriteContext, side: Side, payload: Payload) -> CallbackData | None:
        """Return a payload's callback data.

        Raises:
            InvalidCallbackData: it is malformed.
        """

        def decode() -> PacketData:
            return self.below.decode_packet_data(ctx, payload)

        return self.caller.callback_data(ctx, side, decode, payload.version, payload.port_id_on_a)

    def async_callback_data(self, ctx: WriteContext, payload: Payload) -> CallbackData | None:
        """Return the callback data of a payload that is acknowledged asynchronously.

        Raises:
            InvalidCallbackData: it is malformed.
            IbcError: the application cannot decode the payload; in all other callbacks that means no
                callback data, as in ibc-go.
        """
        self.below.decode_packet_data(ctx, payload)
        return self.callback_data(ctx, Side.DESTINATION, payload)


@builtin
class CallbacksAppV2(PassThroughAppV2):
    """Layer around the application: calls contracts after it."""

    def __init__(self, below: BoundAppV2, layers: PortLayersV2) -> None:
        super().__init__(below)
        layers.below = below
        self._layers = layers

    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        """Call the source's contract after the application.

        Raises:
            InvalidCallbackData: the callback data is malformed.
            BaseException: the application or the contract refuses or fails.
        """
        self.below.on_send_packet(ctx, sending)
        callback = self._layers.callback_data(ctx, Side.SOURCE, sending.payload)
        if callback is not None:
            self._layers.caller.sent(ctx, callback, _packet_of(sending))

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """Call the destination's contract if the application accepted the payload.

        If the contract refuses, or the callback data is malformed, the packet gets the sentinel
        acknowledgement.
        """
        answer = self.below.on_recv_packet(ctx, received)
        # guard: h177-refused-payloads-are-told drop:success
        #   test_no_contract_hears_of_what_the_application_refused
        if answer is None or not answer.success:
            return answer
        try:
            callback = self._layers.callback_data(ctx, Side.DESTINATION, received.payload)
        except InvalidCallbackData:
            # guard: h177-malformed-is-received-over-clients {PayloadAnswer(success=False) => answer}
            #   test_h177_a_malformed_callback_is_not_received
            return PayloadAnswer(success=False)
        if callback is None:
            return answer
        refused = self._layers.caller.received(ctx, callback, _packet_of(received), answer.data)
        return answer if refused is None else PayloadAnswer(success=False)

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: AcknowledgedV2) -> None:
        """Call the source's contract after the application.

        Raises:
            InvalidCallbackData: the callback data is malformed: the packet was sent past the middleware.
            IbcError: the application refuses, or the contract needs more gas.
        """
        self.below.on_acknowledgement_packet(ctx, acknowledged)
        callback = self._layers.callback_data(ctx, Side.SOURCE, acknowledged.payload)
        if callback is not None:
            answer, relayer = acknowledged.acknowledgement, acknowledged.relayer
            self._layers.caller.acknowledged(ctx, callback, _packet_of(acknowledged), answer, relayer)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOutV2) -> None:
        """Call the source's contract after the application.

        Raises:
            InvalidCallbackData, IbcError: see `on_acknowledgement_packet`.
        """
        self.below.on_timeout_packet(ctx, timed_out)
        callback = self._layers.callback_data(ctx, Side.SOURCE, timed_out.payload)
        if callback is not None:
            self._layers.caller.timed_out(ctx, callback, _packet_of(timed_out), timed_out.relayer)


@builtin
class CallbacksSenderV2(PassThroughSenderV2):
    """Layer between the application and core, for asynchronous acknowledgements."""

    def __init__(self, above: PacketSenderV2, layers: PortLayersV2) -> None:
        super().__init__(above)
        self._layers = layers
        self._packets = PacketKeeperV2()

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """Write an asynchronous acknowledgement and call the destination's contract, which cannot refuse.

        Raises:
            InvalidAcknowledgementV2: no such packet is pending.
            InvalidCallbackData: the callback data is malformed.
            IbcError: the application cannot decode the payload, a layer above refuses, or the contract
                needs more gas.
        """
        packet = self._packets.async_packet(ctx, client_id_on_b, sequence)
        super().write_acknowledgement(ctx, client_id_on_b, sequence, acknowledgement)
        for payload, answer in zip(
            packet.payloads, acknowledgement, strict=False
        ):  # one: only packets with one payload may be asynchronous
            callback = self._layers.async_callback_data(ctx, payload)
            if callback is not None:
                v1_packet = _packet(packet.client_id_on_a, client_id_on_b, sequence, payload)
                self._layers.caller.received(ctx, callback, v1_packet, answer)


def _packet(client_id_on_a: str, client_id_on_b: str, sequence: int, payload: Payload) -> Packet:
    """Convert a payload to the v1 packet that contracts get."""
    on_a, on_b = (payload.port_id_on_a, client_id_on_a), (payload.port_id_on_b, client_id_on_b)
    return Packet(sequence, *on_a, *on_b, payload.value, ZERO_HEIGHT, 0)


def _packet_of(value: SendingV2 | ReceivedV2 | AcknowledgedV2 | TimedOutV2) -> Packet:
    return _packet(value.client_id_on_a, value.client_id_on_b, value.sequence, value.payload)
