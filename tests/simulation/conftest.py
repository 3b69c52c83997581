"""A process in which networks can be simulated."""

import shutil

import pytest

from conformance.simulation.fixes import run_without
from conformance.simulation.processes import processes


@pytest.fixture(scope="package")
def simulated():
    """Runs a seed: `simulated(seed, only=None, without=None)`."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler: what is written cannot be recorded")
    with processes(1) as pool:
        yield lambda seed, only=None, without=None: pool.submit(run_without, without, seed, only).result()
