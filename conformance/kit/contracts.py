"""Contracts that behave as a test scripts them, and record their calls."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ibc_module import hookimpl
from pyibc.apps.callbacks.contract import (
    Contract,
    DestinationReceived,
    SourceAcknowledged,
    SourceSent,
    SourceTimedOut,
)
from pyibc.core.host.context import WriteContext

STORE = "notes"
Act = Callable[[WriteContext, Any], None]


def note(ctx: WriteContext, told: Any) -> None:
    """Record a call under the contract's address and the kind of call."""
    store = ctx.store(STORE)
    key = f"{told.asked.address}/{type(told).__name__}".encode()
    store.set(key, bytes([(store.get(key) or b"\0")[0] + 1]))
    ctx.emit(("noted", (("address", told.asked.address),)))


class ScriptedContract(Contract):
    """Records each call in the store and in `seen`, then acts."""

    def __init__(self, act: Act | None = None) -> None:
        self.act = act
        self.seen: list[Any] = []

    def on_send_packet(self, ctx: WriteContext, sent: SourceSent) -> None:
        """Record the call, then act."""
        self._called(ctx, sent)

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: SourceAcknowledged) -> None:
        """Record the call, then act."""
        self._called(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: SourceTimedOut) -> None:
        """Record the call, then act."""
        self._called(ctx, timed_out)

    def on_recv_packet(self, ctx: WriteContext, received: DestinationReceived) -> None:
        """Record the call, then act."""
        self._called(ctx, received)

    def _called(self, ctx: WriteContext, told: Any) -> None:
        self.seen.append(told)
        note(ctx, told)
        if self.act is not None:
            self.act(ctx, told)


class ContractsPlugin:
    """Registers contracts, and the store they write to."""

    def __init__(self, contracts: Mapping[str, Contract]) -> None:
        self.contracts = contracts

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Return the store of scripted contracts."""
        return (STORE,)

    @hookimpl
    def ibc_contracts(self) -> Mapping[str, Contract]:
        """Return the contracts given at construction."""
        return self.contracts
