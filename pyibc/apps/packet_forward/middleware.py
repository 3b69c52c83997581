"""Packet-forward middleware around ICS-20: forwards received packets and processes the outcome."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final, NamedTuple

from pyibc.apps.packet_forward import state
from pyibc.apps.packet_forward.packet_data import FORWARD, Hop, read_hops, write_memo
from pyibc.apps.packet_forward.state import InFlight
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.coins import EscrowMoves, has_prefix, voucher, without_first_hop
from pyibc.apps.transfer.denom import Denom
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.apps.transfer.packet_data import TransferData
from pyibc.core.address import AddressCodec
from pyibc.core.application.classic import Acknowledged, AppAcknowledgement, BoundApp, Received, TimedOut
from pyibc.core.application.middleware import PassThroughApp
from pyibc.core.application.services import PacketSender
from pyibc.core.coin import coin
from pyibc.core.errors import (
    NO_VERDICT,
    ForwardKeyNotFound,
    ForwardReceiveFailed,
    ForwardRefundFailed,
    ForwardRetriesExhausted,
    ForwardTransferFailed,
    IbcError,
    InsufficientBalance,
    InvalidForwardMetadata,
    UnknownMessage,
)
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.host.context import WriteContext
from pyibc.core.numbers import MAX_U64
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.acknowledgement import Acknowledgement
from pyibc.core.packet.types import Packet
from pyibc.core.paths import channel_path
from pyibc.core.value import sealed
from pyibc.isolation.isolate import builtin

# -- coins of forwarded packets, and the preparation of their refund


def received_denom(packet: Packet, denom: Denom) -> str:
    """Return the bank's name of a packet's coins on the receiving chain."""
    if has_prefix(denom, packet.port_id_on_a, packet.channel_id_on_a):
        return without_first_hop(denom).coin_denom
    return voucher(denom, packet.port_id_on_b, packet.channel_id_on_b).coin_denom


def prepare_refund(
    ctx: WriteContext, moves: EscrowMoves, sent: Packet, data: TransferData, entry: InFlight
) -> None:
    """Prepare the refund of a packet that was forwarded and failed.

    The coins are in escrow for the onward channel, or burned. The refund on the previous chain needs them in
    escrow for the channel they came over, or burned.

    Raises:
        ForwardRefundFailed: the escrow account holds less.
        LogicFault: more than was ever escrowed.
    """
    amount = coin(data.denom.coin_denom, data.amount)
    onward = sent.port_id_on_a, sent.channel_id_on_a
    back = entry.port_id_on_b, entry.channel_id_on_b
    try:
        # guard: h170-burned-coins-are-not-made-again drop
        #   test_h170_vouchers_burned_on_the_way_home_are_made_again_in_escrow
        #   test_h170_no_schedule_of_forwards_loses_or_makes_coins
        if has_prefix(data.denom, *onward):
            moves.mint(ctx, amount, back)
        # guard: h170-vouchers-are-moved-and-not-burned test_h170_vouchers_made_here_are_burned_again
        #   test_h170_no_schedule_of_forwards_loses_or_makes_coins
        elif has_prefix(data.denom, *back):
            moves.burn(ctx, amount, onward)
        else:
            # guard: h170-coins-stay-in-the-escrow-of-the-way-on drop
            #   test_h170_coins_of_this_chain_go_back_into_the_escrow_they_came_out_of
            #   test_h170_no_schedule_of_forwards_loses_or_makes_coins
            moves.move(ctx, amount, onward, back)
    except InsufficientBalance as error:
        raise ForwardRefundFailed(str(error)) from error


# -- the forwarder

_TYPE: Final = sha256(state.STORE_NAME.encode()).digest()

SendTransfer = Callable[[WriteContext, MsgTransfer], int]
"""Executes a MsgTransfer that has not passed its stateless checks; returns the packet's sequence."""


def intermediate_account(channel_id: str, sender: str) -> bytes:
    """Return the account for coins in transit, derived from this chain's channel and the original sender.

    20 bytes of the SDK's `address.Hash`, without a private key.
    """
    # guard: h171-one-account-for-all-channels drop:channel_id
    #   test_h171_the_account_is_of_a_channel_and_a_sender
    # guard: h171-one-account-for-all-senders drop:sender test_h171_the_account_is_of_a_channel_and_a_sender
    return sha256(_TYPE + f"{channel_id}/{sender}".encode()).digest()[:20]


@sealed
class Defaults(NamedTuple):
    """Values for hops that do not set them."""

    retries: int = 0  # retries after timeouts
    timeout_ns: int = 10 * 60 * 10**9


class Forwarder:
    """Forwards the packets of one chain."""

    def __init__(
        self,
        transfer: SendTransfer,
        sender: PacketSender,
        moves: EscrowMoves,
        addresses: AddressCodec,
        defaults: Defaults,
    ) -> None:
        """Set up: `transfer` sends through the whole stack, `sender` through the layers above this one."""
        self._transfer = transfer
        self._sender = sender
        self._moves = moves
        self._addresses = addresses
        self._defaults = defaults

    def account(self, packet: Packet, data: TransferData) -> str:
        """Return the intermediate account's address: receives a packet's coins and sends them on."""
        return self._addresses.encode(intermediate_account(packet.channel_id_on_b, data.sender)).text

    def forward(self, ctx: WriteContext, packet: Packet, data: TransferData, hops: Sequence[Hop]) -> None:
        """Send on the coins of a packet that the intermediate account received.

        Raises:
            ForwardTransferFailed: the transfer was refused.
        """
        hop = hops[0]
        entry = InFlight(
            data.sender,
            packet.channel_id_on_b,
            packet.port_id_on_b,
            packet.channel_id_on_a,
            packet.port_id_on_a,
            packet.timeout_ns_on_b,
            str(packet.timeout_height_on_b),
            packet.data,
            packet.sequence,
            self._defaults.retries if hop.retries is None else hop.retries,
            hop.timeout_ns if hop.timeout_ns > 0 else self._defaults.timeout_ns,
        )
        denom = received_denom(packet, data.denom)
        self._send(ctx, entry, hop, self.account(packet, data), denom, data.amount, hops[1:])

    def retry(self, ctx: WriteContext, sent: Packet, data: TransferData, entry: InFlight) -> None:
        """Send the coins again after ICS-20 refunded them to the intermediate account.

        Raises:
            ForwardTransferFailed: the transfer was refused.
        """
        # guard: h170-tries-have-no-end drop:1 test_a_timeout_is_tried_again_after_ics_20_refunded
        entry = entry._replace(retries_remaining=entry.retries_remaining - 1)
        hop = Hop(data.receiver, sent.port_id_on_a, sent.channel_id_on_a)
        following = (read_hops(data.memo) or ()) if data.memo else ()
        self._send(ctx, entry, hop, data.sender, data.denom.coin_denom, data.amount, following)

    def _send(
        self,
        ctx: WriteContext,
        entry: InFlight,
        hop: Hop,
        account: str,
        denom: str,
        amount: int,
        following: Sequence[Hop],
    ) -> None:
        msg = MsgTransfer(
            hop.port_id,
            hop.channel_id,
            denom,
            str(amount),
            account,
            hop.receiver,
            ZERO_HEIGHT,
            (ctx.time_ns + entry.timeout_ns) & MAX_U64,  # wraps around as in Go
            write_memo(following) if following else "",
        )
        try:
            sequence = self._transfer(ctx, msg)
        # guard: h174-out-of-gas-is-a-failed-transfer test_h174_no_verdict_is_no_answer
        except NO_VERDICT:
            raise
        except IbcError as error:
            raise ForwardTransferFailed(str(error)) from error
        state.set_in_flight(ctx, hop.port_id, hop.channel_id, sequence, entry)

    def acknowledge_original(
        self, ctx: WriteContext, sent: Packet, data: TransferData, entry: InFlight, answer: Acknowledgement
    ) -> None:
        """Acknowledge the original packet with the next chain's answer; on an error, prepare the refund.

        Raises:
            ForwardRefundFailed: the original packet's channel does not exist, or the coins are missing.
            IbcError: it was acknowledged already, see `handlers.packet.write_acknowledgement`.
        """
        if not ctx.ibc.has(channel_path(entry.port_id_on_b, entry.channel_id_on_b)):
            raise ForwardRefundFailed("the channel of the original packet does not exist")
        # guard: h170-a-failure-is-answered-without-a-refund drop
        #   test_h170_vouchers_burned_on_the_way_home_are_made_again_in_escrow
        #   test_h170_no_schedule_of_forwards_loses_or_makes_coins
        #   test_h170_vouchers_made_here_are_burned_again
        #   test_h170_no_schedule_of_forwards_loses_or_makes_coins
        #   test_h170_coins_of_this_chain_go_back_into_the_escrow_they_came_out_of
        #   test_h170_no_schedule_of_forwards_loses_or_makes_coins
        if not answer.success:
            prepare_refund(ctx, self._moves, sent, data, entry)
        self._sender.write_acknowledgement(ctx, entry.packet, acks.encode(answer))


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
