"""A block as it will be once a proof is used up: what the second proof of one message is checked in."""

from collections.abc import Iterator

from ibc_core import paths
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, ReadStore
from ibc_core.host.gas import GasMeter
from light_client.interface import ProofEffect


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
        """Entries with `start <= key < end` in key order."""
        for key, value in self._base.iterate(start, end):
            yield key, self._value if key == self._path else value


class SettledContext:
    """A context that shows a proof's effect before it is written."""

    def __init__(self, base: ReadContext, effect: ProofEffect) -> None:
        self._base = base
        self._ibc = SettledStore(base.ibc, paths.client_state_path(effect.client_id), effect.client_state)

    @property
    def chain_id(self) -> str:
        """The host chain's id."""
        return self._base.chain_id

    @property
    def height(self) -> Height:
        """Height of the block under way."""
        return self._base.height

    @property
    def time_ns(self) -> int:
        """Time of the block under way, unix nanoseconds."""
        return self._base.time_ns

    @property
    def next_validators_hash(self) -> bytes:
        """Hash of the next block's validators."""
        return self._base.next_validators_hash

    @property
    def app_hash(self) -> bytes:
        """Hash of the state that the block builds on."""
        return self._base.app_hash

    @property
    def ibc(self) -> ReadStore:
        """The `ibc` store, with the effect."""
        return self._ibc

    @property
    def gas(self) -> GasMeter:
        """The meter of the transaction under way."""
        return self._base.gas

    def reader(self, name: str) -> ReadStore:
        """Another store of the host."""
        return self._ibc if name == paths.STORE_NAME else self._base.reader(name)


def settled(ctx: ReadContext, effect: ProofEffect | None) -> ReadContext:
    """`ctx` as it will be once `effect` is written."""
    return ctx if effect is None else SettledContext(ctx, effect)
