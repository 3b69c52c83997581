"""Chains to try hostile input on, made once."""

import pytest

from conformance.fuzz.worlds import worlds


@pytest.fixture(scope="session")
def made():
    return worlds()
