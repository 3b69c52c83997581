"""Errors that this machine decides, and what a thread remembers while it is inside an application.

An application's error is the same on every validator and fails its transaction. What depends on the machine,
as memory that is used up or a disk that does not answer, must decide nothing: the node stops, and replays the
block when it is well again. An application may catch such an error and go on; so what a store raised, and
that an application went too deep, is remembered until the border is left (docs/adr/0005).
"""

import sys
from threading import local

from ibc_core.errors import IbcError

MACHINE: tuple[type[BaseException], ...] = (
    MemoryError,
    OSError,
    RecursionError,  # Python's own limit; that of applications comes long before (`ibc_core.host.depth`)
    ImportError,  # what is installed
    SystemError,  # of the interpreter
    KeyboardInterrupt,
    SystemExit,  # what handlers of signals raise, wherever the program is
)
"""What another machine might not have met. Any other exception is the application's own doing."""


class Crossing:
    """What one thread remembers while it is inside of applications; empty outside."""

    __slots__ = ("borders", "collecting", "counting", "entered", "executing", "fault", "gas_used")

    def __init__(self) -> None:
        self.fault: BaseException | None = None
        """The first error of a store, or `TooDeep`: it holds even if the application swallowed it."""
        self.borders = 0
        """How many are crossed just now, each within the one before."""
        self.entered = False
        """Whether code has run that is not known to be bounded."""
        self.counting = False
        """Whether such code is running, with its depth counted."""
        self.executing = 0
        """Messages that are executed inside of the transaction's own just now, each in the one before."""
        self.gas_used = 0
        """When such code was entered."""
        self.collecting = False
        """Whether this thread collects garbage just now, and runs what the collector calls."""

    def clear(self) -> None:
        """Forgets."""
        self.fault = None
        self.entered = False

    def stops(self, error: BaseException) -> BaseException:
        """The error that stops the node: every border around this one has to know, the last one forgets."""
        # guard: h226-the-inner-border-forgets-for-all drop:self
        #   test_h226_what_a_store_raised_stops_the_node_behind_any_number_of_borders
        #   test_h226_a_rotten_balance_stops_the_node_within_a_message
        # guard: h226-the-last-border-remembers always:self
        #   test_h226_the_next_transaction_is_not_blamed_for_it
        self.fault = error if self.borders > 1 else None
        return error


class _Thread(local):
    def __init__(self) -> None:
        self.crossing = Crossing()


THREAD = _Thread()
"""`THREAD.crossing` is the running thread's."""


def remember() -> None:
    """Notes what a store raised, the error under way, unless it is a refusal."""
    error, crossing = sys.exception(), THREAD.crossing
    if crossing.fault is None and not isinstance(error, IbcError):
        crossing.fault = error


def machine_error(error: BaseException, outside: BaseException | None = None) -> BaseException | None:
    """The first error of the machine among what `error` is, was raised from, while, or groups; None: none.

    `outside`: what was being handled when the border was crossed; it is not the application's.
    """
    pending: list[BaseException | None] = [error]
    seen = {id(outside)}
    while pending:
        each = pending.pop()
        if each is None or id(each) in seen:
            continue
        if isinstance(each, MACHINE):
            return each
        seen.add(id(each))
        if each.__context__ is outside:
            each.__context__ = None  # it may be raised again, and is not to be blamed then
        # guard: d39-a-cause-is-not-looked-at drop
        #   test_d39_the_machine_s_error_stops_the_node_whatever_is_made_of_it
        pending += (each.__context__, each.__cause__)
        if isinstance(each, BaseExceptionGroup):
            pending += reversed(each.exceptions)
    return None
