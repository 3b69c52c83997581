"""The middleware around ICS-20: takes what is to be forwarded, and what becomes of it."""

from dataclasses import replace

from ibc_core.application.classic import Acknowledged, AppAcknowledgement, BoundApp, Received, TimedOut
from ibc_core.application.middleware import PassThroughApp
from ibc_core.errors import (
    ForwardKeyNotFound,
    ForwardReceiveFailed,
    ForwardRetriesExhausted,
    ForwardTransferFailed,
    IbcError,
    InvalidForwardMetadata,
    UnknownMessage,
)
from ibc_core.host.context import WriteContext
from ibc_core.host.shipped import shipped
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet.acknowledgement import Acknowledgement
from ibc_core.packet_forward.metadata import FORWARD, Hop, read_hops
from ibc_module.apps.packet_forward import state
from ibc_module.apps.packet_forward.forwarder import Forwarder
from ibc_module.apps.transfer import packet_data
from ibc_module.apps.transfer.packet_data import TransferData

_KEY = FORWARD.encode()
_ESCAPED = b"\\u"
"""How a letter of the key can be written otherwise, in the data or in the memo."""


@shipped
class ForwardingApp(PassThroughApp):
    """Around ICS-20."""

    def __init__(self, below: BoundApp, forwarder: Forwarder) -> None:
        super().__init__(below)
        self._forwarder = forwarder

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Receives for the intermediate account and sends on, if the memo asks for it; answers later.

        Raises:
            OutOfGas, LogicFault, ApplicationFault: no verdict on the packet.
        """
        data = _read(received.packet.data) if _may_forward(received.packet.data) else None
        if data is None:
            return self.below.on_recv_packet(ctx, received)
        try:
            hops = _hops_of(data.memo)
        except IbcError as error:
            return AppAcknowledgement(success=False, data=acks.failure(error))
        if hops is None:
            return self.below.on_recv_packet(ctx, received)
        try:
            self._receive(ctx, received, data)
            self._forwarder.forward(ctx, received.packet, data, hops)
        # guard: h174-every-error-is-an-answer {(ForwardReceiveFailed, ForwardTransferFailed) => IbcError}
        #   test_h174_no_verdict_is_no_answer test_h174_what_is_raised_below_is_no_answer
        except (ForwardReceiveFailed, ForwardTransferFailed) as error:
            return AppAcknowledgement(success=False, data=acks.failure(error))
        return None

    def _receive(self, ctx: WriteContext, received: Received, data: TransferData) -> None:
        """Has ICS-20 receive the coins, for an account that the sender cannot choose.

        Raises:
            ForwardReceiveFailed: it refused, or answers later.
        """
        account = self._forwarder.account(received.packet, data)
        # guard: h171-the-sender-chooses-the-account {account => data.receiver}
        #   test_h171_the_receiver_named_in_the_packet_gets_nothing
        own = packet_data.encode(replace(data, receiver=account, memo=""))
        packet = replace(received.packet, data=own)
        answer = self.below.on_recv_packet(ctx, received._replace(packet=packet))
        if answer is None:
            raise ForwardReceiveFailed("it is to be answered later")
        # guard: h171-what-was-refused-below-is-sent-on test_what_was_not_received_is_not_sent_on
        if not answer.success:
            raise ForwardReceiveFailed(answer.data[:128].decode("utf-8", "replace"))

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """Answers what was forwarded as it was answered; what was not is ICS-20's.

        Raises:
            UnknownMessage: the acknowledgement of a transfer is no standard one.
            IbcError: see `Forwarder.settle`.
        """
        packet, answer = acknowledged.packet, acks.parse(acknowledged.acknowledgement)
        if answer is None:
            if _read(packet.data) is not None:
                raise UnknownMessage("acknowledgement of a transfer")
            return self.below.on_acknowledgement_packet(ctx, acknowledged)
        waiting = state.in_flight(ctx, packet)
        data = None if waiting is None else _read(packet.data)
        if waiting is None or data is None:
            return self.below.on_acknowledgement_packet(ctx, acknowledged)
        # guard: h173-what-was-answered-is-answered-again test_h173_what_is_settled_is_forgotten
        state.remove_in_flight(ctx, packet)
        return self._forwarder.settle(ctx, packet, data, waiting, answer)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """Sends what was forwarded once more, or gives up and answers it with an error.

        Raises:
            ForwardTransferFailed: it cannot be sent once more; it may be timed out again.
            IbcError: see `Forwarder.settle`.
        """
        packet = timed_out.packet
        waiting = state.in_flight(ctx, packet)
        data = None if waiting is None else _read(packet.data)
        if waiting is None or data is None:
            return self.below.on_timeout_packet(ctx, timed_out)
        # guard: h173-what-timed-out-stays-in-flight test_a_timeout_is_tried_again_after_ics_20_refunded
        #   test_h170_no_schedule_of_forwards_loses_or_makes_coins
        state.remove_in_flight(ctx, packet)
        if waiting.retries_remaining <= 0:
            error = ForwardRetriesExhausted(waiting.port_id_on_b, waiting.channel_id_on_b)
            answer = Acknowledgement(error=acks.failure_text(error))
            return self._forwarder.settle(ctx, packet, data, waiting, answer)
        # guard: h170-a-try-is-sent-before-the-refund test_a_timeout_is_tried_again_after_ics_20_refunded
        #   test_h170_no_schedule_of_forwards_loses_or_makes_coins
        self.below.on_timeout_packet(ctx, timed_out)
        return self._forwarder.retry(ctx, packet, data, waiting)


def _may_forward(data: bytes) -> bool:
    """Whether a memo in the data could have the key `forward`: most have not, and are not read here."""
    # guard: h172-escaped-keys-are-not-looked-for drop:_ESCAPED test_the_key_may_be_spelt_with_escapes
    return _KEY in data or _ESCAPED in data


def _hops_of(memo: str) -> tuple[Hop, ...] | None:
    """The way that a memo asks for; None if it asks for none.

    Raises:
        InvalidForwardMetadata: it asks for one, and cannot be read.
        InvalidForwardHop: this chain's hop cannot be.
    """
    try:
        hops = read_hops(memo)
    except ForwardKeyNotFound as error:
        raise InvalidForwardMetadata(str(error)) from error
    # guard: h171-names-are-not-checked test_what_is_asked_for_wrongly_is_refused_before_anything_is_received
    if hops is not None:
        hops[0].validate()
    return hops


def _read(data: bytes) -> TransferData | None:
    try:
        return packet_data.decode_jsonpb(data)
    except IbcError:
        return None  # ICS-20 below says what is wrong with it
