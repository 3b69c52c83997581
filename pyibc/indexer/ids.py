"""64-bit ids of path ends, and numbers of event types."""

from hashlib import blake2b
from typing import NamedTuple

from pyibc.indexer.packet_facts import ACK, RECV, SEND, TIMEOUT, WRITE_ACK

KINDS = (SEND, RECV, WRITE_ACK, ACK, TIMEOUT)  # the number of a kind is its index
RECEIVING = (RECV, WRITE_ACK)
ACK_STATES = (
    "opaque",
    "success",
    "error",
)  # the number of a state is its index plus one; the maximum is used

PATH = ("protocol", "src_port", "src_channel", "dst_port", "dst_channel")
"""Columns of a path."""


class End(NamedTuple):
    """Path end: one chain's side of a path, sending or receiving."""

    chain: str
    receiving: bool
    protocol: int
    src_port: str | None
    src_channel: str | None
    dst_port: str | None
    dst_channel: str | None

    @property
    def number(self) -> int:
        """Hash of the end, 64 bits."""
        return number_of(*("\1" + str(part) if part is not None else "" for part in self))


def number_of(*texts: str) -> int:
    """Return a 64-bit hash of `texts`; each text is prefixed by its length, so that lists are unambiguous."""
    digest = blake2b(digest_size=8)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(4, "big") + data)
    return int.from_bytes(digest.digest(), "big", signed=True)
