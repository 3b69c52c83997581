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
    if held is not None:  # somebody around us swallowed what ends the transaction or the node
        raise held
    raised: BaseException | None = None
    try:
        call(ctx, told)
    except BaseException as error:  # noqa: BLE001 - judged below
        raised = error
    behind = None if raised is None else machine_error(raised, outside)
    swallowed = _fault(crossing)
    if isinstance(swallowed, TooDeep) and (behind is None or isinstance(behind, RecursionError)):
        # What came after it, Python's own limit among it, changes nothing: the verdict stood.
        crossing.fault = None
        sys.setprofile(counter)  # Python drops one that raises; whoever counted goes on counting
        return swallowed
    if swallowed is not None and not isinstance(swallowed, TooDeep):
        raise swallowed
    if behind is not None:
        crossing.fault = behind  # holds, whoever swallows it on the way out
        raise behind
    return raised


def _fault(crossing: Crossing) -> BaseException | None:
    """What was remembered during the call."""
    return crossing.fault
