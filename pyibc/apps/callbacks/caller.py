"""Contract calls, shared by both middlewares: read the callback data, call the contract, emit the event."""

from collections.abc import Callable
from enum import Enum
from typing import Any

from ibc_module.registration import AtWiring
from pyibc.apps.callbacks.contract import (
    BoundContract,
    Contracts,
    DestinationReceived,
    SourceAcknowledged,
    SourceSent,
    SourceTimedOut,
)
from pyibc.apps.callbacks.memo import CallbackData, Side, callback_data
from pyibc.core.address import Address
from pyibc.core.application.packet_data import PacketData
from pyibc.core.errors import (
    NO_VERDICT,
    CallbackAddressNotFound,
    CallbackOutOfGas,
    CallbackPanicked,
    IbcError,
)
from pyibc.core.host.block import Attribute, Event
from pyibc.core.host.context import WriteContext
from pyibc.core.host.gas import Allowance, GasMeter
from pyibc.core.packet.types import Packet
from pyibc.isolation.boundary import Place, is_sound, raised_by
from pyibc.isolation.call_depth import TooDeep
from pyibc.isolation.limits import MAX_CONTRACT_EVENT_BYTES, MAX_CONTRACT_EVENTS, bounded_events

MODULE_NAME = "ibccallbacks"
MAX_ERROR_TEXT = 1_024
"""Maximal length, in characters, of an error in an event."""


class CallbackType(Enum):
    """Callback types, as events and errors name them (ibc-go's CallbackType)."""

    SEND = "send_packet"
    ACKNOWLEDGEMENT = "acknowledgement_packet"
    TIMEOUT = "timeout_packet"
    RECEIVE = "receive_packet"


def callback_event(
    callback_type: CallbackType,
    callback: CallbackData,
    port_id: str,
    channel_id: str,
    sequence: int,
    error: IbcError | None,
) -> Event:
    """Build the event of a contract call.

    `port_id`, `channel_id`: this chain's channel end; in IBC v2 a client identifier as `channel_id`.
    """
    received = callback_type is CallbackType.RECEIVE
    end = "dest" if received else "src"
    outcome: tuple[Attribute, ...] = (("callback_result", "success"),)
    if error is not None:
        outcome = (("callback_error", str(error)[:MAX_ERROR_TEXT]), ("callback_result", "failure"))
    return (
        "ibc_dest_callback" if received else "ibc_src_callback",
        (
            ("module", MODULE_NAME),
            ("callback_type", callback_type.value),
            ("callback_address", callback.address),
            ("callback_exec_gas_limit", str(callback.execution_gas)),
            ("callback_commit_gas_limit", str(callback.commit_gas)),
            ("packet_sequence", str(sequence)),
            ("callback_base_application_version", callback.version),
            *outcome,
            (f"packet_{end}_port", port_id),
            (f"packet_{end}_channel", channel_id),
        ),
    )


# -- contract calls: gas, branch of the state, and the effect of a failure (ibc-go's ProcessCallback)

_Call = Callable[[Any, Any], None]


def process(
    ctx: WriteContext,
    callback_type: CallbackType,
    callback: CallbackData,
    call: _Call,
    value: object,
    place: Place,
) -> IbcError | None:
    """Call a contract with the gas that the packet allows; return the error it failed with.

    The transaction pays for the gas used, at most the allowance. Writes and events of a failed contract are
    reverted. `value` is passed to the contract; `place` logs exceptions that are bugs.

    Raises:
        OutOfGas: the contract ran out of gas, and a transaction with more gas could give it more. The
            transaction fails; a relayer submits the packet again with more gas.
        BaseException: during a send, any exception other than a refusal.
    """
    meter: GasMeter = ctx.gas  # type: ignore[assignment]  # the block's meter, not a confined view
    with ctx.branch() as branch:
        allowance = Allowance(meter, callback.execution_gas)
        try:
            # guard: h175-events-have-no-end drop:bounded_events
            #   test_h175_a_contract_that_tells_too_much_fails_alone
            raised = raised_by(
                bounded_events(call, MAX_CONTRACT_EVENTS, MAX_CONTRACT_EVENT_BYTES), ctx, value
            )
            if isinstance(raised, TooDeep):
                # guard: h175-gas-by-the-library-s-depth test_h175_a_contract_that_calls_too_deep_fails_alone
                allowance.spend()  # the amount used depends on the interpreter's stack depth
        finally:
            ran_out = allowance.close()
        # guard: h175-out-of-gas-is-a-success drop:ran_out
        #   test_h175_a_contract_that_had_all_it_was_allowed_fails_alone
        if raised is None and not ran_out:
            return None
        failed = _failed(callback_type, callback, raised, meter if ran_out else None, place)
        # guard: h175-a-failed-contract-s-writes-stay test_h175_a_refusal_undoes_what_the_contract_wrote
        branch.discard()
    return failed


def _failed(
    callback_type: CallbackType,
    callback: CallbackData,
    raised: BaseException | None,
    exhausted: GasMeter | None,
    place: Place,
) -> IbcError:
    """Return the error of a failed callback; `exhausted` is its gas meter if it ran out of gas.

    Raises:
        BaseException: see `process`.
    """
    refusal = raised if isinstance(raised, IbcError) and _is_refusal(raised) else None
    # guard: h175-a-bug-fails-the-transaction drop:callback_type
    #   test_h175_a_bug_of_a_contract_does_not_hold_a_packet_up
    # guard: h175-a-bug-lets-a-packet-be-sent-as-refused drop
    #   test_a_bug_of_a_contract_fails_the_transaction_of_a_send
    if raised is not None and refusal is None and callback_type is CallbackType.SEND:
        raise raised
    # guard: h176-stingy-relayers-decide test_h176_with_too_little_gas_nothing_is_settled
    if exhausted is not None and callback.may_retry:
        # guard: h176-who-swallows-it-settles {=> raise OutOfGas(exhausted.limit, exhausted.used)}
        #   test_h176_what_swallows_it_on_the_way_does_not_settle_anything
        exhausted.consume(1)  # raises: the transaction has no gas left
    if exhausted is not None or raised is None:
        return CallbackOutOfGas(callback_type.value)
    if refusal is not None:
        return refusal
    place.failed(raised)
    return CallbackPanicked(callback_type.value, type(raised).__name__)


def _is_refusal(error: IbcError) -> bool:
    # guard: h175-a-panic-is-a-refusal drop:isinstance test_h175_a_bug_of_a_contract_does_not_hold_a_packet_up
    # guard: h175-an-unsound-error-is-a-refusal drop:is_sound
    #   test_h175_a_bug_of_a_contract_does_not_hold_a_packet_up
    return is_sound(error) and not isinstance(error, NO_VERDICT)


# -- the caller


class ContractCaller:
    """Calls the contracts of one chain."""

    contracts = AtWiring[Contracts]()

    def __init__(self, max_gas: int) -> None:
        """Set the chain's maximal gas for one contract call."""
        self._max_gas = max_gas
        self._place = Place("a contract")

    def callback_data(
        self, ctx: WriteContext, side: Side, decode: Callable[[], PacketData], version: str, port_id_on_a: str
    ) -> CallbackData | None:
        """Return a packet's callback data, None if it has none or the application cannot decode the packet.

        Raises:
            InvalidCallbackData: the callback data is malformed.
        """
        try:
            data = decode()
        except NO_VERDICT:
            raise
        except IbcError:
            return None
        return callback_data(data, side, version, port_id_on_a, ctx.gas.remaining, self._max_gas)

    def sent(self, ctx: WriteContext, callback: CallbackData, packet: Packet) -> None:
        """Call the contract for a packet that is being sent; its refusal fails the send.

        A packet that names its own sender as the contract is sent without a call if there is no contract at
        that address: every GMP call names its sender, which may be an account with a key.

        Raises:
            BaseException: the contract refused or failed; see `process`.
        """
        # guard: h177-an-account-cannot-call drop
        #   test_an_account_that_names_itself_is_not_asked_and_is_told_in_vain
        if callback.address == callback.sender and self.contracts.at(callback.address) is None:
            return
        value = SourceSent(callback, packet)
        error = self._call(ctx, CallbackType.SEND, callback, lambda contract: contract.on_send_packet, value)
        if error is not None:
            raise error
        self._emit(ctx, CallbackType.SEND, callback, packet, None)

    def acknowledged(
        self,
        ctx: WriteContext,
        callback: CallbackData,
        packet: Packet,
        acknowledgement: bytes,
        relayer: Address,
    ) -> None:
        """Call the contract with the acknowledgement of a packet."""
        value = SourceAcknowledged(callback, packet, acknowledgement, relayer)
        callback_type = CallbackType.ACKNOWLEDGEMENT
        error = self._call(
            ctx, callback_type, callback, lambda contract: contract.on_acknowledgement_packet, value
        )
        # guard: h175-an-acknowledgement-waits-for-its-contract {=> if error is not None: raise error}
        #   test_h175_no_contract_holds_an_answer_or_a_timeout_up
        self._emit(ctx, callback_type, callback, packet, error)

    def timed_out(self, ctx: WriteContext, callback: CallbackData, packet: Packet, relayer: Address) -> None:
        """Call the contract for a packet that timed out."""
        value = SourceTimedOut(callback, packet, relayer)
        callback_type = CallbackType.TIMEOUT
        error = self._call(ctx, callback_type, callback, lambda contract: contract.on_timeout_packet, value)
        self._emit(ctx, callback_type, callback, packet, error)

    def received(
        self, ctx: WriteContext, callback: CallbackData, packet: Packet, acknowledgement: bytes
    ) -> IbcError | None:
        """Call the contract for a received packet; return the error it refused with."""
        value = DestinationReceived(callback, packet, acknowledgement)
        callback_type = CallbackType.RECEIVE
        error = self._call(ctx, callback_type, callback, lambda contract: contract.on_recv_packet, value)
        self._emit(ctx, callback_type, callback, packet, error)
        return error

    def _call(
        self,
        ctx: WriteContext,
        callback_type: CallbackType,
        callback: CallbackData,
        method: Callable[[BoundContract], Callable[[Any, Any], None]],
        value: object,
    ) -> IbcError | None:
        contract = self.contracts.at(callback.address)
        if contract is None:
            # guard: h177-nobody-at-the-address-is-a-yes test_nobody_has_the_address
            return CallbackAddressNotFound(callback.address[:128])
        return process(ctx, callback_type, callback, method(contract), value, self._place)

    def _emit(
        self,
        ctx: WriteContext,
        callback_type: CallbackType,
        callback: CallbackData,
        packet: Packet,
        error: IbcError | None,
    ) -> None:
        end = packet.port_id_on_a, packet.channel_id_on_a
        if callback_type is CallbackType.RECEIVE:
            end = packet.port_id_on_b, packet.channel_id_on_b
        ctx.emit(callback_event(callback_type, callback, *end, packet.sequence, error))
