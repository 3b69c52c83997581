"""Contracts that do what a test says, and write down what they were told."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ibc_core.callbacks.contract import (
    Contract,
    DestinationReceived,
    SourceAcknowledged,
    SourceSent,
    SourceTimedOut,
)
from ibc_core.host.context import WriteContext
from ibc_module import hookimpl

STORE = "notes"
Act = Callable[[WriteContext, Any], None]


def note(ctx: WriteContext, told: Any) -> None:
    """Writes down that it was called, under its address and the kind of what it is told."""
    store = ctx.store(STORE)
    key = f"{told.asked.address}/{type(told).__name__}".encode()
    store.set(key, bytes([(store.get(key) or b"\0")[0] + 1]))
    ctx.emit(("noted", (("address", told.asked.address),)))


class ScriptedContract(Contract):
    """Notes each call, keeps what it was told in `seen`, then acts."""

    def __init__(self, act: Act | None = None) -> None:
        self.act = act
        self.seen: list[Any] = []

    def on_send_packet(self, ctx: WriteContext, sent: SourceSent) -> None:
        """A packet is sent."""
        self._called(ctx, sent)

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: SourceAcknowledged) -> None:
        """A packet was answered."""
        self._called(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: SourceTimedOut) -> None:
        """A packet came back."""
        self._called(ctx, timed_out)

    def on_recv_packet(self, ctx: WriteContext, received: DestinationReceived) -> None:
        """A packet came in."""
        self._called(ctx, received)

    def _called(self, ctx: WriteContext, told: Any) -> None:
        self.seen.append(told)
        note(ctx, told)
        if self.act is not None:
            self.act(ctx, told)


class ContractsPlugin:
    """Registers contracts, and the store that they write."""

    def __init__(self, contracts: Mapping[str, Contract]) -> None:
        self.contracts = contracts

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Where scripted contracts write."""
        return (STORE,)

    @hookimpl
    def ibc_contracts(self) -> Mapping[str, Contract]:
        """Those it was made with."""
        return self.contracts
