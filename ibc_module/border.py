"""The border around what plugins bring: where an exception becomes an error (docs/adr/0005).

Every way into a plugin's code that a stranger can take leads through here: decoding and executing messages,
what the mempool and proposals ask, queries. An `IbcError` passes. Any other error of the application's is
`ApplicationFault`. What depends on the machine stops the node where a block is executed; outside of blocks,
where an answer binds nobody, it is answered like any other error.
"""

import logging
import sys
from collections.abc import Callable
from functools import wraps
from traceback import format_exception
from typing import Any

from ibc_core.application.answers import MAX_RESPONSE, check_events, check_size
from ibc_core.errors import ApplicationFault, IbcError, InvalidCallbackAnswer, OutOfGas
from ibc_core.host.confined import ConfinedContext, Grant, confined, for_route, opened
from ibc_core.host.context import WriteContext
from ibc_core.host.depth import TooDeep, counted
from ibc_core.host.gas import GasMeter
from ibc_core.host.machine import THREAD, machine_error
from ibc_core.host.overlay import BlockContext
from ibc_core.host.routes import MessageRoute, QueryRoute
from ibc_core.host.shipped import is_shipped
from ibc_core.numbers import MAX_U32
from ibc_module.wiring_error import name_of

_log = logging.getLogger("pyibc")

_LOGGED = 8  # failures of one place that are logged; then each time that their number has doubled

_Call = Callable[..., Any]

READS = Grant(frozenset())
"""What is asked for an answer may write nothing."""


class Place:
    """One way into the plugins' code; what goes wrong there is logged under its name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._failures = 0

    def failed(self, error: BaseException) -> ApplicationFault:
        """Logs an error with its traceback; returns what the chain says of it."""
        self._failures += 1
        if self._failures <= _LOGGED or not self._failures & (self._failures - 1):
            told = "".join(format_exception(error)).encode(errors="backslashreplace").decode()
            _log.error("a panic in %s, the %d. time\n%s", self.name, self._failures, told)
        return ApplicationFault(self.name)


# -- in blocks: every validator must come to the same


def in_block(name: str, call: _Call) -> _Call:
    """`call` as a transaction runs it: it raises IbcError, or what stops the node.

    Raises:
        ApplicationFault: the call raised what is no IbcError, or went too deep.
        OutOfGas: gas ran out in it, whatever it made of that.
        BaseException: an error of the machine, even if the call made another of it, or went on.
    """
    place = Place(name)

    @wraps(call)
    def cross(*given: Any) -> Any:
        crossing = THREAD.crossing
        if crossing.counting:  # an application calls a route: it is inside already
            return call(*given)
        crossing.entered = False
        outside = sys.exception()
        crossing.borders += 1
        try:
            answer = call(*given)
            if crossing.fault is not None:
                check_swallowed(given)
        except BaseException as error:
            settled = _settled(place, error, outside, given)
            if settled is error:
                raise
            raise settled from error
        finally:
            crossing.borders -= 1
        return answer

    return cross


def _settled(
    place: Place, raised: BaseException, outside: BaseException | None, given: tuple[Any, ...]
) -> BaseException:
    """What a call comes to that raised `raised`, or swallowed what holds nevertheless."""
    crossing = THREAD.crossing
    fault, gas_used = crossing.fault, crossing.gas_used
    crossing.clear()
    behind = machine_error(raised, outside)
    if isinstance(fault, TooDeep):
        # What came after it, Python's own limit among it, changes nothing: the verdict stood.
        if behind is not None and not isinstance(behind, RecursionError):
            return crossing.stops(behind)
        if given and hasattr(given[0], "gas"):
            given[0].gas.used = gas_used
        return place.failed(raised)
    # guard: d39-the-machine-decides test_d39_the_machine_s_errors_stop_the_node
    if behind is not None:
        return crossing.stops(behind)
    if fault is not None:
        return crossing.stops(fault)
    try:
        check_swallowed(given)
    except OutOfGas as out:
        return raised if isinstance(raised, OutOfGas) else out
    # guard: d39-an-exception-halts-the-chain always:is_sound
    #   test_d39_an_application_s_error_is_one_code_and_says_nothing
    return raised if is_sound(raised) else place.failed(raised)


def is_sound(error: BaseException) -> bool:
    """Whether an error is an IbcError that a result can hold: plugins define their own, perhaps wrongly."""
    if not isinstance(error, IbcError):
        return False
    code: object = error.code
    codespace: object = error.codespace
    if type(code) is not int or not 0 < code <= MAX_U32 or type(codespace) is not str or not codespace:
        return False
    try:
        return bool(str(error).encode()) and codespace.isascii()
    except Exception:  # noqa: BLE001 - whatever its text raises: it has none
        return False


def check_swallowed(given: tuple[Any, ...]) -> None:
    """Checks that an application did not go on after what it must not go on after.

    Raises:
        OutOfGas: its gas had run out.
        BaseException: `TooDeep`, or what a store had raised.
    """
    fault = THREAD.crossing.fault
    if fault is not None:
        raise fault
    meter: GasMeter | None = getattr(given[0], "gas", None) if given else None
    # guard: d39-swallowed-gas-is-free test_d39_gas_that_ran_out_is_remembered
    if meter is not None and meter.used > meter.limit:
        raise OutOfGas(meter.limit, meter.used)


def route(plugin: object, type_url: str, of_plugin: MessageRoute, grant: Grant = READS) -> MessageRoute:
    """A plugin's message behind the border.

    Unless the plugin is shipped its depth is counted, it is executed with a context confined to `grant`, and
    what it decodes is not used twice: the plugin may change it.
    """
    inside = route_inside(plugin, of_plugin, grant)
    decode = f"{type_url} decode"
    return inside._replace(
        decode=in_block(decode, inside.decode),
        signers=in_block(f"{type_url} signers", inside.signers),
        deliver=_delivered(plugin, type_url, inside.deliver),
        decode_in_tx=_if_any(inside.decode_in_tx, lambda call: in_block(decode, call)),
        read=_if_any(inside.read, lambda call: in_block(decode, call)),
        check=in_block(f"{type_url} check", inside.check),
        is_lasting=is_shipped(plugin),
    )


def route_inside(plugin: object, of_plugin: MessageRoute, grant: Grant = READS) -> MessageRoute:
    """A plugin's message for whoever is behind the border already: another message that executes it.

    What goes wrong in it is that message's, and settled where the border is left. Unless the plugin is
    shipped its depth is counted and it is executed with a context confined to `grant`, as by `route`.
    """
    if is_shipped(plugin):
        return of_plugin
    # guard: h162-executed-messages-have-the-block drop:confined
    #   test_h162_messages_of_strangers_are_confined_whoever_executes_them
    # guard: h84-a-plugin-s-message-has-the-block drop:confined test_h84_a_plugin_is_refused_when_it
    #   test_h84_a_context_is_over_with_the_call
    return of_plugin._replace(
        decode=counted(of_plugin.decode),
        signers=counted(of_plugin.signers),
        deliver=confined(counted(of_plugin.deliver), grant),
        decode_in_tx=_if_any(of_plugin.decode_in_tx, counted),
        read=_if_any(of_plugin.read, counted),
        check=counted(of_plugin.check),
    )


def executed(plugin: object, type_url: str, of_plugin: MessageRoute, grant: Grant = READS) -> MessageRoute:
    """A plugin's message as other messages execute it: `route_inside`, and its errors can be answered.

    Whoever executes it may write an error's code into an acknowledgement, and so into the state: what is no
    sound error of a stranger's is `ApplicationFault` here already.
    """
    inside = route_inside(plugin, of_plugin, grant)
    if is_shipped(plugin):
        return inside
    # guard: h162-an-error-of-any-code drop:deliver
    #   test_h162_an_error_that_no_acknowledgement_holds_is_a_fault
    return inside._replace(
        decode=_sound(f"{type_url} decode", inside.decode),
        signers=_sound(f"{type_url} signers", inside.signers),
        deliver=_sound(type_url, inside.deliver),
        decode_in_tx=_if_any(inside.decode_in_tx, lambda call: _sound(f"{type_url} decode", call)),
        read=_if_any(inside.read, lambda call: _sound(f"{type_url} decode", call)),
        check=_sound(f"{type_url} check", inside.check),
    )


def _sound(name: str, call: _Call) -> _Call:
    place = Place(name)

    def judged(*given: Any) -> Any:
        try:
            return call(*given)
        except IbcError as error:
            if is_sound(error):
                raise
            raise place.failed(error) from error

    return judged


def _if_any(call: _Call | None, around: Callable[[_Call], _Call]) -> _Call | None:
    return None if call is None else around(call)


def _delivered(plugin: object, type_url: str, deliver: _Call) -> _Call:
    """`in_block` for the call that is hot; it looks at what code of others emitted."""
    place = Place(type_url)

    def cross(ctx: WriteContext, message: Any) -> bytes:
        crossing = THREAD.crossing
        if crossing.counting:
            return deliver(for_route(ctx), message)  # type: ignore[no-any-return]
        crossing.entered = False
        outside = sys.exception()
        block: Any = opened(ctx) if type(ctx) is ConfinedContext else ctx
        before = len(block.events) if type(block) is BlockContext else 0
        # guard: h226-a-message-is-no-border {1 => 0}
        #   test_h226_what_a_store_raised_stops_the_node_behind_any_number_of_borders
        crossing.borders += 1
        try:
            answer: bytes = deliver(ctx, message)
            gas = block.gas
            if crossing.fault is not None or gas.used > gas.limit:
                check_swallowed((block,))
            if crossing.entered:
                _check_response(plugin, type_url, answer)
                if type(block) is BlockContext:
                    check_events(block.events[before:])
        except BaseException as error:
            settled = _settled(place, error, outside, (block,))
            if settled is error:
                raise
            raise settled from error
        finally:
            # guard: h226-a-message-is-no-border {1 => 0}
            crossing.borders -= 1
        return answer

    return cross


def _check_response(plugin: object, where: str, answer: object) -> None:
    if type(answer) is not bytes:
        raise InvalidCallbackAnswer(name_of(plugin), where, "bytes", type(answer).__name__)
    check_size(f"response to {where}", len(answer), MAX_RESPONSE)


# -- outside of blocks: an answer binds nobody, and the node lives


def outside_blocks(name: str, call: _Call) -> _Call:
    """`call` for a mempool, a proposal or a query: whatever goes wrong is an IbcError.

    Raises:
        IbcError: the call's own; `ApplicationFault` for any other error, of the machine as well.
        KeyboardInterrupt, SystemExit: somebody stops the node.
    """
    place = Place(name)

    @wraps(call)
    def cross(*given: Any) -> Any:
        if THREAD.crossing.counting:
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
            THREAD.crossing.clear()
        return answer

    return cross


def asked(plugin: object, path: str, of_plugin: QueryRoute) -> QueryRoute:
    """A plugin's query for a message that asks it, as `executed`."""
    # guard: h162-asked-queries-have-the-block always:is_shipped
    #   test_h162_messages_of_strangers_are_confined_whoever_executes_them
    return of_plugin if is_shipped(plugin) else _sound(path, confined(counted(of_plugin), READS))
