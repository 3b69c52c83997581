"""One callback: its gas, its branch of the block, what becomes of its failure (ibc-go's ProcessCallback)."""

from collections.abc import Callable
from typing import Any

from ibc_core.application.answers import MAX_CONTRACT_EVENT_BYTES, MAX_CONTRACT_EVENTS, check_events
from ibc_core.callbacks.asked import Asked
from ibc_core.callbacks.events import Occasion
from ibc_core.errors import NO_VERDICT, CallbackOutOfGas, CallbackPanicked, IbcError
from ibc_core.host.context import WriteContext
from ibc_core.host.depth import TooDeep
from ibc_core.host.gas import Allowance, GasMeter
from ibc_core.host.overlay import BlockContext
from ibc_module.apps.callbacks.guarded import raised_by
from ibc_module.border import Place, is_sound

_Call = Callable[[Any, Any], None]


def process(
    ctx: WriteContext,
    occasion: Occasion,
    asked: Asked,
    call: _Call,
    told: object,
    place: Place,
) -> IbcError | None:
    """Calls a contract with the gas that the packet's sender allowed; returns the error it failed with.

    The transaction is charged what the contract used, at most what it was allowed. A failed contract's writes
    and events are undone. `told`: what the contract is told. `place`: where its bugs are logged.

    Raises:
        OutOfGas: the contract ran out of gas, and would have been allowed more, had the transaction more
            left: all of it fails, and a relayer brings it again with more.
        BaseException: while a packet is sent, what the contract raised that is no refusal.
    """
    meter: GasMeter = ctx.gas  # type: ignore[assignment]  # a block's, not an application's view of it
    with ctx.branch() as branch:
        allowance = Allowance(meter, asked.execution_gas)
        try:
            # guard: h175-events-have-no-end drop:_bounded
            #   test_h175_a_contract_that_tells_too_much_fails_alone
            raised = raised_by(_bounded(call), ctx, told)
            if isinstance(raised, TooDeep):
                # guard: h175-gas-by-the-library-s-depth test_h175_a_contract_that_calls_too_deep_fails_alone
                allowance.spend()  # what it had used by then depends on the library's own depth
        finally:
            ran_out = allowance.close()
        # guard: h175-out-of-gas-is-a-success drop:ran_out
        #   test_h175_a_contract_that_had_all_it_was_allowed_fails_alone
        if raised is None and not ran_out:
            return None
        failed = _failed(occasion, asked, raised, meter if ran_out else None, place)
        # guard: h175-a-failed-contract-s-writes-stay test_h175_a_refusal_undoes_what_the_contract_wrote
        branch.discard()
    return failed


def _bounded(call: _Call) -> _Call:
    """The call, failing where it emits too much: else its message would fail by it, later."""

    def within(ctx: Any, told: Any) -> None:
        before = len(ctx.events) if isinstance(ctx, BlockContext) else 0
        call(ctx, told)
        if isinstance(ctx, BlockContext):
            check_events(ctx.events[before:], MAX_CONTRACT_EVENTS, MAX_CONTRACT_EVENT_BYTES)

    return within


def _failed(
    occasion: Occasion, asked: Asked, raised: BaseException | None, exhausted: GasMeter | None, place: Place
) -> IbcError:
    """What a failed callback comes to; `exhausted`: the meter of one that ran out of gas.

    Raises:
        BaseException: see `process`.
    """
    refusal = raised if isinstance(raised, IbcError) and _is_refusal(raised) else None
    # guard: h175-a-bug-fails-the-transaction drop:occasion
    #   test_h175_a_bug_of_a_contract_does_not_hold_a_packet_up
    # guard: h175-a-bug-lets-a-packet-be-sent-as-refused drop
    #   test_a_bug_of_a_contract_fails_the_transaction_of_a_send
    if raised is not None and refusal is None and occasion is Occasion.SEND:
        raise raised
    # guard: h176-stingy-relayers-decide test_h176_with_too_little_gas_nothing_is_settled
    if exhausted is not None and asked.may_retry:
        # guard: h176-who-swallows-it-settles {=> raise OutOfGas(exhausted.limit, exhausted.used)}
        #   test_h176_what_swallows_it_on_the_way_does_not_settle_anything
        exhausted.consume(1)  # raises: the contract had all that the transaction has
    if exhausted is not None or raised is None:
        return CallbackOutOfGas(occasion.value)
    if refusal is not None:
        return refusal
    place.failed(raised)
    return CallbackPanicked(occasion.value, type(raised).__name__)


def _is_refusal(error: IbcError) -> bool:
    # guard: h175-a-panic-is-a-refusal drop:isinstance test_h175_a_bug_of_a_contract_does_not_hold_a_packet_up
    # guard: h175-an-unsound-error-is-a-refusal drop:is_sound
    #   test_h175_a_bug_of_a_contract_does_not_hold_a_packet_up
    return is_sound(error) and not isinstance(error, NO_VERDICT)
