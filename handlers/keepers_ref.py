"""A reference to keepers, which are made after the applications that act through them."""

from typing import Generic, TypeVar

from ibc_core.errors import LogicFault

_K = TypeVar("_K")


class KeepersRef(Generic[_K]):
    """The keepers of one chain, from the end of its wiring on."""

    def __init__(self) -> None:
        self._keepers: _K | None = None

    def bind(self, keepers: _K) -> None:
        """Sets the keepers."""
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
