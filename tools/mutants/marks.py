"""Parser of guard marks, which are comments above the guarded statement.

    # guard: h18-any-leaf test_h18_a_leaf_is_no_inner_node
    # guard: h31-powers-have-no-bound {> => >=} test_h31_impossible_validators
    #   test_h31_powers_stay_within_64_bits
    if power > MAX_POWER:
        raise PowerTooLarge(power)

A mark has a name, an optional operator of `tools.mutants.operators` (default `drop`), and the tests that must
fail. A test is named by its function, and where several files have one of that name, with enough of its path
to be unique: `test_recv::test_h18_x`, `packet_v2/test_recv::test_h18_x`, `TestClass::test_x`. A statement may
have several marks. Marks of one name in a file are one guard: their changes are made together, and one of
them lists the tests.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pyibc.installation import PACKAGES
from tools.mutants.operators import Block, DoesNotApply, Guarded, changed

WORST = {"h4", "h5", "h7", "h18", "h22", "h26", "h30", "h31", "h32", "h40", "d39"}
"""Incidents of docs/security.md that must have a guard."""
_BEGIN = "# guard: "
_FORM = re.compile(
    r"(?P<name>[\w-]+)(?: (?P<operator>\{(?:.+ )?=> .+\}|(?:drop|pass|always|negate|other|swap)(?::\S+)?))?"
    r"(?P<tests>(?: (?:[\w/]+::)*test_\w+)*)"
)
_TEST = re.compile(
    r"^(?:class (?P<of>\w+)|(?P<method>    )?(?:async )?def (?P<test>test_\w+)\()", re.MULTILINE
)


class Mark(NamedTuple):
    """A mark: the change to the statement below it."""

    file: str
    line: int
    below: int  # first line of the statement
    name: str
    operator: str
    tests: tuple[str, ...]  # as written in the mark


class Guard(NamedTuple):
    """All marks of one name, and the node ids of the tests."""

    name: str
    file: str
    marks: tuple[Mark, ...]
    tests: tuple[str, ...]


class BadMark(ValueError):
    """An unusable mark; the error says where it is and why."""

    def __init__(self, mark: Mark, why: str) -> None:
        super().__init__(f"{mark.file}:{mark.line}: {mark.name}: {why}")


class Place(NamedTuple):
    """Position of a statement in its tree."""

    block: Block
    index: int
    scope: ast.AST | None  # the function around it
    function: str  # qualified name of the outermost enclosing function; "": runs on import


class Mutated(NamedTuple):
    """A module without a guard."""

    source: str
    functions: tuple[str, ...]  # changed functions; (): the change is not limited to functions


def guards(root: Path, packages: Sequence[str] = PACKAGES) -> list[Guard]:
    """Return the guards of the packages.

    Raises:
        BadMark: a mark does not parse, or names a test that does not exist.
    """
    tests = all_tests(root)
    found: dict[tuple[str, str], list[Mark]] = {}
    for file, text in _sources(root, packages):
        for mark in marks_of(file, text):
            found.setdefault((file, mark.name), []).append(mark)
    return [
        Guard(
            name, file, tuple(marks), tuple(_node(mark, test, tests) for mark in marks for test in mark.tests)
        )
        for (file, name), marks in found.items()
    ]


def marks_of(file: str, text: str) -> Iterator[Mark]:
    """Yield the marks of a source in order.

    Raises:
        BadMark: a mark does not parse.
    """
    lines = [line.strip() for line in text.splitlines()]
    for number, line in enumerate(lines):
        if not line.startswith(_BEGIN):
            continue
        words, last = [line.removeprefix(_BEGIN)], number + 1
        while last < len(lines) and lines[last].startswith("#   "):
            words.append(lines[last].removeprefix("#").strip())
            last += 1
        while last < len(lines) and lines[last].startswith("#"):
            last += 1
        form = _FORM.fullmatch(" ".join(words))
        if form is None:
            raise BadMark(
                Mark(file, number + 1, last + 1, words[0].partition(" ")[0], "", ()),
                "not NAME [OPERATOR] TEST ...",
            )
        operator, tests = form["operator"] or "drop", tuple(form["tests"].split())
        yield Mark(file, number + 1, last + 1, form["name"], operator, tests)


def without_marks(text: str) -> str:
    """Return a source without the lines of marks, for counting lines."""
    lines = text.splitlines(keepends=True)
    gone = {
        number
        for mark in marks_of("", text)
        for number in range(mark.line - 1, mark.below - 1)
        if lines[number].strip().startswith((_BEGIN, "#   "))
    }
    return "".join(line for number, line in enumerate(lines) if number not in gone)


def all_tests(root: Path) -> dict[str, list[str]]:
    """Return the name of every test function -> its node ids."""
    found: dict[str, list[str]] = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        file, inside = path.relative_to(root).as_posix(), ""
        for each in _TEST.finditer(path.read_text(encoding="utf-8")):
            inside = each["of"] or inside
            if each["test"]:
                within = f"{inside}::" if each["method"] else ""
                found.setdefault(each["test"], []).append(f"{file}::{within}{each['test']}")
    return found


def places(tree: ast.Module) -> dict[int, Place]:
    """Return each line at which a statement or an `except` begins, decorators included -> its position."""
    found: dict[int, Place] = {}

    def look(node: ast.AST, scope: ast.AST | None, path: str, function: str) -> None:
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            block: list[Guarded] = getattr(node, name, [])
            for index, each in enumerate(block):
                if isinstance(each, Guarded):
                    line = min([each.lineno, *(one.lineno for one in getattr(each, "decorator_list", []))])
                    found.setdefault(line, Place(block, index, scope, function))
                if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    look(each, each, "", function or f"{path}{each.name}")
                elif isinstance(each, ast.ClassDef):
                    look(each, scope, f"{path}{each.name}.", function)
                else:
                    look(each, scope, path, function)

    look(tree, None, "", "")
    return found


def mutated(text: str, marks: Sequence[Mark]) -> Mutated:
    """Return the module with the changes of the marks.

    Raises:
        BadMark: a mark cannot be applied.
    """
    tree, functions = ast.parse(text), []
    for mark in marks:
        place, after = _applied(places(tree), mark)
        place.block[:] = after
        functions.append(place.function)
    source = ast.unparse(ast.fix_missing_locations(tree))
    return Mutated(source, tuple(dict.fromkeys(functions)) if all(functions) else ())


def _applied(found: Mapping[int, Place], mark: Mark) -> tuple[Place, list[Guarded]]:
    """Return the statement below a mark, and its block without the guard."""
    place = found.get(mark.below)
    if place is None:
        raise BadMark(mark, "no statement begins below it")
    try:
        after = changed(place.block, place.index, mark.operator, place.scope)
    except DoesNotApply as error:
        raise BadMark(mark, f"{mark.operator} does not apply: {error}") from error
    old, new = ast.Module(list(place.block), []), ast.Module(after, [])
    if ast.dump(old) == ast.dump(new):
        raise BadMark(mark, f"{mark.operator} changes nothing")
    return place, after


def _node(mark: Mark, test: str, tests: dict[str, list[str]]) -> str:
    """Return the node id of a test that a mark names."""
    fitting = [each for each in tests.get(test.rpartition("::")[2], []) if _fits(each, test)]
    if len(fitting) != 1:
        raise BadMark(mark, f"{len(fitting)} tests are {test}{''.join(f' {each}' for each in fitting)}")
    return fitting[0]


def _fits(node: str, test: str) -> bool:
    return f"::{node.replace('.py::', '::')}".endswith((f"/{test}", f"::{test}"))


def _sources(root: Path, packages: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the sources with marks."""
    for package in packages:
        for path in sorted((root / package).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if _BEGIN in text:
                yield path.relative_to(root).as_posix(), text


def complaints(root: Path, packages: Sequence[str] = PACKAGES, worst: Iterable[str] = WORST) -> list[str]:
    """Return the faults of the marks, each as `file:line: message`."""
    found, tests = [], all_tests(root)
    seen: dict[str, Mark] = {}
    tested: set[str] = set()
    for file, text in _sources(root, packages):
        try:
            marks = list(marks_of(file, text))
        except BadMark as error:
            found.append(str(error))
            continue
        where = places(ast.parse(text))
        for mark in marks:
            if seen.setdefault(mark.name, mark).file != file:
                found.append(f"{file}:{mark.line}: {mark.name}: the name is taken in {seen[mark.name].file}")
            tested |= {mark.name} if mark.tests else set()
            try:
                _applied(where, mark)
                for test in mark.tests:
                    _node(mark, test, tests)
            except BadMark as error:
                found.append(str(error))
    found += [f"{seen[name].file}:{seen[name].line}: {name}: no test" for name in seen if name not in tested]
    entries = {name.partition("-")[0] for name in seen}
    return found + [f"docs/security.md:1: {entry}: no guard" for entry in sorted(set(worst) - entries)]
