"""Rules about pages that name code and tests: docs/security.md and docs/spec-coverage.md."""

import ast
import re
from collections.abc import Iterator

from tools.lint_tree.tree import Complaint, Tree

SECURITY = "docs/security.md"
COVERAGE = "docs/spec-coverage.md"

_ENTRY = re.compile(r"^\*\*([HD][0-9]+[a-z]?)\*\* ", re.MULTILINE)
_NAMED_AFTER = re.compile(r"^ *def (test_((?:[hd][0-9]+[a-z]?_)+)\w*)", re.MULTILINE)


def security_page(tree: Tree) -> Iterator[Complaint]:
    """An entry of docs/security.md has a test named after it, and each such test has its entry there."""
    text = tree.text(SECURITY)
    parts = _ENTRY.split(text)
    lines = [text.count("\n", 0, found.start()) + 1 for found in _ENTRY.finditer(text)]
    entries = dict(zip(parts[1::2], zip(lines, parts[2::2], strict=True), strict=True))
    if len(entries) != len(lines):
        yield Complaint(SECURITY, 1, "an entry stands there twice")
    named_after = tests_by_entry(tree)
    for entry, (line, part) in entries.items():
        happened, _, held = part.split("\n\n")[0].partition("<br>")
        if len(happened) <= 15 or len(held) <= 5:
            yield Complaint(SECURITY, line, f"{entry}: say what happened, <br>, and what holds it here")
        if not named_after.pop(entry, None):
            yield Complaint(SECURITY, line, f"{entry}: no test is named after it (test_{entry.lower()}_...)")
    for entry, tests in named_after.items():
        for file, name in sorted(tests):
            yield Complaint(file, 1, f"{name} is named after {entry}, which is no entry of {SECURITY}")


def security_entries(tree: Tree) -> list[str]:
    """Return the ids of the entries of docs/security.md in its order."""
    return _ENTRY.findall(tree.text(SECURITY))


def tests_by_entry(tree: Tree) -> dict[str, set[tuple[str, str]]]:
    """Return each entry that tests are named after -> these tests as (file, name)."""
    found: dict[str, set[tuple[str, str]]] = {}
    for source in tree.python("tests/"):
        if not source.path.rpartition("/")[2].startswith("test_") or "def test_" not in source.text:
            continue
        for start in _NAMED_AFTER.finditer(source.text):
            for entry in start[2].strip("_").split("_"):
                name = entry[0].upper() + entry[1:]
                found.setdefault(name, set()).add((source.path, start[1]))
    return found


_ROW = re.compile(r"^\| (00[0-4]-[\w.]+-\d+) \| (.+) \|$")
_CODE = re.compile(r"`([\w/]+\.py):([\w.]+)(?:@([\w.]+))?`")
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)(?:\[([^`]+)\])?`")
_ADR = re.compile(r"\[ADR \d+\]\((adr/[\w-]+\.md)\)")
_CELL = re.compile(r" (?<!\\)\| ")


def coverage_page(tree: Tree) -> Iterator[Complaint]:
    """A row of docs/spec-coverage.md names code and tests that exist, or an ADR."""
    rows = list(_rows(tree.text(COVERAGE)))
    known = {number for number, cells, _ in rows if len(cells) == 3}
    last: dict[str, int] = {}
    for number, cells, line in rows:
        section, _, place = number.rpartition("-")
        if int(place) != last.get(section, 0) + 1:
            yield Complaint(COVERAGE, line, f"{number} does not follow {section}-{last.get(section, 0)}")
        last[section] = int(place)
        for fault in _faults(tree, cells, known):
            yield Complaint(COVERAGE, line, f"{number}: {fault}")


def _rows(text: str) -> Iterator[tuple[str, list[str], int]]:
    for line, content in enumerate(text.splitlines(), 1):
        found = _ROW.match(content)
        if found is not None:
            yield found[1], _CELL.split(found[2]), line


def _faults(tree: Tree, cells: list[str], known: set[str]) -> Iterator[str]:
    if len(cells) == 2:
        yield from (f"there is no row {each}" for each in cells[1].split(", ") if each not in known)
        return
    if len(cells) != 3:
        yield f"{len(cells) + 1} columns"
        return
    _, code, shown = cells
    parts = [part.strip() for cell in (code, shown) for part in cell.split("<br>") if part.strip()]
    known_forms = (_CODE, _TEST, _ADR)
    unread = [part for part in parts if not any(form.fullmatch(part) for form in known_forms)]
    yield from (f"{part!r} names neither code nor a test nor an ADR" for part in unread)
    if not _ADR.search(shown) and not (_CODE.search(code) and _TEST.search(shown)):
        yield "it names no code, or no test, and no ADR says why"
    yield from (f"there is no {path}" for path in _ADR.findall(shown) if f"docs/{path}" not in tree.sources)
    for path, name, what in _CODE.findall(code):
        if name not in _defined(tree, path):
            yield f"{path} has no {name}"
        elif what and not re.search(rf"\b{re.escape(what)}\b", tree.text(path)):
            yield f"{path} does not name {what}"
    for path, name, _ in _TEST.findall(shown):
        if not name.startswith("test_") or name not in _defined(tree, path):
            yield f"{path} has no test {name}"


def _defined(tree: Tree, path: str) -> set[str]:
    source = tree.sources.get(path)
    return set() if source is None else _names(source.tree.body, "")


def _names(body: list[ast.stmt], prefix: str) -> set[str]:
    """Return functions, classes, `Class.method` and assigned names of a module."""
    found = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(prefix + node.name)
        if isinstance(node, ast.ClassDef):
            found |= _names(node.body, f"{node.name}.")
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {prefix + target.id for target in targets if isinstance(target, ast.Name)}
    return found
