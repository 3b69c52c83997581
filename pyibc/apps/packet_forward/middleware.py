"""Packet-forward middleware around ICS-20: forwards received packets and processes the outcome."""

from dataclasses import replace

from pyibc.apps.packet_forward import state
from pyibc.apps.packet_forward.forwarder import Forwarder
from pyibc.apps.packet_forward.packet_data import FORWARD, Hop, read_hops
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.packet_data import TransferData
from pyibc.core.application.classic import Acknowledged, AppAcknowledgement, BoundApp, Received, TimedOut
from pyibc.core.application.middleware import PassThroughApp
from pyibc.core.errors import (
    ForwardKeyNotFound,
    ForwardReceiveFailed,
    ForwardRetriesExhausted,
    ForwardTransferFailed,
    IbcError,
    InvalidForwardMetadata,
    UnknownMessage,
)
from pyibc.core.host.context import WriteContext
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.acknowledgement import Acknowledgement
from pyibc.isolation.builtin import builtin

_KEY = FORWARD.encode()
_ESCAPED = b"\\u"
"""Start of a JSON escape, which may spell a letter of the key."""


@builtin
class ForwardingApp(PassThroughApp):
    """Layer around ICS-20."""

    def __init__(self, below: BoundApp, forwarder: Forwarder) -> None:
        super().__init__(below)
        self._forwarder = forwarder

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Receive a packet for the intermediate account and forward it; return None: acknowledged later.

        Raises:
            OutOfGas, LogicFault, ApplicationFault: the transaction fails and the packet stays unreceived.
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
        """Have ICS-20 credit the intermediate account, which the sender cannot choose.

        Raises:
            ForwardReceiveFailed: ICS-20 refused, or acknowledges asynchronously.
        """
        account = self._forwarder.account(received.packet, data)
        # guard: h171-the-sender-chooses-the-account {account => data.receiver}
        #   test_h171_the_receiver_named_in_the_packet_gets_nothing
        own = packet_data.encode(replace(data, receiver=account, memo=""))
        packet = replace(received.packet, data=own)
        answer = self.below.on_recv_packet(ctx, received._replace(packet=packet))
        if answer is None:
            raise ForwardReceiveFailed("ICS-20 acknowledges asynchronously")
        # guard: h171-what-was-refused-below-is-sent-on test_what_was_not_received_is_not_sent_on
        if not answer.success:
            raise ForwardReceiveFailed(answer.data[:128].decode("utf-8", "replace"))

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """Pass the acknowledgement of a forwarded packet back; any other packet is ICS-20's.

        Raises:
            UnknownMessage: the acknowledgement of a transfer is not a standard one.
            IbcError: see `Forwarder.acknowledge_original`.
        """
        packet, answer = acknowledged.packet, acks.parse(acknowledged.acknowledgement)
        if answer is None:
            if _read(packet.data) is not None:
                raise UnknownMessage("acknowledgement of a transfer")
            return self.below.on_acknowledgement_packet(ctx, acknowledged)
        entry = state.in_flight(ctx, packet)
        data = None if entry is None else _read(packet.data)
        if entry is None or data is None:
            return self.below.on_acknowledgement_packet(ctx, acknowledged)
        # guard: h173-what-was-answered-is-answered-again test_h173_what_is_settled_is_forgotten
        state.remove_in_flight(ctx, packet)
        return self._forwarder.acknowledge_original(ctx, packet, data, entry, answer)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """Retry a forwarded packet, or, without retries left, acknowledge the original one with an error.

        Raises:
            ForwardTransferFailed: the retry was refused; the timeout may be submitted again.
            IbcError: see `Forwarder.acknowledge_original`.
        """
        packet = timed_out.packet
        entry = state.in_flight(ctx, packet)
        data = None if entry is None else _read(packet.data)
        if entry is None or data is None:
            return self.below.on_timeout_packet(ctx, timed_out)
        # guard: h173-what-timed-out-stays-in-flight test_a_timeout_is_tried_again_after_ics_20_refunded
        #   test_h170_no_schedule_of_forwards_loses_or_makes_coins
        state.remove_in_flight(ctx, packet)
        if entry.retries_remaining <= 0:
            error = ForwardRetriesExhausted(entry.port_id_on_b, entry.channel_id_on_b)
            answer = Acknowledgement(error=acks.failure_text(error))
            return self._forwarder.acknowledge_original(ctx, packet, data, entry, answer)
        # guard: h170-a-try-is-sent-before-the-refund test_a_timeout_is_tried_again_after_ics_20_refunded
        #   test_h170_no_schedule_of_forwards_loses_or_makes_coins
        self.below.on_timeout_packet(ctx, timed_out)
        return self._forwarder.retry(ctx, packet, data, entry)


def _may_forward(data: bytes) -> bool:
    """Return whether the data may hold the key `forward`; a cheap filter for most packets."""
    # guard: h172-escaped-keys-are-not-looked-for drop:_ESCAPED test_the_key_may_be_spelt_with_escapes
    return _KEY in data or _ESCAPED in data


def _hops_of(memo: str) -> tuple[Hop, ...] | None:
    """Parse and check the hops of a memo; None if it does not ask for forwarding.

    Raises:
        InvalidForwardMetadata: the metadata is malformed.
        InvalidForwardHop: this chain's hop is invalid.
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
        return None  # ICS-20 below reports the error
