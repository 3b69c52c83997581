"""Rules about the shape of the source: sizes, sections of handlers, test folders, the tree in the docs."""

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator, Sequence

from tools.lint_tree.tree import SHIPPED, Complaint, Tree, nodes

MAX_FUNCTION = 40
MAX_FILE = 400


def mark_lines(text: str) -> set[int]:
    """Return the line numbers of guard marks, which do not count."""
    found, inside = set(), False
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        inside = words.startswith("# guard: ") or (inside and words.startswith("#   "))
        if inside:
            found.add(number)
    return found


def sizes(tree: Tree) -> Iterator[Complaint]:
    """A function has at most 40 lines, a file 400, marks apart; and every module says what it is."""
    for source in tree.shipped():
        marks = mark_lines(source.text)
        count = source.text.count("\n") - len(marks)
        if count > MAX_FILE:
            yield Complaint(source.path, count, f"{count} lines: at most {MAX_FILE}, split it by subject")
        if ast.get_docstring(source.tree) is None:
            yield Complaint(source.path, 1, "a module without a docstring")
        for node in nodes(source.tree, ast.FunctionDef, ast.AsyncFunctionDef):
            lines = node.end_lineno - node.lineno + 1
            lines -= sum(node.lineno < mark < node.end_lineno for mark in marks)
            if lines > MAX_FUNCTION:
                message = f"{node.name} has {lines} lines: at most {MAX_FUNCTION}"
                yield Complaint(source.path, node.lineno, message)


VALIDATE = ("CHANNEL", "CONNECTION", "CLIENT", "TIMEOUT", "REPLAY", "PROOF", "APP")
"""Order of sections in `validate`: endpoints, timeout, replay, proof, and the application's answer."""
EXECUTE = (
    ("STATE", "EVENTS", "APP"),  # the application is notified of the new state
    ("STATE", "APP", "EVENTS"),  # it answers, and the answer is emitted
    ("APP", "STATE", "EVENTS"),  # it decides whether the state changes
)
BEFORE_REPLAY = "handlers/packet/recv.py:verify"
"""The function that verifies a packet's proof before the replay check, as ibc-go does."""


def sections(text: str, tree: ast.Module) -> dict[str, list[tuple[str, int]]]:
    """Return function -> its section comments and their lines, in order."""
    functions = [
        (node.lineno, node.end_lineno or node.lineno, node.name)
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    ]
    found: dict[str, list[tuple[str, int]]] = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        word = token.string.removeprefix("# ").partition(":")[0].strip()
        if token.type == tokenize.COMMENT and word.isupper() and word.isalpha() and len(word) > 2:
            line = token.start[0]
            for first, last, name in functions:
                if first <= line <= last:
                    found.setdefault(name, []).append((word, line))
    return found


def _in_order(words: Sequence[str], order: Sequence[str]) -> bool:
    places = [order.index(word) for word in words if word in order]
    return len(places) == len(words) and places == sorted(set(places))


def is_ordered(where: str, words: Sequence[str]) -> bool:
    """Return whether a function's sections are in the order given in CONTRIBUTING."""
    if where == BEFORE_REPLAY:
        return list(words) == ["CHANNEL", "TIMEOUT", "PROOF", "REPLAY"]
    whole = [VALIDATE, *((*VALIDATE[:-1], *order) for order in EXECUTE)]  # a direct call does both
    return any(_in_order(words, order) for order in whole)


def handler_sections(tree: Tree) -> Iterator[Complaint]:
    """Handlers name their sections in one order, and mark the one that verifies a proof."""
    for source in tree.python("handlers/"):
        found = sections(source.text, source.tree)
        for function, marks in found.items():
            words = [word for word, _ in marks]
            if not is_ordered(f"{source.path}:{function}", words):
                message = f"{function}: {', '.join(words)} are not in the order of .github/CONTRIBUTING.md"
                yield Complaint(source.path, marks[0][1], message)
        names = {node.name for node in source.tree.body if isinstance(node, ast.FunctionDef)}
        marked = {word for marks in found.values() for word, _ in marks}
        if {"validate", "execute"} <= names and "verify_" in source.text and "PROOF" not in marked:
            yield Complaint(source.path, 1, "it verifies a proof: name the section, `# PROOF`")


MAX_TRACKED = 1_000_000
"""Bytes of a file that git tracks: a program that was built by mistake has more."""


def large_files(tree: Tree) -> Iterator[Complaint]:
    """No tracked file has more than a megabyte: what is built stays out of the history."""
    for path in tree.tracked:
        size = (tree.root / path).stat().st_size
        if size > MAX_TRACKED:
            yield Complaint(
                path, 1, f"{size} bytes: at most {MAX_TRACKED}; ignore it, or fetch it when needed"
            )


def test_folders(tree: Tree) -> Iterator[Complaint]:
    """Unit tests mirror the source folders, and no test folder is a package."""
    folders = {path.rpartition("/")[0] for path in tree.sources}
    for path in tree.sources:
        if path.startswith("tests/") and path.endswith("/__init__.py"):
            yield Complaint(path, 1, "a test folder is no package: remove the file")
        folder = path.rpartition("/")[0]
        mirrored = folder.removeprefix("tests/unit/")
        if folder.startswith("tests/unit/") and not any(
            each == mirrored or each.startswith(f"{mirrored}/") for each in folders
        ):
            yield Complaint(path, 1, f"there is no folder {mirrored} that it could test")


ASIDE = {"tools", ".ci", ".github"}
"""Top-level folders that the tree on the page leaves out."""
ARCHITECTURE = "docs/architecture.md"


def architecture(tree: Tree) -> Iterator[Complaint]:
    """The page's tree has every folder, in the order of the layers, with the folder's own first line."""
    told = _tree_in(tree.text(ARCHITECTURE))
    tops = {path.partition("/")[0] for path in tree.sources if "/" in path} - ASIDE
    for name in sorted(tops - told.keys()):
        yield Complaint(ARCHITECTURE, 1, f"the tree has no line for {name}/")
    for name, words in told.items():
        init = tree.sources.get(f"{name}/__init__.py")
        said = "" if init is None else (ast.get_docstring(init.tree) or "").partition("\n")[0]
        if init is not None and said != words:
            yield Complaint(ARCHITECTURE, 1, f"{name}/: its __init__.py says {said!r}")
    settings = tomllib.loads(tree.text("pyproject.toml") or "")
    for contract in settings.get("tool", {}).get("importlinter", {}).get("contracts", ()):
        if contract["type"] == "layers" and "containers" not in contract:  # others are inside of a folder
            layers = [name.strip() for layer in contract["layers"] for name in re.split("[|:]", layer)]
            paths = [name.replace(".", "/") for name in layers]
            order = [path for path in paths if f"{path}/__init__.py" in tree.sources]
            if [name for name in told if name in order] != order or {*SHIPPED} - {"pyibc", *order}:
                yield Complaint(ARCHITECTURE, 1, "the tree is not in the order of the layers")


def _tree_in(text: str) -> dict[str, str]:
    for block in re.split(r"^```.*\n", text, flags=re.MULTILINE)[1::2]:
        lines = [re.fullmatch(r"(\w[\w./]*)/ +(.+)", line) for line in block.splitlines()]
        if len(lines) > 3 and all(lines):
            return {line[1]: line[2] for line in lines if line is not None}
    return {}
