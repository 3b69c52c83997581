"""What middleware puts between applications and the module, called with what its plugin may see of a block.

A stranger's has a confined context for each call. What this distribution ships has the block's own, also
where a stranger's middleware below it calls with a confined one.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ibc_core.application.services import PacketSender
from ibc_core.application.v2 import PacketSenderV2
from ibc_core.host.confined import ConfinedCall, Grant, opened
from ibc_core.host.context import WriteContext


def _entered(ctx: WriteContext, grant: Grant | None) -> AbstractContextManager[WriteContext]:
    return nullcontext(opened(ctx)) if grant is None else ConfinedCall(ctx, grant)


def _entering(name: str) -> Callable[..., Any]:
    """The method `name` of the sender below, called with the plugin's own context."""

    def call(self: "LayerSender", ctx: WriteContext, *given: Any, **named: Any) -> Any:
        with _entered(ctx, self._grant) as own:
            return getattr(self._sender, name)(own, *given, **named)

    return call


class LayerSender:
    """A middleware's sender, of either version of IBC: what `PacketSender` and `PacketSenderV2` have.

    `grant` is its plugin's, None of what this distribution ships.
    """

    __slots__ = ("_grant", "_sender")

    def __init__(self, sender: PacketSender | PacketSenderV2, grant: Grant | None) -> None:
        self._sender = sender
        self._grant = grant

    send_packet = _entering("send_packet")
    write_acknowledgement = _entering("write_acknowledgement")
    close_channel = _entering("close_channel")
