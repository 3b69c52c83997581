"""A store without entries."""

import pytest


class Empty:
    def get(self, key):
        return None

    def iterate(self, start, end):
        return iter(())


@pytest.fixture(scope="session")
def empty_store():
    return Empty()
