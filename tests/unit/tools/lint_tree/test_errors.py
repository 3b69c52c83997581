"""The rule about error classes sees a docstring that explains nothing."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from pyibc.core.errors import IbcError
from tools.lint_tree.errors import errors, unexplained
from tools.lint_tree.tree import Tree


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
    class Planted(IbcError):
        codespace: ClassVar[str] = "planted"
        code: ClassVar[int] = 7

    Planted.__doc__ = docstring
    assert unexplained(Planted) == missing


def test_an_error_that_nobody_raises_or_tests_is_found():
    said = [complaint.message for complaint in errors(Tree({"keepers/a.py": "raise ChannelNotFound"}))]
    assert "ChannelNotFound: no test names it" in said
    assert not any(message.startswith("ChannelNotFound is not raised") for message in said)
    assert any(message.startswith("ConnectionNotFound is not raised") for message in said)
