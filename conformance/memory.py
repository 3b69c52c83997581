"""A host's committed state in a dictionary, for cases that need a store."""

from collections.abc import Iterator, Mapping

from ibc_core.host.overlay import BlockContext

CLIENT = "07-tendermint-0"
"""The client of a case that has one."""


class MemoryStore:
    """A committed store: what it was made with."""

    def __init__(self, entries: Mapping[bytes, bytes] | None = None) -> None:
        self.entries = dict(entries or {})

    def get(self, key: bytes) -> bytes | None:
        """The value at `key`."""
        return self.entries.get(key)

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Entries with `start <= key < end` in key order."""
        for key in sorted(self.entries):
            if start <= key and (end is None or key < end):
                yield key, self.entries[key]


def block(time_ns: int, height: int = 1, chain_id: str = "host-1") -> BlockContext:
    """A block over empty stores."""
    return BlockContext(chain_id, height, time_ns, {"ibc": MemoryStore()})
