"""Proofs of a round: of one chain's state after one block, fetched together if the chain allows it."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import partial
from threading import Event, Lock

from pyibc.relayer.chain.endpoint import ChainEndpoint, ProveMany
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.errors import EndpointUnavailable, RelayerError
from pyibc.relayer.rpc.calls import result_of

MAX_TIMEOUTS = 3
"""Consecutive entries that a chain does not answer for, after which the remaining ones are not queried."""


class TimeoutCount:
    """Number of consecutive entries that were not answered; shared by concurrent queries."""

    def __init__(self) -> None:
        """Start at 0."""
        self.value = 0


class Proofs:
    """Entries of a chain's IBC store after one block, with their proofs."""

    def __init__(self, prove: ProveMany, height: int, keys: Iterable[bytes]) -> None:
        """Fetch the entries at `keys` after block `height`; an error concerns its own key only."""
        wanted = list(dict.fromkeys(keys))
        self._found = dict(zip(wanted, prove(wanted, height), strict=True))

    def prove(self, key: bytes) -> Proven:
        """Return the entry at a key.

        Raises:
            EndpointRefused, EndpointUnavailable, MalformedAnswer: the chain did not prove the entry.
        """
        return result_of(self._found[key])


def prover_of(chain: ChainEndpoint) -> ProveMany:
    """Return the endpoint's own function for many proofs, or else one that queries them one by one."""
    return chain.extras.prove_many or partial(_prove_serially, chain)


def _prove_serially(chain: ChainEndpoint, keys: Sequence[bytes], height: int) -> list[Proven | RelayerError]:
    """Return `prove` of each key, one after the other; the error for keys where it fails."""
    timeouts = TimeoutCount()
    found = list[Proven | RelayerError]()
    for key in keys:
        if timeouts.value >= MAX_TIMEOUTS:
            found.append(EndpointUnavailable(chain.chain_id, "not queried: it does not answer"))
            continue
        try:
            found.append(chain.prove(key, height))
            timeouts.value = 0
        except RelayerError as error:
            found.append(error)
            timeouts.value = timeouts.value + 1 if isinstance(error, EndpointUnavailable) else 0
    return found


# -- proofs that are fetched before they are needed
#
# The state after a block can be proven as soon as the block is committed; the header that proves it to the
# other chain follows one block later. The block's events show which entries will have to be proven.

ProofAnswer = Proven | RelayerError

MAX_HEIGHTS = 4
"""Number of heights whose proofs are cached: those that were added last."""


class _Fetch:
    """Entries after one block that were fetched or are being fetched."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self.keys = frozenset(keys)
        self.is_done = Event()
        self.found = dict[bytes, Proven]()


class PrefetchedProofs:
    """Cache of one chain's entries with their proofs. Safe to use from several threads."""

    def __init__(self, query: ProveMany, max_heights: int = MAX_HEIGHTS) -> None:
        """Start empty; `query` fetches entries after a block."""
        self._query = query
        self._max_heights = max_heights
        self._heights: OrderedDict[int, list[_Fetch]] = OrderedDict()
        self._lock = Lock()

    def fetch(self, keys: Iterable[bytes], height: int) -> None:
        """Query the entries at `keys` after block `height`, with proofs, and cache them for `prove_many`.

        Blocks until they are answered. Meanwhile `prove_many`, in another thread, waits for these keys at
        this height instead of querying them. Keys that were not proven are not cached. Beyond the maximum
        number of heights, the one that was added first is dropped.

        Raises:
            RelayerError: the query as a whole failed; nothing of it is cached.
        """
        wanted = list(dict.fromkeys(keys))
        fetched = _Fetch(wanted)
        with self._lock:
            self._heights.setdefault(height, []).append(fetched)
            # guard: proofs-ahead-without-bound test_of_the_last_heights_alone_anything_is_kept
            while len(self._heights) > self._max_heights:
                self._heights.popitem(last=False)
        try:
            answers = zip(wanted, self._query(wanted, height), strict=True)
            fetched.found = {key: answer for key, answer in answers if isinstance(answer, Proven)}
        finally:
            # guard: proofs-ahead-that-failed test_after_an_error_everything_is_asked_for_again
            fetched.is_done.set()

    def prove_many(self, keys: Sequence[bytes], height: int) -> list[ProofAnswer]:
        """Return each key's entry after block `height`, from the cache or else by a query."""
        known: dict[bytes, ProofAnswer] = {**self._known(frozenset(keys), height)}
        left = [key for key in keys if key not in known]
        if left:
            known.update(zip(left, self._query(left, height), strict=True))
        return [known[key] for key in keys]

    def clear(self) -> None:
        """Remove all entries."""
        with self._lock:
            self._heights.clear()

    def _known(self, keys: frozenset[bytes], height: int) -> dict[bytes, Proven]:
        with self._lock:
            # guard: proofs-of-another-height {self._heights.get(height, ()) => sum(self._heights.values(),
            #   [])} test_another_height_is_another_state
            at = [each for each in self._heights.get(height, ()) if not keys.isdisjoint(each.keys)]
        found = dict[bytes, Proven]()
        for fetched in at:
            fetched.is_done.wait()
            found.update(fetched.found)
        return found
