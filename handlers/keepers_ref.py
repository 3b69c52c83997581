"""A late-bound reference to the keepers, which are created after the applications that use them."""

from typing import Generic, TypeVar

from pyibc.core.errors import LogicFault

_K = TypeVar("_K")


class KeepersRef(Generic[_K]):
    """Reference to the keepers of one chain, bound at the end of wiring."""

    def __init__(self) -> None:
        self._keepers: _K | None = None

    def bind(self, keepers: _K) -> None:
        """Set the keepers."""
        self._keepers = keepers

    @property
    def keepers(self) -> _K:
        """The keepers.

        Raises:
            LogicFault: the module is not wired yet.
        """
        if self._keepers is None:
            raise LogicFault("an application used the module before it was wired")
        return self._keepers
