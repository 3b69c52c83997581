"""The source tree as data."""

from pathlib import Path

import pytest

PACKAGES = ("ibc_module", "handlers", "keepers", "light_client", "iavl", "localnet")


@pytest.fixture(scope="session")
def root():
    return Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def packages():
    """The packages that are shipped."""
    return PACKAGES


@pytest.fixture(scope="session")
def sources(root):
    """Path below the root -> text, of every shipped module that was written by hand."""
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
        if "_generated" not in path.parts
    }
