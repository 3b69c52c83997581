"""The source tree as data, and rules over the part of it that every validator runs."""

import ast
from pathlib import Path

import pytest

CHAIN = (
    "handlers/",
    "keepers/",
    "light_client/",
    "iavl/",
    "ibc_module/core/",
    "ibc_module/errors/",
    "ibc_module/proofs/",
    "ibc_module/wire/",
    "ibc_module/apps/",
    "ibc_module/queries/",
    "ibc_module/wiring.py",
    "ibc_module/genesis.py",
    "ibc_module/pipeline.py",
    "localnet/host/",
)
"""Where the state is computed."""

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


@pytest.fixture(scope="session")
def chain_sources(sources):
    """Of `sources`, the modules that compute the state."""
    chain = {name: text for name, text in sources.items() if name.startswith(CHAIN)}
    assert len(chain) > 100
    return chain


@pytest.fixture(scope="session")
def trees(chain_sources):
    """Path -> syntax tree."""
    return {name: ast.parse(text) for name, text in chain_sources.items()}


@pytest.fixture
def keeps(trees):
    """Checks that chain code keeps a rule, after the rule has seen what it is for.

    rule: tree -> (node, what) of each violation. planted: lines that violate it. fine: lines that do not.
    allowed: file or folder -> what may stand there -> why; an allowance that nothing needs is a failure.
    """

    def check(rule, planted, fine=(), allowed=None):
        assert [line for line in planted if not list(rule(ast.parse(line)))] == []
        assert [line for line in fine if list(rule(ast.parse(line)))] == []
        excuses = {(place, what) for place, whats in (allowed or {}).items() for what in whats}
        used, found = set(), []
        for name, tree in trees.items():
            for node, what in rule(tree):
                excuse = {each for each in excuses if name.startswith(each[0]) and each[1] == what}
                used |= excuse
                if not excuse:
                    found.append(f"{name}:{getattr(node, 'lineno', '?')}: {what}")
        assert found == []
        assert excuses == used

    return check
