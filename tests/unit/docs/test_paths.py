"""Every file, folder and module that a page or a docstring names in backticks is in the tree."""

import ast
import re
import subprocess
from functools import cache
from pathlib import Path, PurePath

import pytest

from pyibc.installation import PACKAGES

ROOT = Path(__file__).parents[3]
TOP = "|".join((*PACKAGES, "benchmarks", "conformance", "docs", "proto", "tests", "tools"))
FILE = re.compile(r"`([\w./-]+\.py)`")
FOLDER = re.compile(rf"`((?:{TOP})(?:/[\w.-]+)+)/?`")
DOTTED = re.compile(rf"`((?:{TOP})(?:\.\w+)+)`")
PROTO_PACKAGE = re.compile(r"pyibc\.\w+\.v\d+\b")
"""`pyibc.queue.v1.Packet` is a protobuf type of ours, in `proto/`."""


@cache
def tracked() -> frozenset[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return frozenset(name for name in listed.stdout.split() if (ROOT / name).is_file())


@cache
def places() -> frozenset[str]:
    """Files and folders from the root, and file names alone, as a page on one folder may use them."""
    folders = {parent.as_posix() for name in tracked() for parent in PurePath(name).parents}
    return tracked() | folders | {PurePath(name).name for name in tracked()}


@cache
def is_there(dotted: str) -> bool:
    """Whether `a.b.c` is a module, or `c` a name in the module `a.b` (or `b.c` one in `a`)."""
    parts = dotted.split(".")
    for size in range(len(parts), 0, -1):
        path = "/".join(parts[:size])
        module = next((each for each in (f"{path}.py", f"{path}/__init__.py") if each in tracked()), None)
        if module or path in places():
            rest = parts[size:]
            stub = f"{path}/__init__.pyi"  # lists the public names of some packages
            text = "".join((ROOT / each).read_text("utf-8") for each in (module, stub) if each in tracked())
            return all(re.search(rf"\b{each}\b", text) for each in rest)
    return False


def missing(text: str) -> list[str]:
    named = dict.fromkeys(FILE.findall(text) + FOLDER.findall(text))
    wrong = [name for name in named if name.removeprefix("./") not in places()]
    dotted = [name for name in DOTTED.findall(text) if not name.endswith((".py", ".toml"))]
    return wrong + [name for name in dotted if not PROTO_PACKAGE.match(name) and not is_there(name)]


@cache
def pages() -> dict[str, str]:
    past = ("tools/changelog.d/", "CHANGELOG.md")  # they also name what is gone
    names = [name for name in tracked() if name.endswith(".md") and not name.startswith(past)]
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in sorted(names)}


@cache
def docstrings() -> dict[str, str]:
    found = {}
    for name in sorted(tracked()):
        if name.endswith(".py") and not name.startswith("tests/") and "_generated" not in name:
            source = (ROOT / name).read_text(encoding="utf-8")
            if not any(pattern.search(source) for pattern in (FILE, FOLDER, DOTTED)):
                continue  # to parse what names nothing takes most of the time
            nodes = ast.walk(ast.parse(source))
            kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
            texts = [ast.get_docstring(node) or "" for node in nodes if isinstance(node, kinds)]
            found[name] = "\n".join(texts)
    return found


def test_what_pages_name_is_there() -> None:
    wrong = {name: missing(text) for name, text in pages().items()}
    assert {name: found for name, found in wrong.items() if found} == {}


def test_what_docstrings_name_is_there() -> None:
    wrong = {name: missing(text) for name, text in docstrings().items()}
    assert {name: found for name, found in wrong.items() if found} == {}


def test_names_are_found() -> None:
    texts = [*pages().values(), *docstrings().values()]
    assert sum(len(FILE.findall(text)) for text in texts) > 50
    assert sum(len(DOTTED.findall(text)) for text in texts) > 20


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("`pyibc/queues/keepers.py` writes, `paths.py` spells, `docs/adr` decides", []),
        ("`core/paths.py` spells", ["core/paths.py"]),
        ("`keepers/queues.py` writes", ["keepers/queues.py"]),
        ("`nowhere_at_all.py` spells", ["nowhere_at_all.py"]),
        ("`ibc_module/core` has the values", ["ibc_module/core"]),
        ("`pyibc.queues.types.queue_of` names, `pyibc.queue.v1.Packet` travels", []),
        ("`pyibc.queues.types.queue_off` names", ["pyibc.queues.types.queue_off"]),
        ("`pyibc.core.cue.types` names", ["pyibc.core.cue.types"]),
    ],
)
def test_a_wrong_name_would_be_noticed(text, wrong) -> None:
    assert missing(text) == wrong
