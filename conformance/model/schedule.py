"""Random schedules for the reference model: time, blocks, headers, forks, relayers who repeat themselves."""

from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar, TypeVar

from conformance.model.twin import Call, Twin
from conformance.model.world import World
from ibc_testing.clock import SECOND

_T = TypeVar("_T")

HEIGHTS = ["new"] * 8 + ["newest"] * 4 + ["old", "oldest", "unknown", "future"]


class Schedule:
    """A world and what may happen in it; a step takes all its choices from the `Random` it is given."""

    STEPS: ClassVar[dict[str, int]] = {
        "a_block": 1,
        "time_passes": 2,
        "clocks_drift": 1,
        "a_long_time_passes": 1,
        "an_update": 2,
        "a_fork": 1,
        "a_relayer_repeats": 4,
    }
    """Method -> how often it is taken, among the others."""

    def __init__(self) -> None:
        self.world = World()
        self.twins = self.world.twins
        self.told: list[tuple[int, Call]] = []

    @classmethod
    def names(cls) -> list[str]:
        """The steps to choose from, each as often as it is to be taken."""
        weights = {name: weight for kind in reversed(cls.__mro__) for name, weight in _steps(kind).items()}
        return [name for name, weight in weights.items() for _ in range(weight)]

    def run(self, steps: Sequence[tuple[str, int]]) -> None:
        """Takes each step with its own seed.

        Raises:
            AssertionError: a chain and its model disagree.
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
        """One chain makes a block."""
        self.side(r)[0].block()

    def time_passes(self, r: Random) -> None:
        """No block is made meanwhile."""
        self.world.clock.advance(r.choice([1, 3, 5, 20, 20, 60, 60, 60, 200, 1_000]) * SECOND)

    def clocks_drift(self, r: Random) -> None:
        """The second chain's clock goes ahead, too far now and then, or right again."""
        self.world.fast_clock.skew_ns = r.choice([0, 5, 30, 45]) * SECOND

    def a_long_time_passes(self, r: Random) -> None:
        """Now and then, and late: without a new header the clients expire."""
        if len(self.told) > 25 and r.random() < 0.3:
            self.world.clock.advance(3_600 * SECOND)

    def an_update(self, r: Random) -> None:
        """Any header because of any other."""
        twin, other = self.side(r)
        seen, tip = sorted(twin.model.state.seen), other.side.chain.height
        trusted = r.choice([*seen, seen[-1], tip - 1])
        self.tell(r, twin, "update", max(2, tip - r.randrange(5)), trusted, False)

    def a_fork(self, r: Random) -> None:
        """Now and then, and late: a client sees two headers of one height."""
        twin, _ = self.side(r)
        seen = sorted(twin.model.state.seen)
        if len(self.told) > 25 and r.random() < 0.2 and len(seen) > 1:
            self.tell(r, twin, "update", seen[-1], r.choice(seen[:-1]), True)

    def a_relayer_repeats(self, r: Random) -> None:
        """An old message with an old proof, by whoever."""
        relayed = [each for each in self.told if each[1][0] not in {"transfer", "send_v2"}]
        if relayed:
            side, (name, arguments) = r.choice(relayed[-20:])
            if not (name == "update" and arguments[2]):
                self.tell(r, self.twins[side], name, *arguments)

    # -- for steps

    def side(self, r: Random) -> tuple[Twin, Twin]:
        """One chain, and the other."""
        a, b = self.twins
        return (a, b) if r.random() < 0.6 else (b, a)

    def tell(self, r: Random, twin: Twin, name: str, *arguments: Any, person: int | None = None) -> None:
        """Somebody's message: alone, or with the last one once more; in its own block, or in the next."""
        who = r.randrange(2) if person is None else person
        if not twin.is_free(who):
            twin.block()
        side, call = self.twins.index(twin), (name, arguments)
        twin.tell(who, call, *(self._once_more(side) if r.random() < 0.15 else []))
        self.told.append((side, call))
        if r.random() < 0.8:
            twin.block()

    def _once_more(self, side: int) -> list[Call]:
        """The last message, if it was told there; none that a mere look refuses, since those come first."""
        return [
            (name, arguments)
            for at, (name, arguments) in self.told[-1:]
            if at == side and name != "transfer" and not (name == "update" and arguments[1] >= arguments[0])
        ]

    def height(self, r: Random, twin: Twin) -> int:
        """A header of the other chain to prove with: mostly the newest, brought along."""
        side = self.twins.index(twin)
        seen, tip = sorted(twin.model.state.seen), self.twins[1 - side].side.chain.height
        choice = r.choice(HEIGHTS)
        if choice == "new":
            return self.world.learn(side)
        known = {"newest": seen[-1], "oldest": seen[0], "old": r.choice(seen)}
        return known.get(choice, tip + 5 if choice == "future" else max(2, tip - r.randrange(6)))

    def newest(self, twin: Twin) -> tuple[int, int]:
        """Height and time of the other chain's newest header that is known."""
        height = max(twin.model.state.seen)
        return height, twin.model.other.past[height][0]

    def until(self, r: Random, twin: Twin) -> tuple[int, int]:
        """Height and time of a timeout for what `twin` sends: mostly far or near, or passed, or none."""
        height, now = self.newest(twin)[0], self.world.clock.now_ns
        near, soon = height + r.randrange(-1, 15), now + r.choice([1, 5, 10, 60, 200]) * SECOND
        return r.choice(
            [(10**6, 0)] * 6 + [(near, 0), (0, soon), (near, soon), (0, self.newest(twin)[1]), (0, 0)]
        )

    def denom(self, r: Random, twin: Twin) -> str:
        """A coin of the user's, or one that he has none of."""
        user = twin.model.user
        held = [denom for (who, denom), amount in twin.model.state.coins.items() if who == user and amount]
        return r.choice([*held, twin.native])


def mostly(r: Random, usual: _T, *others: _T) -> _T:
    """The usual, or one of the others now and then."""
    return usual if r.random() < 0.9 else r.choice(others)


def _steps(kind: type) -> dict[str, int]:
    return dict(vars(kind).get("STEPS", {}))
