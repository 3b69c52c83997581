"""A fuzz case: a generator of hostile input of any size, and the code that reads it."""

from collections.abc import Callable
from typing import NamedTuple


class Attack(NamedTuple):
    """One input, ready to be read once. Both parts raise only errors that are bugs."""

    size: int  # bytes
    before_signatures: Callable[[], str | None]
    """Work done before any signature is verified. Returns the verdict if the input is refused, else None."""
    after_signatures: Callable[[], str]
    """Work done after that. Returns the verdict, `codespace/code` or `ok`."""
    tx: bytes = b""
    """The transaction, if the input is one that can be in a block."""
    reported: Callable[[], int] = lambda: 0
    """Return the number of bytes that the node reports about the input afterwards: events, data, log."""

    def run(self) -> str:
        """Read the input and return the verdict."""
        return self.before_signatures() or self.after_signatures()


def open_attack(size: int, run: Callable[[], str]) -> Attack:
    """Return an input without an unauthenticated first stage, such as a query, whose cost the node limits."""
    return Attack(size, lambda: None, run)


class Case(NamedTuple):
    """Generator of input of any size."""

    name: str  # of what reads it, of the place in it, and of the shape there
    prepare: Callable[[int], Attack]
    """Return an input of about the given number of bytes; inputs of different sizes differ."""
    executed: bool = False
    """True if the input is a transaction that can be in a block."""
