"""Messages that cost more than may be paid for their packets: they wait, are listed, and are tried again.

One that the price of the moment affords goes at once. Others are tried together every now and then, oldest
tries first: what a client update costs is shared by all packets of its transaction, so those that are too
dear alone may go in company. Time is counted in blocks of the chain that the messages are for.
"""

from collections.abc import Iterator

from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import RelayerError
from ibc_relayer.offer import Offers
from ibc_relayer.path import Side
from ibc_relayer.task import Held, Result, TaskKey

AT_ONCE = 100
"""Messages that are tried again at once: each may cost a simulation of its own."""
AGAIN = 20
"""Blocks after which they are; twice as many each time that some are held again, `DOUBLED` times."""
DOUBLED = 4


class Dear:
    """The messages that wait for a price, for both chains of a link."""

    def __init__(self, endpoints: tuple[ChainEndpoint, ChainEndpoint]) -> None:
        """None."""
        self._endpoints = endpoints
        self._gas: dict[TaskKey, int] = {}  # in the order of their last try
        self._next = [0, 0]  # heights at which the messages for a chain are tried again
        self._times = [0, 0]  # that they were, in a row
        self._looked = [0, 0]  # heights at which the price was asked for
        self.held = Held()
        """Left out of plans."""
        self.reasons: dict[TaskKey, str] = {}
        """Why they wait."""

    def add(self, result: Result, height: int) -> None:
        """A message was too dear when its chain's last block was `height`."""
        key = result.task.key
        self._gas.pop(key, None)
        self._gas[key] = result.gas
        self.reasons[key] = result.reason
        self.held.add(key)
        if self._next[key.target] <= height:
            # guard: h187-as-often-as-ever {AGAIN * 2 ** min(self._times[key.target], DOUBLED) => 1}
            #   test_h187_thousands_that_are_too_dear_are_tried_a_few_at_a_time
            self._next[key.target] = height + AGAIN * 2 ** min(self._times[key.target], DOUBLED)
            self._times[key.target] += 1

    def discard(self, key: TaskKey) -> None:
        """It has been sent, or its packet is gone."""
        if self.reasons.pop(key, None) is None:
            return
        self._gas.pop(key, None)
        self.held.discard(key)
        if not any(self._waiting(key.target)):
            self._times[key.target] = 0

    def release(self, side: Side, height: int) -> None:
        """Lets those go that may be tried now, at this height of the chain on `side`."""
        if not any(self._waiting(side)) or height == self._looked[side]:
            return
        self._looked[side] = height
        if height >= self._next[side]:
            # guard: h187-all-at-once {range(AT_ONCE) => self._gas}
            #   test_h187_thousands_that_are_too_dear_are_tried_a_few_at_a_time
            found = [key for key, _ in zip(self._waiting(side), range(AT_ONCE), strict=False)]
        else:
            found = self._affordable(side)
        for key in found:
            self.held.discard(key)

    def _affordable(self, side: Side) -> list[TaskKey]:
        endpoint = self._endpoints[side]
        try:
            offer = endpoint.offer() if isinstance(endpoint, Offers) else None
        except RelayerError:  # who sends anything is told of it; what waits may wait for the next block
            return []
        if offer is None:
            return []
        return [key for key in self._waiting(side) if self._gas[key] and offer.affords(self._gas[key])]

    def _waiting(self, side: Side) -> Iterator[TaskKey]:
        return (key for key in self._gas if key.target == side and key in self.held)
