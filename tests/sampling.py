"""Samples of exhaustive sweeps.

`make test` runs a sample of each sweep, `make test-all` all of it. The sample is drawn with a seed that
comes from the commit, so that every commit tries other cases and each of its runs tries the same ones.
pytest prints the seed; `SEED=... make test` repeats a run.
"""

import os
import random
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

EXHAUSTIVE = os.environ.get("EXHAUSTIVE", "") == "1"
"""Whether this run tries everything, as `make test-all` does."""


def _seed_of_commit() -> str:
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    root = Path(__file__).resolve().parents[1]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:  # no git: a source archive
        return "0"
    return done.stdout.strip() if done.returncode == 0 else "0"


SEED = os.environ.get("SEED") or _seed_of_commit()
"""What the samples of this run are drawn with. Worker processes get it by the environment."""
os.environ["SEED"] = SEED


def sample(cases: Iterable[T], size: int, name: str) -> list[T]:
    """Return `size` of the cases in their order, or all of them in an exhaustive run.

    `name` makes one sweep's sample independent of another's: give the name of the test.
    """
    everything = list(cases)
    if EXHAUSTIVE or size >= len(everything):
        return everything
    chosen = random.Random(f"{SEED}/{name}").sample(range(len(everything)), size)
    return [everything[index] for index in sorted(chosen)]


def rounds(sampled: int, exhaustive: int) -> int:
    """Return how many rounds a randomised test makes: few in `make test`, many in `make test-all`."""
    return exhaustive if EXHAUSTIVE else sampled
