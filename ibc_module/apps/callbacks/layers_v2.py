"""The middleware of IBC v2: around an application, and between it and the module where it answers late."""

from ibc_core.application.middleware_v2 import PassThroughAppV2, PassThroughSenderV2
from ibc_core.application.packet_data import PacketData
from ibc_core.application.v2 import (
    AcknowledgedV2,
    BoundAppV2,
    PacketSenderV2,
    PayloadAnswer,
    ReceivedV2,
    SendingV2,
    TimedOutV2,
)
from ibc_core.callbacks.asked import Asked, Side
from ibc_core.errors import InvalidCallbackData
from ibc_core.height import ZERO_HEIGHT
from ibc_core.host.context import WriteContext
from ibc_core.host.shipped import shipped
from ibc_core.packet.types import Packet
from ibc_core.packet_v2.types import AcknowledgementV2, Payload
from ibc_module.apps.callbacks.caller import Caller
from ibc_module.at_wiring import AtWiring
from keepers.packet_v2.keeper import PacketKeeperV2


class StackV2:
    """Where one of the middlewares stands: its sender is made before there is an application below."""

    below = AtWiring[BoundAppV2]()

    def __init__(self, caller: Caller) -> None:
        self.caller = caller

    def asked(self, ctx: WriteContext, side: Side, payload: Payload) -> Asked | None:
        """The callback that a payload asks for.

        Raises:
            InvalidCallbackData: what it asks for is malformed.
        """

        def decode() -> PacketData:
            return self.below.decode_packet_data(ctx, payload)

        return self.caller.asked(ctx, side, decode, payload.version, payload.port_id_on_a)

    def asked_late(self, ctx: WriteContext, payload: Payload) -> Asked | None:
        """The callback that a payload asks for whose answer was put off.

        Raises:
            InvalidCallbackData: what it asks for is malformed.
            IbcError: the application cannot read it; elsewhere, as in ibc-go, that asks for nothing.
        """
        self.below.decode_packet_data(ctx, payload)
        return self.asked(ctx, Side.DESTINATION, payload)


@shipped
class CallbacksAppV2(PassThroughAppV2):
    """Around the application: contracts hear what it has done."""

    def __init__(self, stack: StackV2) -> None:
        super().__init__(stack.below)
        self._stack = stack

    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        """Asks the source's contract, whoever sends the payload.

        Raises:
            InvalidCallbackData: what the payload asks for is malformed.
            BaseException: what the application raises, or the contract.
        """
        self.below.on_send_packet(ctx, sending)
        asked = self._stack.asked(ctx, Side.SOURCE, sending.payload)
        if asked is not None:
            self._stack.caller.sent(ctx, asked, _packet_of(sending))

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """Calls the destination's contract once the application has accepted the payload.

        Its refusal fails the packet, and so does a malformed callback: chain A gets the sentinel.
        """
        answer = self.below.on_recv_packet(ctx, received)
        # guard: h177-refused-payloads-are-told drop:success
        #   test_no_contract_hears_of_what_the_application_refused
        if answer is None or not answer.success:
            return answer
        try:
            asked = self._stack.asked(ctx, Side.DESTINATION, received.payload)
        except InvalidCallbackData:
            # guard: h177-malformed-is-received-over-clients {PayloadAnswer(success=False) => answer}
            #   test_h177_a_malformed_callback_is_not_received
            return PayloadAnswer(success=False)
        if asked is None:
            return answer
        refused = self._stack.caller.received(ctx, asked, _packet_of(received), answer.data)
        return answer if refused is None else PayloadAnswer(success=False)

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: AcknowledgedV2) -> None:
        """Calls the source's contract.

        Raises:
            InvalidCallbackData: the payload asks for something malformed: it was sent past the middleware.
            IbcError: what the application raises, or the contract needs more gas.
        """
        self.below.on_acknowledgement_packet(ctx, acknowledged)
        asked = self._stack.asked(ctx, Side.SOURCE, acknowledged.payload)
        if asked is not None:
            answer, relayer = acknowledged.acknowledgement, acknowledged.relayer
            self._stack.caller.acknowledged(ctx, asked, _packet_of(acknowledged), answer, relayer)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOutV2) -> None:
        """Calls the source's contract.

        Raises:
            InvalidCallbackData, IbcError: as for an acknowledgement.
        """
        self.below.on_timeout_packet(ctx, timed_out)
        asked = self._stack.asked(ctx, Side.SOURCE, timed_out.payload)
        if asked is not None:
            self._stack.caller.timed_out(ctx, asked, _packet_of(timed_out), timed_out.relayer)


@shipped
class CallbacksSenderV2(PassThroughSenderV2):
    """Between the application and the module: for answers that come late."""

    def __init__(self, above: PacketSenderV2, stack: StackV2) -> None:
        super().__init__(above)
        self._stack = stack
        self._packets = PacketKeeperV2()

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """Answers a packet late, and calls the destinations' contracts: a refusal changes nothing any more.

        Raises:
            InvalidAcknowledgementV2: no such packet waits for an answer.
            InvalidCallbackData: what a payload asks for is malformed.
            IbcError: the application cannot read a payload; what the layers above raise; or the contract
                needs more gas.
        """
        packet = self._packets.unanswered(ctx, client_id_on_b, sequence)
        super().write_acknowledgement(ctx, client_id_on_b, sequence, acknowledgement)
        for payload, answer in zip(packet.payloads, acknowledgement, strict=False):  # one: no more may wait
            asked = self._stack.asked_late(ctx, payload)
            if asked is not None:
                told = _packet(packet.client_id_on_a, client_id_on_b, sequence, payload)
                self._stack.caller.received(ctx, asked, told, answer)


def _packet(client_id_on_a: str, client_id_on_b: str, sequence: int, payload: Payload) -> Packet:
    """A payload as a packet of IBC classic, as contracts are told of it."""
    on_a, on_b = (payload.port_id_on_a, client_id_on_a), (payload.port_id_on_b, client_id_on_b)
    return Packet(sequence, *on_a, *on_b, payload.value, ZERO_HEIGHT, 0)


def _packet_of(told: SendingV2 | ReceivedV2 | AcknowledgedV2 | TimedOutV2) -> Packet:
    return _packet(told.client_id_on_a, told.client_id_on_b, told.sequence, told.payload)
