"""The error tree: codes, processes, and that no error is only decoration."""

import ast
import inspect
import pickle
import re
from dataclasses import dataclass, fields
from typing import ClassVar

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
    "EpochNotFound",
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
    "UnmarshalEpoch",
    "UnsupportedAttribute",
}
"""Nothing here raises them: other chains do, and relayers read their codes; or a later version will."""

CODE_LINE = re.compile(r"`([\w-]+)/(\d+)`: .+\.", re.DOTALL)
NOT_RAISED = "Never raised here"


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


def unexplained(cls):
    """What is missing of a docstring: sentences that explain the error, then "`codespace/code`: source."."""
    *explanation, last = (inspect.getdoc(cls) or "").split("\n\n")
    found = CODE_LINE.fullmatch(last)
    if found is None or found.groups() != (cls.codespace, str(cls.code)):
        return "no line of its codespace, code and source"
    if not explanation or not all(
        re.fullmatch(r"[A-Z\d].{20,}[.:]", each, re.DOTALL) for each in explanation
    ):
        return "no sentence that says when it is raised"
    if "Any error of" in explanation[0] or "ibc-go's `" in explanation[0]:
        return "a sentence that says nothing but its source"
    return None


def test_every_error_says_when_it_is_raised():
    found = {name: unexplained(cls) for name, cls in CLASSES.items() if name not in BASES}
    assert {name: missing for name, missing in found.items() if missing} == {}


def test_what_is_never_raised_says_so():
    says = {name for name, cls in CLASSES.items() if NOT_RAISED in (cls.__doc__ or "")}
    assert says == REGISTERED_ONLY


@pytest.mark.parametrize(
    ("docstring", "missing"),
    [
        ("The planted error was planted here.\n\n`planted/7`: ICS-0.", None),
        ("ICS-0: `planted/7`.", "no line of its codespace, code and source"),
        ("`planted/7`: ICS-0.", "no sentence that says when it is raised"),
        ("The planted error was planted here.", "no line of its codespace, code and source"),
        (
            "The planted error was planted here.\n\n`planted/8`: ICS-0.",
            "no line of its codespace, code and source",
        ),
        ("Planted.\n\n`planted/7`: ICS-0.", "no sentence that says when it is raised"),
        (
            "Any error of codespace `planted`.\n\n`planted/7`: ICS-0.",
            "a sentence that says nothing but its source",
        ),
    ],
)
def test_a_docstring_of_nothing_but_its_code_is_found(docstring, missing):
    @dataclass(eq=False)
    class Planted(errors.IbcError):
        codespace: ClassVar[str] = "planted"
        code: ClassVar[int] = 7

    Planted.__doc__ = docstring
    assert unexplained(Planted) == missing
