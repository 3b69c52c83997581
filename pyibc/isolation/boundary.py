"""Error boundary of plugins: exceptions become errors of the chain here (docs/adr/0005).

Plugins are called through here wherever a user or a packet can cause the call: to decode and execute
messages, for the mempool, for proposals, for queries. An `IbcError` passes; any other error of the
application becomes `ApplicationFault`. An error of the machine, such as a full disk, stops the node if a
block is being executed. Outside of blocks, where no other node depends on the result, it is answered like any
other error.
"""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from traceback import format_exception
from typing import Any

from pyibc.core.errors import ApplicationFault, IbcError, InvalidCallbackAnswer, OutOfGas
from pyibc.core.host.context import WriteContext
from pyibc.core.host.gas import AnswerPrices, GasMeter
from pyibc.core.host.overlay import BlockContext
from pyibc.core.numbers import MAX_U32
from pyibc.isolation.call_depth import TooDeep
from pyibc.isolation.call_state import THREAD, machine_error
from pyibc.isolation.limits import MAX_RESPONSE, check_events, check_size, size_of_events
from pyibc.isolation.scoped_context import ScopedContext, for_route, opened

# -- logging of plugin failures by the place where they happen

_log = logging.getLogger("pyibc")

_LOGGED = 8  # failures per place that are logged; after that, each doubling


class Place:
    """Entry point into plugins' code, under whose name failures are logged."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._failures = 0

    def failed(self, error: BaseException) -> ApplicationFault:
        """Log an exception with its traceback; return the error for the chain."""
        self._failures += 1
        if self._failures <= _LOGGED or not self._failures & (self._failures - 1):
            trace = "".join(format_exception(error)).encode(errors="backslashreplace").decode()
            _log.error("a panic in %s, the %d. time\n%s", self.name, self._failures, trace)
        if THREAD.observed is not None:
            THREAD.observed.append(error)
        return ApplicationFault(self.name)


@contextmanager
def observed_faults() -> Iterator[list[BaseException]]:
    """Collect the exceptions that become `ApplicationFault` in this thread inside the `with` block.

    For tests of applications, which show the exception itself; it has no effect on the chain.
    """
    before = THREAD.observed
    found: list[BaseException] = []
    THREAD.observed = found
    try:
        yield found
    finally:
        THREAD.observed = before


_Call = Callable[..., Any]

# -- in blocks: every validator must get the same result


def in_block(name: str, call: _Call) -> _Call:
    """Return `call` with the error boundary of a transaction around it.

    Raises:
        ApplicationFault: the call raised an exception that is no IbcError, or exceeded the call depth.
        OutOfGas: gas ran out, even if the call caught that.
        BaseException: an error of the machine, even if the call caught or converted it. It stops the node.
    """
    place = Place(name)

    @wraps(call)
    def cross(*given: Any) -> Any:
        state = THREAD.call
        if state.counting:  # an application calls a route: the boundary is around it already
            return call(*given)
        state.entered = False
        outside = sys.exception()
        # guard: h226-a-message-is-no-boundary {1 => 0}
        #   test_h226_what_a_store_raised_stops_the_node_behind_any_number_of_boundaries
        state.boundaries += 1
        try:
            answer = call(*given)
            if state.fault is not None:
                check_swallowed(given)
        except BaseException as error:
            settled = _settled(place, error, outside, given)
            if settled is error:
                raise
            raise settled from error
        finally:
            # guard: h226-a-message-is-no-boundary {1 => 0}
            state.boundaries -= 1
        return answer

    return cross


def _settled(
    place: Place, raised: BaseException, outside: BaseException | None, given: tuple[Any, ...]
) -> BaseException:
    """Return the error to raise for a call that raised `raised`, or that caught an error and went on."""
    state = THREAD.call
    fault, gas_used = state.fault, state.gas_used
    state.clear()
    behind = machine_error(raised, outside)
    if isinstance(fault, TooDeep):
        # Later errors, Python's recursion limit among them, change nothing: the depth was exceeded first.
        if behind is not None and not isinstance(behind, RecursionError):
            return state.stops(behind)
        if given and hasattr(given[0], "gas"):
            opened(given[0]).gas.used = gas_used
        return place.failed(raised)
    # guard: d39-the-machine-decides test_d39_the_machine_s_errors_stop_the_node
    if behind is not None:
        return state.stops(behind)
    if fault is not None:
        return state.stops(fault)
    try:
        check_swallowed(given)
    except OutOfGas as out:
        return raised if isinstance(raised, OutOfGas) else out
    # guard: d39-an-exception-halts-the-chain always:is_sound
    #   test_d39_an_application_s_error_is_one_code_and_says_nothing
    return raised if is_sound(raised) else place.failed(raised)


def is_sound(error: BaseException) -> bool:
    """Return whether an error is an IbcError with a valid code and codespace; plugins may define others."""
    if not isinstance(error, IbcError):
        return False
    code: object = error.code
    codespace: object = error.codespace
    if type(code) is not int or not 0 < code <= MAX_U32 or type(codespace) is not str or not codespace:
        return False
    try:
        return bool(str(error).encode()) and codespace.isascii()
    except Exception:  # noqa: BLE001 - its text cannot be had
        return False


def check_swallowed(given: tuple[Any, ...]) -> None:
    """Check that an application did not catch an error that must end its transaction, and go on.

    Raises:
        OutOfGas: gas had run out.
        BaseException: `TooDeep`, or the error of a store.
    """
    fault = THREAD.call.fault
    if fault is not None:
        raise fault
    meter: GasMeter | None = getattr(opened(given[0]), "gas", None) if given else None
    # guard: d39-swallowed-gas-is-free test_d39_gas_that_ran_out_is_remembered
    if meter is not None and meter.used > meter.limit:
        raise OutOfGas(meter.limit, meter.used)


def in_message(plugin: str, type_url: str, deliver: _Call, prices: AnswerPrices) -> _Call:
    """Return `deliver` with the boundary of `in_block`, and with its response and events checked and charged.

    `plugin` is the plugin's name in errors. A message that is executed by another one is charged with that.
    """
    what = f"response to {type_url}"
    response_byte, event_byte = prices

    def charged(ctx: WriteContext, message: Any) -> bytes:
        state = THREAD.call
        if state.counting:
            return deliver(for_route(ctx), message)  # type: ignore[no-any-return]
        block: Any = opened(ctx) if type(ctx) is ScopedContext else ctx
        has_events = isinstance(block, BlockContext)
        before = len(block.events) if has_events else 0
        answer: bytes = deliver(ctx, message)
        gas = block.gas
        if state.fault is not None or gas.used > gas.limit:
            check_swallowed((block,))
        check_bytes(plugin, type_url, answer)
        # guard: h246-responses-of-any-size drop test_h246_a_response_is_bounded_whoever_gives_it
        check_size(what, len(answer), MAX_RESPONSE)
        # guard: h246-responses-are-free drop test_h246_responses_and_events_cost_gas_by_the_byte
        gas.consume(response_byte * len(answer))
        if has_events:
            emitted = block.events[before:]
            size = check_events(emitted) if state.entered else size_of_events(emitted)
            # guard: h246-events-are-free drop test_h246_responses_and_events_cost_gas_by_the_byte
            gas.consume(event_byte * size)
        return answer

    return in_block(type_url, charged)


def check_bytes(plugin: str, what: str, answer: object) -> None:
    """Raise InvalidCallbackAnswer unless a plugin's answer is bytes."""
    if type(answer) is not bytes:
        raise InvalidCallbackAnswer(plugin, what, "bytes", type(answer).__name__)


# -- outside of blocks: no other node depends on the result, and this one goes on


def outside_blocks(name: str, call: _Call) -> _Call:
    """Return `call`, for the mempool, a proposal or a query, with every error converted to an IbcError.

    Raises:
        IbcError: the call's own; `ApplicationFault` for any other error, also of the machine.
        KeyboardInterrupt, SystemExit: the node is being stopped.
    """
    place = Place(name)

    @wraps(call)
    def cross(*given: Any) -> Any:
        if THREAD.call.counting:
            return call(*given)
        try:
            answer = call(*given)
            check_swallowed(given)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            if is_sound(error):
                raise
            raise place.failed(error) from error
        finally:
            THREAD.call.clear()
        return answer

    return cross


# -- error boundary of a call whose failure does not fail its transaction (docs/adr/0005)
#
# A contract's callback and the handler of a queue's packet are such calls: unless it is an error of the
# machine, their exception is returned to the caller, and the transaction goes on.


def raised_by(call: Callable[[Any, Any], None], ctx: WriteContext, value: object) -> BaseException | None:
    """Return the exception that a call raised, None if it returned. `TooDeep` counts even if it was caught.

    Raises:
        BaseException: an error of the machine, even if the call caught or converted it.
    """
    state, outside, counter = THREAD.call, sys.exception(), sys.getprofile()
    held = state.fault
    # guard: h178-contracts-run-after-a-fault test_h178_no_contract_is_called_after_what_somebody_swallowed
    if held is not None:  # an outer call caught an error that ends the transaction or stops the node
        raise held
    raised: BaseException | None = None
    try:
        call(ctx, value)
    except BaseException as error:  # noqa: BLE001 - judged below
        raised = error
    behind = None if raised is None else machine_error(raised, outside)
    swallowed: BaseException | None = THREAD.call.fault  # recorded during the call
    # guard: h175-python-s-limit-after-too-deep-stops-the-node drop:RecursionError
    #   test_h175_a_contract_that_calls_too_deep_fails_alone
    if isinstance(swallowed, TooDeep) and (behind is None or isinstance(behind, RecursionError)):
        # Later errors, Python's recursion limit among them, change nothing: the depth was exceeded first.
        # guard: h175-depth-fails-the-transaction test_h175_a_contract_that_calls_too_deep_fails_alone
        state.fault = None
        # guard: h175-nobody-counts-on test_h175_the_caller_s_depth_is_counted_on_after_that
        sys.setprofile(counter)  # Python removes a profile function that raises
        return swallowed
    if swallowed is not None and not isinstance(swallowed, TooDeep):
        raise swallowed
    # guard: h178-the-machine-decides test_h178_an_error_of_the_machine_stops_the_node
    if behind is not None:
        # guard: h178-a-swallowed-machine-error-is-lost test_h178_an_error_of_the_machine_stops_the_node
        state.fault = behind  # counts even if it is caught on the way out
        raise behind
    return raised
