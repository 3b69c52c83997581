"""Random schedules for the reference model: time, blocks, headers, forks, repeated messages."""

from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar, TypeVar

from conformance.model.twin import Call, Twin
from conformance.model.world import World
from pyibc.testing.pair import SECOND

_T = TypeVar("_T")

HEIGHTS = ["new"] * 8 + ["newest"] * 4 + ["old", "oldest", "unknown", "future"]


class Schedule:
    """The world and its possible steps; a step makes all choices with the `Random` it is given."""

    STEPS: ClassVar[dict[str, int]] = {
        "a_block": 1,
        "time_passes": 2,
        "clocks_drift": 1,
        "a_long_time_passes": 1,
        "an_update": 2,
        "a_fork": 1,
        "a_relayer_repeats": 4,
    }
    """Method -> its weight."""

    def __init__(self) -> None:
        self.world = World()
        self.twins = self.world.twins
        self.told: list[tuple[int, Call]] = []

    @classmethod
    def names(cls) -> list[str]:
        """The steps to choose from, each repeated by its weight."""
        weights = {name: weight for kind in reversed(cls.__mro__) for name, weight in _steps(kind).items()}
        return [name for name, weight in weights.items() for _ in range(weight)]

    def run(self, steps: Sequence[tuple[str, int]]) -> None:
        """Run each step with its own seed.

        Raises:
            AssertionError: a chain and its model differ.
        """
        try:
            for name, seed in steps:
                getattr(self, name)(Random(seed))  # noqa: S311 - choices of a test
            for twin in self.twins:
                twin.block()
        finally:
            self.world.close()

    # -- steps

    def a_block(self, r: Random) -> None:
        """Make a block on one chain."""
        self.side(r)[0].block()

    def time_passes(self, r: Random) -> None:
        """Advance time without a block."""
        self.world.clock.advance(r.choice([1, 3, 5, 20, 20, 60, 60, 60, 200, 1_000]) * SECOND)

    def clocks_drift(self, r: Random) -> None:
        """Move the second chain's clock ahead, sometimes beyond the maximum drift, or back to normal."""
        self.world.fast_clock.skew_ns = r.choice([0, 5, 30, 45]) * SECOND

    def a_long_time_passes(self, r: Random) -> None:
        """Advance time, rarely and late, until clients without new headers expire."""
        if len(self.told) > 25 and r.random() < 0.3:
            self.world.clock.advance(3_600 * SECOND)

    def an_update(self, r: Random) -> None:
        """Update with any header from any trusted height."""
        twin, other = self.side(r)
        seen, tip = sorted(twin.model.state.seen), other.side.chain.height
        trusted = r.choice([*seen, seen[-1], tip - 1])
        self.tell(r, twin, "update", max(2, tip - r.randrange(5)), trusted, False)

    def a_fork(self, r: Random) -> None:
        """Submit two headers of one height to a client, rarely and late."""
        twin, _ = self.side(r)
        seen = sorted(twin.model.state.seen)
        if len(self.told) > 25 and r.random() < 0.2 and len(seen) > 1:
            self.tell(r, twin, "update", seen[-1], r.choice(seen[:-1]), True)

    def a_relayer_repeats(self, r: Random) -> None:
        """Resubmit an old message with its old proof, from any signer."""
        relayed = [each for each in self.told if each[1][0] not in {"transfer", "send_v2"}]
        if relayed:
            side, (name, arguments) = r.choice(relayed[-20:])
            if not (name == "update" and arguments[2]):
                self.tell(r, self.twins[side], name, *arguments)

    # -- helpers of steps

    def side(self, r: Random) -> tuple[Twin, Twin]:
        """Return one chain, and the other."""
        a, b = self.twins
        return (a, b) if r.random() < 0.6 else (b, a)

    def tell(self, r: Random, twin: Twin, name: str, *arguments: Any, person: int | None = None) -> None:
        """Submit a message, alone or with a repeat of the last one, in its own block or in the next one."""
        who = r.randrange(2) if person is None else person
        if not twin.is_free(who):
            twin.block()
        side, call = self.twins.index(twin), (name, arguments)
        twin.tell(who, call, *(self._once_more(side) if r.random() < 0.15 else []))
        self.told.append((side, call))
        if r.random() < 0.8:
            twin.block()

    def _once_more(self, side: int) -> list[Call]:
        """Return the last message to this chain, unless a stateless check refuses it."""
        return [
            (name, arguments)
            for at, (name, arguments) in self.told[-1:]
            if at == side and name != "transfer" and not (name == "update" and arguments[1] >= arguments[0])
        ]

    def height(self, r: Random, twin: Twin) -> int:
        """Return a header height of the other chain to prove at: mostly the newest, with its update."""
        side = self.twins.index(twin)
        seen, tip = sorted(twin.model.state.seen), self.twins[1 - side].side.chain.height
        choice = r.choice(HEIGHTS)
        if choice == "new":
            return self.world.learn(side)
        known = {"newest": seen[-1], "oldest": seen[0], "old": r.choice(seen)}
        return known.get(choice, tip + 5 if choice == "future" else max(2, tip - r.randrange(6)))

    def newest(self, twin: Twin) -> tuple[int, int]:
        """Return height and time of the newest known header of the other chain."""
        height = max(twin.model.state.seen)
        return height, twin.model.other.past[height][0]

    def until(self, r: Random, twin: Twin) -> tuple[int, int]:
        """Return timeout height and time for a packet from `twin`: far, near, passed, or none."""
        height, now = self.newest(twin)[0], self.world.clock.now_ns
        near, soon = height + r.randrange(-1, 15), now + r.choice([1, 5, 10, 60, 200]) * SECOND
        return r.choice(
            [(10**6, 0)] * 6 + [(near, 0), (0, soon), (near, soon), (0, self.newest(twin)[1]), (0, 0)]
        )

    def denom(self, r: Random, twin: Twin) -> str:
        """Return a denomination that the user holds, or one that nobody holds."""
        user = twin.model.user
        held = [denom for (who, denom), amount in twin.model.state.coins.items() if who == user and amount]
        return r.choice([*held, twin.native])


def mostly(r: Random, usual: _T, *others: _T) -> _T:
    """Return the usual value, or sometimes one of the others."""
    return usual if r.random() < 0.9 else r.choice(others)


def _steps(kind: type) -> dict[str, int]:
    return dict(vars(kind).get("STEPS", {}))
