"""Delay periods (ICS-3): a packet's proof counts only some time and blocks after its header came in."""

from ibc_core.errors import DelayPeriodNotPassed, ProcessedHeightNotFound, ProcessedTimeNotFound
from ibc_core.height import Height
from ibc_core.host.context import ReadContext
from light_client.tendermint import store


def check_delay_passed(
    ctx: ReadContext, client_id: str, height: Height, delay_time_ns: int, delay_blocks: int
) -> None:
    """Checks that both delays have passed since the consensus state of `height` came in; bounds included.

    Raises:
        ProcessedTimeNotFound, ProcessedHeightNotFound: it is not known when it came in.
        DelayPeriodNotPassed: it is too early.
    """
    if delay_time_ns:
        came_ns = store.processed_time(ctx, client_id, height)
        if came_ns is None:
            raise ProcessedTimeNotFound(str(height))
        if ctx.time_ns < came_ns + delay_time_ns:
            raise DelayPeriodNotPassed(f"{came_ns + delay_time_ns} ns", f"{ctx.time_ns} ns")
    if delay_blocks:
        came_at = store.processed_height(ctx, client_id, height)
        if came_at is None:
            raise ProcessedHeightNotFound(str(height))
        until = came_at._replace(revision_height=came_at.revision_height + delay_blocks)
        if ctx.height < until:
            raise DelayPeriodNotPassed(f"height {until}", f"height {ctx.height}")
