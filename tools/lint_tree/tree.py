"""The files of a clone, each read and parsed once, and what a rule says of them."""

import ast
import subprocess
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ibc_core.installation import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
READ = (".py", ".md", ".toml")
"""Endings of the files that rules look at."""

SHIPPED = PACKAGES
"""The packages of the wheels."""
CHAIN = (
    "handlers/", "keepers/", "light_client/", "iavl/", "ibc_core/", "ibc_proto/", "ibc_module/apps/",
    "ibc_module/queries/", "ibc_module/wiring.py", "ibc_module/genesis/", "ibc_module/pipeline.py",
    "localnet/host/",
)  # fmt: skip
"""Where the state is computed: what every validator runs."""
BY_HAND = {"__init__.py", "pool.py", "varint.py"}
"""The files of `ibc_proto` that are not generated."""


class Complaint(NamedTuple):
    """One place that breaks a rule."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class Source:
    """One file. Its syntax tree is made when a rule asks for it, and once."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def tree(self) -> ast.Module:
        """The module's syntax tree."""
        return ast.parse(self.text)

    @cached_property
    def folder(self) -> str:
        """The top folder, or the file's name at the top."""
        return self.path.partition("/")[0]


class Tree:
    """The files of a clone by their paths below its root."""

    def __init__(self, files: Mapping[str, str], root: Path = ROOT) -> None:
        self.root = root
        self.sources = {path: Source(path, text) for path, text in sorted(files.items())}

    def python(self, *starts: str) -> Iterator[Source]:
        """Yield the Python files whose paths start with one of `starts`; without any, all of them."""
        for path, source in self.sources.items():
            if path.endswith(".py") and (not starts or path.startswith(starts)):
                yield source

    def shipped(self) -> Iterator[Source]:
        """Yield the Python files of the wheels that were written by hand."""
        for source in self.python(*(f"{name}/" for name in SHIPPED)):
            if source.folder != "ibc_proto" or source.path.rpartition("/")[2] in BY_HAND:
                yield source

    def chain(self) -> Iterator[Source]:
        """Yield the shipped files that compute the state."""
        return (source for source in self.shipped() if source.path.startswith(CHAIN))

    def text(self, path: str) -> str:
        """Return a file's text; "" where there is no such file."""
        found = self.sources.get(path)
        return "" if found is None else found.text


def load(root: Path = ROOT) -> Tree:
    """Read the files that git tracks or would track."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    paths = [path for path in listed.split("\0") if path.endswith(READ) and (root / path).is_file()]
    return Tree({path: (root / path).read_text(encoding="utf-8") for path in paths}, root)


def nodes(tree: ast.AST, *kinds: type[ast.AST]) -> list[Any]:
    """Return the nodes of a module of these kinds, in the order of `ast.walk`. The walk is made once."""
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
    """Return the name of what a call calls: `f` of `f()`, `g` of `x.g()`; "" of anything else."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "id", "") or getattr(node.func, "attr", "")
