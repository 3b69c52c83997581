"""Heights and the revision number in a chain id (ICS-2, ICS-24)."""

from functools import lru_cache
from typing import NamedTuple

from ibc_core.errors import InvalidHeight
from ibc_core.numbers import parse_u64
from ibc_core.value import sealed
from ibc_core.wire.table import on_wire
from ibc_proto.ibc.core.client.v1 import client_pb2


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
        """Whether it is 0-0, which in a packet means: no timeout height."""
        return self == ZERO_HEIGHT


ZERO_HEIGHT = Height(0, 0)
"""No height: as a packet's timeout, none."""


@lru_cache(1024)
def parse_height(text: str) -> Height:
    """The height written as `revision-height`; what is none is not remembered, however long it is.

    Raises:
        InvalidHeight: `text` is not of that form.
    """
    revision, dash, height = text.partition("-")
    number, at = parse_u64(revision), parse_u64(height)
    if not dash or number is None or at is None:
        raise InvalidHeight(f"{text[:64]!a} is not revision-height")
    return Height(number, at)


@lru_cache(64)
def revision_of(chain_id: str) -> int:
    """The revision number at the end of `name-N`; 0 if the id has none.

    N has no leading zero and fits 64 bits; anything else is part of the name (total on all strings). A
    name with a line break has none: ibc-go's pattern stops there.
    """
    return parse_u64(_revision_digits(chain_id)) or 0


def has_readable_revision(chain_id: str) -> bool:
    """Whether the number at the end of a chain id, if it has one, fits 64 bits: ibc-go panics where not."""
    digits = _revision_digits(chain_id)
    return not digits or parse_u64(digits) is not None


def _revision_digits(chain_id: str) -> str:
    name, dash, digits = chain_id.rpartition("-")
    if not dash or not name or name[-1] == "-" or "\n" in name or digits.startswith("0"):
        return ""
    return digits if digits.isascii() and digits.isdigit() else ""
