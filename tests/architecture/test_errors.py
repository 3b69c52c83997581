"""The error tree: codes, processes, and that no error is only decoration."""

import ast
import pickle
import re
from dataclasses import fields

import pytest

from ibc_core import errors
from ibc_core.errors import IbcError, direct, queue

CLASSES = {
    name: value
    for module in (errors, direct, queue)
    for name, value in vars(module).items()
    if isinstance(value, type) and issubclass(value, IbcError)
}
BASES = {name for name, value in CLASSES.items() if value.__subclasses__()}

REGISTERED_ONLY = {
    "ClientFrozen",
    "ClientTypeNotSupported",
    "InsufficientFunds",
    "InvalidAuthorization",
    "InvalidChainId",
    "InvalidChannel",
    "InvalidClientMetadata",
    "InvalidConnection",
    "InvalidConnectionPath",
    "InvalidPacketTimeout",
    "InvalidPrefix",
    "InvalidSdkSequence",
    "InvalidTimeout",
    "InvalidUpgradeProposal",
    "PackAny",
    "PacketExpired",
    "PacketNotSent",
    "UnbondingPeriodExpired",
}
"""Nothing here raises them: other chains do, and relayers read their codes; or a later version will."""


def made(cls):
    return cls(*("text" if field.type is str or field.type == "str" else 7 for field in fields(cls)))


@pytest.mark.parametrize("name", CLASSES)
def test_an_error_crosses_processes_and_says_something(name):
    error = made(CLASSES[name])
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert (str(copy), copy.args) == (str(error), error.args)
    assert "{" not in str(error)


def test_every_code_is_given_once():
    given = {}
    for name, cls in CLASSES.items():
        if name not in BASES:
            given.setdefault((cls.codespace, cls.code), []).append(name)
    assert {code: names for code, names in given.items() if len(names) > 1} == {}


def raised(sources):
    """Names that are raised as they are, or called."""
    for name, text in sources.items():
        if name.startswith("ibc_core/errors/"):
            continue
        for node in ast.walk(ast.parse(text)):
            thing = (
                node.exc if isinstance(node, ast.Raise) else node.func if isinstance(node, ast.Call) else None
            )
            if isinstance(thing, ast.Name):
                yield thing.id


def test_every_error_is_raised_somewhere_or_listed(sources):
    assert set(CLASSES) - BASES - set(raised(sources)) == REGISTERED_ONLY


def test_every_raised_error_is_named_by_a_test(root):
    tests = "\n".join(
        path.read_text(encoding="utf-8")
        for path in (root / "tests").rglob("*.py")
        if path.parent.name != "architecture"
    )
    kit = "\n".join(path.read_text(encoding="utf-8") for path in (root / "conformance").rglob("*.py"))
    untested = {
        name
        for name in set(CLASSES) - BASES - REGISTERED_ONLY
        if not re.search(rf"\b{name}\b", tests) and not re.search(rf"\b{name}\b", kit)
    }
    assert untested == set()
