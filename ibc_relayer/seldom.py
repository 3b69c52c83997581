"""Questions that not every node knows: asked again only after a while where one was refused."""

SELDOM = 1_000
"""Times that something else is asked for, after a refusal of what the node does not know."""
SOON = 8
"""The same after any other refusal, or an answer that is none."""

UNKNOWN_QUERY = ("sdk", 6)
"""Codespace and code of a refusal, by the SDK and by us, of a query that no module answers."""


class Seldom:
    """Whether to ask. For any thread: at worst a question is asked in vain."""

    def __init__(self) -> None:
        """Nobody has refused yet."""
        self._rest = 0

    def asks(self) -> bool:
        """Whether to ask now; if not, one time less is left."""
        if self._rest <= 0:
            return True
        self._rest -= 1
        return False

    def refused(self, *, is_unknown: bool = True) -> None:
        """It was refused: not to be asked for a while, or, where the query is known, for a short while."""
        self._rest = SELDOM if is_unknown else SOON
