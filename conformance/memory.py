"""A host's committed state in a dictionary, for cases that need a store."""

from collections.abc import Iterator, Mapping

from pyibc.core.host.overlay import BlockContext

CLIENT = "07-tendermint-0"
"""Id of the client in cases that have one."""


class MemoryStore:
    """A committed store with the entries given at construction."""

    def __init__(self, entries: Mapping[bytes, bytes] | None = None) -> None:
        self.entries = dict(entries or {})

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key`."""
        return self.entries.get(key)

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Return entries with `start <= key < end` in key order."""
        for key in sorted(self.entries):
            if start <= key and (end is None or key < end):
                yield key, self.entries[key]


def block(time_ns: int, height: int = 1, chain_id: str = "host-1") -> BlockContext:
    """Return a block over empty stores."""
    return BlockContext(chain_id, height, time_ns, {"ibc": MemoryStore()})
