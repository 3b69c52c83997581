"""Endpoints that fail as networks and processes do. The chain behind them is real and keeps running."""

import random
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, TypeVar

from pyibc.codec.anys import AnyMessage
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.core.paths import STORE_NAME
from pyibc.relayer.chain.endpoint import NO_EXTRAS, ChainEndpoint
from pyibc.relayer.chain.values import LightBlock, Proven, Tip
from pyibc.relayer.errors import EndpointUnavailable
from pyibc.relayer.links.options import Options

_T = TypeVar("_T")


class Crashed(BaseException):
    """Simulated end of the relayer's process. Handlers of Exception do not catch it."""

    def __init__(self, point: str) -> None:
        super().__init__(point)
        self.point = point


class EndpointWrapper:
    """An endpoint around another one; each call goes through `_call`."""

    def __init__(self, inner: ChainEndpoint) -> None:
        self.inner = inner

    extras = NO_EXTRAS  # each call goes through `_call`

    def _call(self, name: str, run: Callable[[], _T]) -> _T:
        raise NotImplementedError

    @property
    def chain_id(self) -> str:
        """Chain id of the chain."""
        return self.inner.chain_id

    @property
    def signer(self) -> str:
        """The relayer's address on this chain."""
        return self.inner.signer

    def tip(self) -> Tip:
        """Return the last committed block."""
        return self._call("tip", self.inner.tip)

    def block(self, height: int) -> CommittedBlock:
        """Return a committed block."""
        return self._call("block", lambda: self.inner.block(height))

    def light_block(self, height: int) -> LightBlock:
        """Return header, commit and validators."""
        return self._call("light_block", lambda: self.inner.light_block(height))

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """Return an entry of a store."""
        return self._call("get", lambda: self.inner.get(key, store))

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """Return an entry with its proof."""
        return self._call("prove", lambda: self.inner.prove(key, height, store))

    def grpc(self, path: str, request: bytes) -> bytes:
        """Run a gRPC query."""
        return self._call("grpc", lambda: self.inner.grpc(path, request))

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """Submit one transaction."""
        return self._call("submit", lambda: self.inner.submit(messages))

    def wait(self, height: int) -> None:
        """Wait for a block."""
        self._call("wait", lambda: self.inner.wait(height))


class CrashPoints:
    """Numbers the points at which a process may be killed: before and after each call of its endpoints.

    Run once with `at=None` to count them, then once for each number.
    """

    def __init__(self, at: int | None = None) -> None:
        """Crash at point number `at`, counted from 1."""
        self.at = at
        self.passed: list[str] = []

    def __call__(self, point: str) -> None:
        """Record a point; raise Crashed at the chosen one."""
        self.passed.append(point)
        if len(self.passed) == self.at:
            raise Crashed(point)


class CrashingEndpoint(EndpointWrapper):
    """Crashes at one of the points, which several endpoints may share."""

    def __init__(self, inner: ChainEndpoint, points: CrashPoints) -> None:
        super().__init__(inner)
        self._points = points

    def _call(self, name: str, run: Callable[[], _T]) -> _T:
        self._points(f"before {name} on {self.chain_id}")
        result = run()
        self._points(f"after {name} on {self.chain_id}")
        return result


class UnreliableEndpoint(EndpointWrapper):
    """Loses calls before they reach the chain, or their responses; the same ones for the same seed."""

    def __init__(self, inner: ChainEndpoint, seed: int, loss_percent: int) -> None:
        super().__init__(inner)
        self._chance = random.Random(seed)  # noqa: S311 - faults, not secrets
        self._loss_percent = loss_percent
        self.lost = 0

    def _lose(self, what: str) -> None:
        if self._chance.randrange(100) < self._loss_percent:
            self.lost += 1
            raise EndpointUnavailable(self.chain_id, what)

    def _call(self, name: str, run: Callable[[], _T]) -> _T:
        self._lose(f"the call {name} was lost")
        result = run()
        self._lose(f"the response of {name} was lost")
        return result


class RecordingEndpoint(EndpointWrapper):
    """Counts calls by name."""

    def __init__(self, inner: ChainEndpoint) -> None:
        super().__init__(inner)
        self.calls: dict[str, int] = {}

    def _call(self, name: str, run: Callable[[], Any]) -> Any:
        self.calls[name] = self.calls.get(name, 0) + 1
        return run()


class Time:
    """Seconds that pass when somebody sleeps."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        """Return the seconds that have passed."""
        return self.now_s

    def passes(self, seconds: float) -> None:
        """Let time pass."""
        self.now_s += seconds


def without_waiting() -> Options:
    """Return options of a relayer that retries what fails until it is given up, in a time of its own."""
    time = Time()
    return Options(sleep=time.passes, clock=time, retry_wait_s=inf)
