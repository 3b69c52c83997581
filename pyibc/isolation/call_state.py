"""State of a thread while it runs an application's code, and errors of the machine.

An error of an application is the same on every validator and fails its transaction. An error of the machine,
such as exhausted memory or a failed disk, must not affect the state: the node stops, and executes the block
again when it is restarted. An application may catch such an error and go on. So the error of a store, and an
exceeded call depth, are remembered until the boundary is left (docs/adr/0005).
"""

import sys
from threading import local

from pyibc.core.errors import IbcError

SYSTEM_ERRORS: tuple[type[BaseException], ...] = (
    MemoryError,
    OSError,
    RecursionError,  # Python's own limit; that of applications comes long before (`call_depth`)
    ImportError,  # depends on what is installed
    SystemError,  # an error in the interpreter
    KeyboardInterrupt,
    SystemExit,  # raised by signal handlers, anywhere in the program
)
"""Errors that other validators may not have had. Any other exception is caused by the application."""


class CallState:
    """State of one thread while it runs code of applications; empty outside of them."""

    __slots__ = ("boundaries", "collecting", "counting", "entered", "executing", "fault", "gas_used")

    def __init__(self) -> None:
        self.fault: BaseException | None = None
        """The first error of a store, or `TooDeep`; it counts even if the application caught it."""
        self.boundaries = 0
        """Number of nested boundaries around the running code."""
        self.entered = False
        """True once code that is not builtin has run."""
        self.counting = False
        """True while such code runs and its depth is counted."""
        self.executing = 0
        """Number of nested messages being executed inside of one of the transaction's own."""
        self.gas_used = 0
        """Gas used when such code was entered."""
        self.collecting = False
        """True while this thread collects garbage and runs callbacks of the collector."""

    def clear(self) -> None:
        """Reset the fault and `entered`."""
        self.fault = None
        self.entered = False

    def stops(self, error: BaseException) -> BaseException:
        """Return `error`, which stops the node, and remember it for the boundaries around this one."""
        # guard: h226-the-inner-boundary-forgets-for-all drop:self
        #   test_h226_what_a_store_raised_stops_the_node_behind_any_number_of_boundaries
        #   test_h226_a_rotten_balance_stops_the_node_within_a_message
        # guard: h226-the-last-boundary-remembers always:self
        #   test_h226_the_next_transaction_is_not_blamed_for_it
        self.fault = error if self.boundaries > 1 else None
        return error


class _Thread(local):
    def __init__(self) -> None:
        self.call = CallState()
        self.observed: list[BaseException] | None = None
        """Exceptions of applications so far, if a test collects them."""


THREAD = _Thread()
"""State of the running thread."""


def remember() -> None:
    """Remember the exception being handled, which a store raised, unless it is an IbcError."""
    error, state = sys.exception(), THREAD.call
    if state.fault is None and not isinstance(error, IbcError):
        state.fault = error


def machine_error(error: BaseException, outside: BaseException | None = None) -> BaseException | None:
    """Return the first error of the machine among `error`, its causes, contexts and group members, or None.

    `outside` is the exception that was being handled when the boundary was entered: it is ignored.
    """
    pending: list[BaseException | None] = [error]
    seen = {id(outside)}
    while pending:
        each = pending.pop()
        if each is None or id(each) in seen:
            continue
        if isinstance(each, SYSTEM_ERRORS):
            return each
        seen.add(id(each))
        if each.__context__ is outside:
            each.__context__ = None  # else it would be found if `error` is raised again
        # guard: d39-a-cause-is-not-looked-at drop
        #   test_d39_the_machine_s_error_stops_the_node_whatever_is_made_of_it
        pending += (each.__context__, each.__cause__)
        if isinstance(each, BaseExceptionGroup):
            pending += reversed(each.exceptions)
    return None
