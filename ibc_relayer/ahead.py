"""What runs beside its caller, where somebody has threads for it (`ibc_relayer.lanes`)."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol, TypeVar

V = TypeVar("V")


class Ahead(Protocol):
    """Runs something beside its caller."""

    def __call__(self, work: Callable[[], V], /) -> Future[V]:
        """What has the result, once it is there."""
