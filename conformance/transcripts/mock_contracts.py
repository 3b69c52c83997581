"""Mock contracts of ibc-go's callbacks test application, as described in the transcripts' README.

Each counts its calls in a store of its own, which costs gas, then uses half of its gas limit, or one unit
more than the limit.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from ibc_module import hookimpl
from pyibc.apps.callbacks.contract import ANY_ADDRESS, Contract
from pyibc.core.errors import IbcError, OutOfGas
from pyibc.core.host.context import WriteContext

STORE: Final = "mem_mock_contracts"
_COUNTER: Final = b"stateful-callback-counter"


class MockCallbackError(IbcError):
    """The refusal of a mock contract."""

    codespace: ClassVar[str] = "undefined"
    code: ClassVar[int] = 1
    text: ClassVar[str] = "mock application callback failed"


class MockPanic(Exception):
    """An unexpected exception of a mock contract, in place of a Go panic."""


class MockContract(Contract):
    """Succeeds at any address."""

    def on_send_packet(self, ctx: WriteContext) -> None:
        """Count the call."""
        self._called(ctx)

    def on_acknowledgement_packet(self, ctx: WriteContext) -> None:
        """Count the call."""
        self._called(ctx)

    def on_timeout_packet(self, ctx: WriteContext) -> None:
        """Count the call."""
        self._called(ctx)

    def on_recv_packet(self, ctx: WriteContext) -> None:
        """Count the call."""
        self._called(ctx)

    def _called(self, ctx: WriteContext) -> None:
        remaining = ctx.gas.remaining
        store = ctx.store(STORE)
        calls = (store.get(_COUNTER) or b"\0")[0]
        store.set(_COUNTER, bytes([(calls + 1) % 256]))
        self._finish(ctx, remaining)

    def _finish(self, ctx: WriteContext, remaining: int) -> None:
        ctx.gas.consume(remaining // 2)


class Errors(MockContract):
    """Refuses."""

    def _finish(self, ctx: WriteContext, remaining: int) -> None:
        super()._finish(ctx, remaining)
        raise MockCallbackError


class Panics(MockContract):
    """Raises an unexpected exception."""

    def _finish(self, ctx: WriteContext, remaining: int) -> None:
        super()._finish(ctx, remaining)
        raise MockPanic


class PanicsOutOfGas(MockContract):
    """Exceeds its gas limit."""

    def _finish(self, ctx: WriteContext, remaining: int) -> None:
        ctx.gas.consume(remaining + 1)


class ErrorsOutOfGas(MockContract):
    """Exceeds its gas limit, catches that, and refuses."""

    def _finish(self, ctx: WriteContext, remaining: int) -> None:
        try:
            ctx.gas.consume(remaining + 1)
        except OutOfGas:
            raise MockCallbackError from None


class MockContractsPlugin:
    """The mock contracts."""

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Return the store of the counters, which is in memory on the recorded chains."""
        return (STORE,)

    @hookimpl
    def ibc_contracts(self) -> Mapping[str, Contract]:
        """Return four failing contracts, and one for all other addresses."""
        return {
            "errors": Errors(),
            "panics": Panics(),
            "panics out of gas": PanicsOutOfGas(),
            "errors out of gas": ErrorsOutOfGas(),
            ANY_ADDRESS: MockContract(),
        }
