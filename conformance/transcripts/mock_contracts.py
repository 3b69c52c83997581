"""The mock contracts of ibc-go's callbacks test application, as the transcripts' README tells.

Each counts its calls in a store of its own, which costs gas, then uses half of what it was given, or all and
one more.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from ibc_core.callbacks.contract import Contract
from ibc_core.errors import IbcError, OutOfGas
from ibc_core.host.context import WriteContext
from ibc_module import hookimpl
from ibc_module.apps.callbacks.contracts import ANY_ADDRESS

STORE: Final = "mem_mock_contracts"
_COUNTER: Final = b"stateful-callback-counter"


class MockCallbackError(IbcError):
    """What a mock contract refuses with."""

    codespace: ClassVar[str] = "undefined"
    code: ClassVar[int] = 1
    text: ClassVar[str] = "mock application callback failed"


class MockPanic(Exception):
    """What a mock contract raises that is no refusal."""


class MockContract(Contract):
    """Succeeds, whatever its address."""

    def on_send_packet(self, ctx: WriteContext) -> None:
        """A packet is sent."""
        self._called(ctx)

    def on_acknowledgement_packet(self, ctx: WriteContext) -> None:
        """A packet was answered."""
        self._called(ctx)

    def on_timeout_packet(self, ctx: WriteContext) -> None:
        """A packet came back."""
        self._called(ctx)

    def on_recv_packet(self, ctx: WriteContext) -> None:
        """A packet came in."""
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
    """Has a bug."""

    def _finish(self, ctx: WriteContext, remaining: int) -> None:
        super()._finish(ctx, remaining)
        raise MockPanic


class PanicsOutOfGas(MockContract):
    """Uses more than it was given."""

    def _finish(self, ctx: WriteContext, remaining: int) -> None:
        ctx.gas.consume(remaining + 1)


class ErrorsOutOfGas(MockContract):
    """Uses more than it was given, and refuses as if nothing had been."""

    def _finish(self, ctx: WriteContext, remaining: int) -> None:
        try:
            ctx.gas.consume(remaining + 1)
        except OutOfGas:
            raise MockCallbackError from None


class MockContractsPlugin:
    """The mock contracts."""

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Where they count; in memory, on the recorded chains."""
        return (STORE,)

    @hookimpl
    def ibc_contracts(self) -> Mapping[str, Contract]:
        """Four that fail, and one for all other addresses."""
        return {
            "errors": Errors(),
            "panics": Panics(),
            "panics out of gas": PanicsOutOfGas(),
            "errors out of gas": ErrorsOutOfGas(),
            ANY_ADDRESS: MockContract(),
        }
