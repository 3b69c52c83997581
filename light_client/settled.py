"""A view of a block as it will be once a proof's effect is written."""

from collections.abc import Iterator

from ibc_core import paths
from ibc_core.host.context import ReadContext, ReadStore
from light_client.interface import ProofEffect
from light_client.views import ContextView


class SettledStore:
    """A store in which one entry that is there already has another value."""

    def __init__(self, base: ReadStore, path: bytes, value: bytes) -> None:
        self._base, self._path, self._value = base, path, value

    def get(self, key: bytes) -> bytes | None:
        """The value at `key`."""
        return self._value if key == self._path else self._base.get(key)

    def has(self, key: bytes) -> bool:
        """Whether `key` has a value."""
        return self._base.has(key)

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Entries, the settled one among them."""
        for key, value in self._base.iterate(start, end):
            yield key, self._value if key == self._path else value


class SettledContext(ContextView):
    """A context that shows a proof's effect before it is written."""

    __slots__ = ("ibc",)

    def __init__(self, base: ReadContext, effect: ProofEffect) -> None:
        super().__init__(base)
        path = paths.client_state_path(effect.client_id)
        self.ibc: ReadStore = SettledStore(base.ibc, path, effect.client_state)

    def reader(self, name: str) -> ReadStore:
        """Another store of the host."""
        return self.ibc if name == paths.STORE_NAME else self._base.reader(name)


def settled(ctx: ReadContext, effect: ProofEffect | None) -> ReadContext:
    """`ctx` as it will be once `effect` is written."""
    return ctx if effect is None else SettledContext(ctx, effect)
