"""Second opinions on refusals, so that the lie of one node does not stop a direction.

A transaction that a node's simulation or CheckTx refuses is judged by another node. If that one accepts it,
it is sent, and its outcome in a block shows which of the two was wrong. Without another node, a transaction
that the simulation refuses is sent once in a while all the same: at most one in a minute, and after each that
fails the time doubles, since its fee is lost.
"""

import threading
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

from pyibc.core.host.block import TxOutcome
from pyibc.relayer.chain.values import Query, Tip

FIRST_TRIAL_S, LONGEST_TRIAL_S = 60.0, 3600.0
"""First and longest time between two transactions that are sent against a simulation, seconds."""

DISTRUSTED_S = 600.0
"""Time for which a simulation counts for nothing after such a transaction succeeded, seconds."""

WRONG_REFUSAL = "it refused a transaction that the chain accepted"
WRONG_APPROVAL = "it approved a transaction that another node refused, and the chain as well"


class OtherNode(NamedTuple):
    """Node that is asked alone, for a second opinion."""

    name: str
    query: Query
    broadcast: Callable[[bytes], TxOutcome]  # returns the outcome of CheckTx
    get: Callable[[bytes], bytes | None]  # as `ChainEndpoint.get`, of the IBC store
    tip: Callable[[], Tip]


class Opinions(Protocol):
    """Nodes of one chain, for the thread that asks."""

    @property
    def speaker(self) -> str:
        """Name of the node that answered or refused the last call of this thread."""

    def another(self) -> OtherNode | None:
        """Return a verified node that is not the speaker; None: no other one is in use."""

    def nodes(self) -> Iterable[OtherNode]:
        """Return all verified nodes, to be judged one by one: a tip may be older than this thread's call."""

    def contradicted(self, name: str, reason: str) -> None:
        """Report a node whose answer turned out to be wrong, and ask it last for a while."""

    def differs(self, name: str, reason: str) -> None:
        """Report a node whose answer is another than that of a second node; nothing shows which is wrong."""


class Conclusion(Protocol):
    """Conclusion from the outcome of a transaction that a node had refused."""

    def __call__(self, *, succeeded: bool) -> None:
        """Take the outcome of the transaction in a block, or of a CheckTx that refuses it."""


def nothing(*, succeeded: bool) -> None:
    """Conclude nothing."""


def between(opinions: Opinions, first: str, second: str) -> Conclusion:
    """Return the conclusion about two nodes of which the first refused a transaction."""

    def conclude(*, succeeded: bool) -> None:
        if succeeded:
            opinions.contradicted(first, WRONG_REFUSAL)
        else:
            opinions.contradicted(second, WRONG_APPROVAL)

    return conclude


class Trials:
    """Transactions that are sent although the simulation of the only node refuses them. For any thread."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Send none before a minute has passed since the first refusal, by `clock`."""
        self._clock = clock
        self._lock = threading.Lock()
        self._pause = FIRST_TRIAL_S
        self._next: float | None = None  # None: nothing has been refused yet
        self._distrusted_until: float | None = None

    def should_send(self, *, is_single: bool) -> bool:
        """Return whether to send a transaction that is refused; `is_single`: of one packet at most."""
        now = self._clock()
        with self._lock:
            if self._distrusted_until is not None and now < self._distrusted_until:
                return True
            if self._next is None:
                self._next = now + self._pause
            # guard: several-packets-are-paid-in-vain drop:is_single
            #   test_without_another_node_one_refused_packet_is_sent_once_in_a_while
            if now < self._next or not is_single:
                return False
            self._next = now + self._pause
            return True

    def conclusion(self, opinions: Opinions | None) -> Conclusion:
        """Return the conclusion about the node whose simulation refused the transaction."""
        first = "" if opinions is None else opinions.speaker

        def conclude(*, succeeded: bool) -> None:
            self._record(succeeded=succeeded)
            if succeeded and opinions is not None:
                opinions.contradicted(first, WRONG_REFUSAL)

        return conclude

    def _record(self, *, succeeded: bool) -> None:
        now = self._clock()
        with self._lock:
            if succeeded:
                self._pause, self._next, self._distrusted_until = FIRST_TRIAL_S, None, now + DISTRUSTED_S
                return
            # guard: each-trial-costs-as-soon-as-the-last drop
            #   test_without_another_node_trials_that_fail_become_rare
            self._pause = min(2 * self._pause, LONGEST_TRIAL_S)
            self._next, self._distrusted_until = now + self._pause, None
