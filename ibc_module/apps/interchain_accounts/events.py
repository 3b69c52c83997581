"""The event of a packet that came in (ibc-go's `ics27_packet`)."""

from typing import Literal

from ibc_core.errors import HostDisabled
from ibc_core.host.context import WriteContext
from ibc_core.interchain_accounts.names import MODULE_NAME

PACKET = "ics27_packet"
_MODULE = ("module", MODULE_NAME)


def emit_answered(
    ctx: WriteContext,
    which: Literal["host_channel_id", "controller_channel_id"],
    channel_id: str,
    error: str | None,
) -> None:
    """Says how a packet was answered; `error`: None where it was executed."""
    told = (_MODULE, (which, channel_id), ("success", "true" if error is None else "false"))
    ctx.emit((PACKET, told if error is None else (*told, ("error", error))))


def emit_host_disabled(ctx: WriteContext, channel_id: str) -> None:
    """Says that a packet was refused because the host is off; the attributes stand in another order."""
    error = ("error", str(HostDisabled()))
    ctx.emit((PACKET, (_MODULE, ("host_channel_id", channel_id), error, ("success", "false"))))
