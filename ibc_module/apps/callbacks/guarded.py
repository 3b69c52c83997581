"""The border around a contract: what it raises, short of an error of the machine, ends here (docs/adr/0005).

ibc-go recovers a contract's panics, so that a packet takes its course: what a contract raised or swallowed
is told, and the transaction goes on as if it had not happened.
"""

import sys
from collections.abc import Callable
from typing import Any

from ibc_core.host.context import WriteContext
from ibc_core.host.depth import TooDeep
from ibc_core.host.machine import THREAD, Crossing, machine_error


def raised_by(call: Callable[[Any, Any], None], ctx: WriteContext, told: object) -> BaseException | None:
    """What a contract raised, None where it returned. `TooDeep` holds even if the contract swallowed it.

    Raises:
        BaseException: an error of the machine, even if the contract made another of it, or went on.
    """
    crossing, outside, counter = THREAD.crossing, sys.exception(), sys.getprofile()
    held = crossing.fault
    # guard: h178-contracts-run-after-a-fault test_h178_no_contract_is_called_after_what_somebody_swallowed
    if held is not None:  # somebody around us swallowed what ends the transaction or the node
        raise held
    raised: BaseException | None = None
    try:
        call(ctx, told)
    except BaseException as error:  # noqa: BLE001 - judged below
        raised = error
    behind = None if raised is None else machine_error(raised, outside)
    swallowed = _fault(crossing)
    # guard: h175-python-s-limit-after-too-deep-stops-the-node drop:RecursionError
    #   test_h175_a_contract_that_calls_too_deep_fails_alone
    if isinstance(swallowed, TooDeep) and (behind is None or isinstance(behind, RecursionError)):
        # What came after it, Python's own limit among it, changes nothing: the verdict stood.
        # guard: h175-depth-fails-the-transaction test_h175_a_contract_that_calls_too_deep_fails_alone
        crossing.fault = None
        # guard: h175-nobody-counts-on test_h175_the_caller_s_depth_is_counted_on_after_that
        sys.setprofile(counter)  # Python drops one that raises; whoever counted goes on counting
        return swallowed
    if swallowed is not None and not isinstance(swallowed, TooDeep):
        raise swallowed
    # guard: h178-the-machine-decides test_h178_an_error_of_the_machine_stops_the_node
    if behind is not None:
        # guard: h178-a-swallowed-machine-error-is-lost test_h178_an_error_of_the_machine_stops_the_node
        crossing.fault = behind  # holds, whoever swallows it on the way out
        raise behind
    return raised


def _fault(crossing: Crossing) -> BaseException | None:
    """What was remembered during the call."""
    return crossing.fault
