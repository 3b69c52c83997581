"""Schedule of a simulated network: steps drawn from a seed, any of which can be left out."""

from random import Random
from typing import NamedTuple

SEND, BLOCK, ROUND, KILL_RELAYER, KILL_CHAIN, RESTART_CHAIN = (
    "send",
    "block",
    "round",
    "kill-relayer",
    "kill-chain",
    "restart-chain",
)
PARTITION, LAG, SKEW, LOSE_EXPORT, TEAR_EXPORT = "partition", "lag", "skew", "lose-export", "tear-export"
LOSE_JOURNAL, LIE = "lose-journal", "lie"
CUT_POWER, CUT_RELAYER, FILL_DISK, RECONFIGURE = "cut-power", "cut-relayer", "fill-disk", "reconfigure"
OTHER_VERSION, ROT, SYNC, FORGE = "other-version", "rot", "sync", "forge"
STRANGER = "stranger"

_WEIGHTS = {
    SEND: 30,
    BLOCK: 12,
    ROUND: 34,
    KILL_RELAYER: 4,
    KILL_CHAIN: 4,
    RESTART_CHAIN: 2,
    PARTITION: 3,
    LAG: 4,
    SKEW: 3,
    LOSE_EXPORT: 2,
    TEAR_EXPORT: 2,
    LOSE_JOURNAL: 2,
    LIE: 4,
    CUT_POWER: 4,
    CUT_RELAYER: 2,
    FILL_DISK: 4,
    RECONFIGURE: 3,
    OTHER_VERSION: 1,
    ROT: 1,
    SYNC: 1,
    FORGE: 3,
    STRANGER: 2,
}


class Step(NamedTuple):
    """One step, and the seed of its own random choices.

    Its choices depend only on its seed, so they do not change if earlier steps are left out.
    """

    kind: str
    seed: int

    @property
    def choice(self) -> Random:
        """A new random generator for the step's choices."""
        return Random(self.seed)  # noqa: S311 - a schedule, not a secret


def steps_of(seed: int, count: int) -> list[Step]:
    """Return the steps of a seed."""
    choice = Random(seed)  # noqa: S311 - a schedule, not a secret
    kinds = choice.choices(list(_WEIGHTS), list(_WEIGHTS.values()), k=count)
    return [Step(kind, choice.getrandbits(32)) for kind in kinds]
