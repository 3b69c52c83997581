import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from conformance import dispatch


def _folder(variable: str, name: str) -> Path:
    folder = Path(os.environ.get(variable, Path(__file__).resolve().parents[3] / "shared" / name))
    if not folder.is_dir():
        pytest.skip(f"no {name} at {folder} (set {variable})")
    return folder


@pytest.fixture(scope="session")
def vectors_dir() -> Path:
    """The conformance vectors of other projects, beside the clone."""
    return _folder("IBC_VECTORS_DIR", "vectors")


@pytest.fixture(scope="session")
def live_dir() -> Path:
    """Recordings of real ibc-go chains, beside the clone."""
    return _folder("IBC_LIVE_DIR", "live")


@pytest.fixture(scope="session")
def reports() -> Callable[[Path], dispatch.FamilyReport]:
    """What came of the cases of a folder, which are run once."""
    return cache(dispatch.run_family)
