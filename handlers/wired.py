"""Where what applications were given finds the keepers, which are made after the applications."""

from ibc_core.errors import LogicFault
from keepers.keepers import Keepers


class Wired:
    """The keepers of one chain, from the end of its wiring on."""

    def __init__(self) -> None:
        self._keepers: Keepers | None = None

    def bind(self, keepers: Keepers) -> None:
        """Gives them out from now on."""
        self._keepers = keepers

    @property
    def keepers(self) -> Keepers:
        """The keepers.

        Raises:
            LogicFault: the module is not wired yet.
        """
        if self._keepers is None:
            raise LogicFault("an application used the module before it was wired")
        return self._keepers
