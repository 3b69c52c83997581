"""A case: one way to write hostile input of any size, and what reads it."""

from collections.abc import Callable
from typing import NamedTuple


class Attack(NamedTuple):
    """One input, ready to be read, once. Both parts raise what is a bug, and nothing else."""

    size: int  # bytes
    door: Callable[[], str | None]
    """What is done for anybody, before a signature is looked at; the verdict, None where it goes on."""
    inside: Callable[[], str]
    """What is done then: the verdict, `codespace/code`, or `ok`."""
    tx: bytes = b""
    """The transaction, where it is one in a block."""

    def run(self) -> str:
        """Reads the input; the verdict."""
        return self.door() or self.inside()


def open_attack(size: int, run: Callable[[], str]) -> Attack:
    """An input to what has no door: whoever is asked decides himself how long to answer."""
    return Attack(size, lambda: None, run)


class Case(NamedTuple):
    """A way to write input of any size."""

    name: str  # of what reads it, of the place in it, and of the shape there
    prepare: Callable[[int], Attack]
    """Bytes asked for -> an input of about that size; of another size it is another input."""
    executed: bool = False
    """Whether the input is a transaction that a block may hold."""
