"""Proofs that are fetched before anybody needs them.

The state after a block can be proven as soon as the block is there; the header that shows it to the other
chain comes half a second or six seconds later. Whoever has read the block knows what will be asked for then.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from threading import Event, Lock

from ibc_relayer.endpoint import Proven
from ibc_relayer.errors import RelayerError

Answer = Proven | RelayerError
Ask = Callable[[Sequence[bytes], int], list[Answer]]

KEPT = 4
"""Heights, the last that were foreseen. Of each there is what one block gave the links to do."""


class _Fetched:
    """Entries after one block, that are there or being asked for."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self.keys = frozenset(keys)
        self.is_over = Event()
        self.found = dict[bytes, Proven]()


class Foreseen:
    """Entries of one chain with their proofs. For any thread."""

    def __init__(self, ask: Ask, kept: int = KEPT) -> None:
        """`ask` fetches entries after a block (`ibc_relayer.proofs.ProvesMany`); `kept`: heights."""
        self._ask = ask
        self._kept = kept
        self._heights: OrderedDict[int, list[_Fetched]] = OrderedDict()
        self._lock = Lock()

    def fetch(self, keys: Iterable[bytes], height: int) -> None:
        """Fetches entries after block `height`, for whoever asks for them meanwhile or later."""
        wanted = list(dict.fromkeys(keys))
        fetched = _Fetched(wanted)
        with self._lock:
            self._heights.setdefault(height, []).append(fetched)
            # guard: proofs-ahead-without-bound test_of_the_last_heights_alone_anything_is_kept
            while len(self._heights) > self._kept:
                self._heights.popitem(last=False)
        try:
            answers = zip(wanted, self._ask(wanted, height), strict=True)
            fetched.found = {key: answer for key, answer in answers if isinstance(answer, Proven)}
        finally:
            # guard: proofs-ahead-that-failed test_after_an_error_everything_is_asked_for_again
            fetched.is_over.set()

    def many(self, keys: Sequence[bytes], height: int) -> list[Answer]:
        """Each key's entry after block `height`: the one that was fetched, else it is asked for now."""
        known: dict[bytes, Answer] = {**self._known(frozenset(keys), height)}
        left = [key for key in keys if key not in known]
        if left:
            known.update(zip(left, self._ask(left, height), strict=True))
        return [known[key] for key in keys]

    def forget(self) -> None:
        """Drops everything."""
        with self._lock:
            self._heights.clear()

    def _known(self, keys: frozenset[bytes], height: int) -> dict[bytes, Proven]:
        with self._lock:
            # guard: proofs-of-another-height {self._heights.get(height, ()) => sum(self._heights.values(),
            #   [])} test_another_height_is_another_state
            at = [each for each in self._heights.get(height, ()) if not keys.isdisjoint(each.keys)]
        found = dict[bytes, Proven]()
        for fetched in at:
            fetched.is_over.wait()
            found.update(fetched.found)
        return found
