"""Files of a clone, each read and parsed once, and the violations that rules report."""

import ast
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from pyibc.installation import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
READ = (".py", ".md", ".toml")
"""Extensions of the files that rules read."""

SHIPPED = PACKAGES
"""Packages in the wheels."""
CHAIN = (
    "handlers/", "keepers/", "light_client/", "iavl/", "pyibc/core/", "pyibc/codec/", "pyibc/proto/",
    "pyibc/isolation/", "pyibc/apps/", "pyibc/queues/", "pyibc/direct/", "ibc_module/queries/",
    "ibc_module/wiring.py", "ibc_module/genesis/", "ibc_module/pipeline.py", "pyibc/chain/",
)  # fmt: skip
"""Chain code: everything that every validator runs."""
NODE = ("pyibc/chain/comet/",)
"""Files below `CHAIN` that belong to a node: settings, snapshots, files; they change no result."""
BY_HAND = {"__init__.py", "pool.py", "varint.py"}
"""Files of `pyibc.proto` that are not generated."""


class Complaint(NamedTuple):
    """A violation of a rule."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class Source:
    """A file. Its syntax tree is built on first use."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def tree(self) -> ast.Module:
        """The module's syntax tree."""
        return ast.parse(self.text, self.path)

    @cached_property
    def folder(self) -> str:
        """The top folder, or the file name at the top level."""
        return self.path.partition("/")[0]


class Tree:
    """Files of a clone by their path below its root."""

    def __init__(self, files: Mapping[str, str], root: Path = ROOT, tracked: Iterable[str] = ()) -> None:
        """`tracked`: paths of all files that git tracks or would track, those that are not read too."""
        self.root = root
        self.tracked = tuple(tracked)
        self.sources = {path: Source(path, text) for path, text in sorted(files.items())}

    def python(self, *starts: str) -> Iterator[Source]:
        """Yield the Python files whose paths start with one of `starts`, by default all of them."""
        for path, source in self.sources.items():
            if path.endswith(".py") and (not starts or path.startswith(starts)):
                yield source

    def shipped(self) -> Iterator[Source]:
        """Yield the hand-written Python files of the wheels."""
        for source in self.python(*(f"{name}/" for name in SHIPPED)):
            if not source.path.startswith("pyibc/proto/") or source.path.rpartition("/")[2] in BY_HAND:
                yield source

    def chain(self) -> Iterator[Source]:
        """Yield the Python files of chain code."""
        for source in self.shipped():
            if source.path.startswith(CHAIN) and not source.path.startswith(NODE):
                yield source

    def text(self, path: str) -> str:
        """Return a file's text; "" if there is no such file."""
        found = self.sources.get(path)
        return "" if found is None else found.text


def load(root: Path = ROOT) -> Tree:
    """Read the files that git tracks or would track."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    tracked = [path for path in listed.split("\0") if path and (root / path).is_file()]
    texts = {path: (root / path).read_text(encoding="utf-8") for path in tracked if path.endswith(READ)}
    return Tree(texts, root, tracked)


def nodes(tree: ast.AST, *kinds: type[ast.AST]) -> list[Any]:
    """Return the nodes of these kinds in the order of `ast.walk`; the tree is walked only once."""
    index: dict[type, list[Any]] | None = getattr(tree, "nodes_by_kind", None)
    if index is None:
        index = {ast.AST: []}
        for node in ast.walk(tree):
            index[ast.AST].append(node)
            index.setdefault(type(node), []).append(node)
        tree.nodes_by_kind = index  # type: ignore[attr-defined]
    if not kinds:
        return index[ast.AST]
    if len(kinds) == 1:
        return index.get(kinds[0], [])
    return [node for node in index[ast.AST] if isinstance(node, kinds)]


def called(node: ast.AST) -> str:
    """Return the function name of a call: `f` of `f()`, `g` of `x.g()`; "" for any other node."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "id", "") or getattr(node.func, "attr", "")
