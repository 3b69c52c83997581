"""A chain's next block, executed without being committed."""

from collections.abc import Callable
from typing import Any, NamedTuple

from conformance.kit.encode import to_any
from localnet.chain import LocalChain
from pyibc.codec.anys import AnyMessage
from pyibc.core.errors import ApplicationFault, IbcError, UnknownMessage
from pyibc.core.host.block import Event
from pyibc.core.host.context import WriteContext
from pyibc.core.host.overlay import BlockContext
from pyibc.testing.pair import SECOND

Writes = dict[tuple[str, bytes], bytes | None]
"""(store, key) -> new value; None if the key is deleted."""


class Attempt(NamedTuple):
    """The result of a message run without a transaction: writes before an error are retained."""

    response: Any  # of a message: bytes
    error: IbcError | None
    writes: Writes
    events: tuple[Event, ...]


def unless_panic(error: IbcError) -> IbcError:
    """Return an error, unless it wraps an unexpected exception.

    Raises:
        Exception: the wrapped exception. A chain tolerates it, but in a test it is a bug.
    """
    cause = error.__cause__
    if isinstance(error, ApplicationFault) and isinstance(cause, Exception):
        raise cause
    return error


class StagedBlock:
    """The next block of a chain, to run messages in and change state; it is never committed.

    Args:
        chain: The chain whose last committed state the block builds on.
        time_ns: The block's time; None: a second after the last block.
    """

    def __init__(self, chain: LocalChain, time_ns: int | None = None) -> None:
        store = chain.app.store
        when = chain.tip().time_ns + SECOND if time_ns is None else time_ns
        committed = {name: store.store(name) for name in store.names()}
        self.ctx = BlockContext(chain.chain_id, store.next_version, when, committed, app_hash=store.app_hash)
        self._names = store.names()
        self._routes = chain.app.pipeline.messages()

    def writes(self) -> Writes:
        """Return all writes of the block so far, in all stores."""
        return {(name, key): value for name in self._names for key, value in self.ctx.writes(name)}

    def attempt(self, message: Any) -> Attempt:
        """Run a message as a host would, but retain writes made before an error: there should be none."""
        return self.call(lambda _: self._deliver(to_any(message)))

    def call(self, action: Callable[[WriteContext], Any]) -> Attempt:
        """Run a module's action; retain writes made before an error."""
        before, start = self.writes(), len(self.ctx.events)
        response, error = b"", None
        try:
            response = action(self.ctx)
        except IbcError as refusal:
            error = unless_panic(refusal)
        after = self.writes()
        changed = {key: value for key, value in after.items() if key not in before or before[key] != value}
        return Attempt(response, error, changed, tuple(self.ctx.events[start:]))

    def run(self, message: Any) -> bytes:
        """Run a message in a branch, as in a transaction; return its response.

        Raises:
            IbcError: it failed, and its writes were reverted.
        """
        with self.ctx.branch():
            try:
                return self._deliver(to_any(message))
            except ApplicationFault as fault:
                raise unless_panic(fault) from fault

    def _deliver(self, message: AnyMessage) -> bytes:
        route = self._routes.get(message.type_url)
        if route is None:
            raise UnknownMessage(message.type_url[:128])
        return route.deliver(self.ctx, route.decode(message.value))
