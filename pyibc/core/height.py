"""Heights, and the revision number of a chain id (ICS-2, ICS-24)."""

from functools import lru_cache
from typing import NamedTuple

from pyibc.core.errors import InvalidHeight
from pyibc.core.numbers import parse_u64
from pyibc.core.value import sealed
from pyibc.core.wire.table import on_wire
from pyibc.proto.ibc.core.client.v1 import client_pb2


@on_wire(client_pb2.Height)
@sealed
class Height(NamedTuple):
    """A block height of one revision of a chain; compares as (revision number, revision height)."""

    revision_number: int
    revision_height: int

    def __str__(self) -> str:
        return f"{self.revision_number}-{self.revision_height}"

    @property
    def is_zero(self) -> bool:
        """True if the height is 0-0; as a packet's timeout height, this means no timeout."""
        return self == ZERO_HEIGHT


ZERO_HEIGHT = Height(0, 0)
"""Absent height; as a packet's timeout height, no timeout."""


@lru_cache(1024)
def parse_height(text: str) -> Height:
    """Return the height in `text`, which has the form `revision-height`. Errors are not cached.

    Raises:
        InvalidHeight: `text` does not have that form.
    """
    revision, dash, height = text.partition("-")
    number, at = parse_u64(revision), parse_u64(height)
    if not dash or number is None or at is None:
        raise InvalidHeight(f"{text[:64]!a} is not revision-height")
    return Height(number, at)


@lru_cache(64)
def revision_of(chain_id: str) -> int:
    """Return the revision number N of a chain id `name-N`; 0 if the id has none.

    N has no leading zero and fits 64 bits; any other suffix is part of the name. An id with a line break in
    the name has no revision, because ibc-go's pattern does not match it.
    """
    return parse_u64(_revision_digits(chain_id)) or 0


def has_readable_revision(chain_id: str) -> bool:
    """Return whether the revision number of a chain id, if any, fits 64 bits; otherwise ibc-go panics."""
    digits = _revision_digits(chain_id)
    return not digits or parse_u64(digits) is not None


def _revision_digits(chain_id: str) -> str:
    name, dash, digits = chain_id.rpartition("-")
    if not dash or not name or name[-1] == "-" or "\n" in name or digits.startswith("0"):
        return ""
    return digits if digits.isascii() and digits.isdigit() else ""
