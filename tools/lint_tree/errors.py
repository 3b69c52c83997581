"""Rules about the error classes (`pyibc/core/errors`), imported since a base class assigns codes."""

import ast
import inspect
import re
from collections.abc import Iterator

from tools.lint_tree.tree import Complaint, Tree, nodes

NEVER_RAISED = "Never raised here"
"""Text in a docstring of errors that only other chains raise and relayers read."""
SHARED = {
    ("undefined", 1),  # Go's plain errors, which have no code of their own
    ("sdk", 6),  # the SDK's ErrUnknownRequest, for messages and for middleware acknowledgements
}
"""Codes that several classes share."""
_CODE = re.compile(r"`([\w-]+)/(\d+)`: .+\.", re.DOTALL)


def error_classes() -> dict[str, type]:
    """Return the error classes by name, including base classes."""
    from pyibc.core import errors
    from pyibc.core.errors import IbcError
    from pyibc.direct import errors as direct
    from pyibc.queues import errors as queue

    return {
        name: value
        for module in (errors, direct, queue)
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, IbcError)
    }


def errors(tree: Tree) -> Iterator[Complaint]:
    """An error has a code of its own, says when it is raised, is raised somewhere, and is tested."""
    raised, tested = _raised(tree), _tested(tree)
    given: dict[tuple[str, int], str] = {}
    for name, cls in error_classes().items():
        if cls.__subclasses__():
            continue
        path = f"{cls.__module__.replace('.', '/')}.py"
        line = inspect.getsourcelines(cls)[1]
        code = (cls.codespace, cls.code)
        other = given.setdefault(code, name)
        if other != name and code not in SHARED:
            yield Complaint(path, line, f"{name} and {other} have the code {code[0]}/{code[1]}")
        fault = unexplained(cls)
        if fault:
            yield Complaint(path, line, f"{name}: {fault}")
        says_never = NEVER_RAISED in (cls.__doc__ or "")
        if says_never == (name in raised):
            what = (
                "is raised, and says that it is not" if says_never else f"is not raised: say {NEVER_RAISED!r}"
            )
            yield Complaint(path, line, f"{name} {what}")
        if not says_never and name not in tested:
            yield Complaint(path, line, f"{name}: no test names it")


def unexplained(cls: type) -> str | None:
    """Return the part missing in a docstring: when it is raised, or its codespace, code and source."""
    *explanation, last = (inspect.getdoc(cls) or "").split("\n\n")
    found = _CODE.fullmatch(last)
    if found is None or found.groups() != (cls.codespace, str(cls.code)):
        return "no line of its codespace, code and source"
    if not explanation or not all(
        re.fullmatch(r"[A-Z\d].{20,}[.:]", each, re.DOTALL) for each in explanation
    ):
        return "no sentence that says when it is raised"
    if "Any error of" in explanation[0] or "ibc-go's `" in explanation[0]:
        return "a sentence that says nothing but its source"
    return None


def _raised(tree: Tree) -> set[str]:
    """Return names that are raised or called outside of the error classes."""
    found = set()
    for source in tree.shipped():
        if not source.path.startswith("pyibc/core/errors/"):
            for node in nodes(source.tree, ast.Raise, ast.Call):
                thing = node.exc if isinstance(node, ast.Raise) else node.func
                if isinstance(thing, ast.Name):
                    found.add(thing.id)
    return found


def _tested(tree: Tree) -> set[str]:
    """Return the capitalised words in tests and conformance tools."""
    found: set[str] = set()
    for source in tree.python("tests/", "conformance/"):
        found.update(re.findall(r"\b[A-Z]\w+", source.text))
    return found
