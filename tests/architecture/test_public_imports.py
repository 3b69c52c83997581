"""Pages and examples import what a user may: public names, the standard library, what pyibc depends on."""

import ast
import importlib
import re
import sys
import tomllib

import pytest

import pyibc
from ibc_core.installation import DISTRIBUTIONS

BESIDE = {"examples"}
"""Folders of the clone that pages and examples may import."""
PACKAGES_OF = {"protobuf": "google", "pynacl": "nacl", "py-ed25519-zebra-bindings": "ed25519_zebra"}
"""Distribution -> the name it is imported by, where they differ."""
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def third_parties(root):
    folders = [".", *(packages[0] for packages in DISTRIBUTIONS.values() if len(packages) == 1)]
    projects = [tomllib.loads((root / each / "pyproject.toml").read_text())["project"] for each in folders]
    groups = [[*each["dependencies"]] for each in projects]
    groups += [lines for each in projects for lines in each.get("optional-dependencies", {}).values()]
    names = {re.match(r"[\w-]+", line)[0] for group in groups for line in group} - {*DISTRIBUTIONS}
    return {PACKAGES_OF.get(name, name) for name in names}


@pytest.fixture(scope="module")
def programs(root):
    """Where from -> source: every Python block of a page, every example."""
    pages = [root / "README.md", root / "ibc_testing" / "README.md", *sorted((root / "docs").rglob("*.md"))]
    found = {
        f"{page.relative_to(root)} {number}": block
        for page in pages
        if page.name != "hooks.md"  # signatures
        for number, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), 1)
    }
    for path in sorted((root / "examples").rglob("*.py")):
        found[str(path.relative_to(root))] = path.read_text(encoding="utf-8")
    return found


def asked(source):
    """(module, name) of every import; no name where the module itself is imported."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)


def trouble(source, third_parties):
    """What of its imports is not public."""
    for module, name in asked(source):
        top, _, rest = module.partition(".")
        if top in {*sys.stdlib_module_names, *third_parties, *BESIDE}:
            continue
        if top != "pyibc" or (rest and rest not in pyibc.MODULES):
            yield module
            continue
        offered = importlib.import_module(module)
        names = set(getattr(offered, "__all__", vars(offered))) | (set() if rest else {*pyibc.MODULES})
        if name is not None and (name not in names or name.startswith("_")):
            yield f"{module}.{name}"


def test_pages_and_examples_import_public_names_only(programs, third_parties):
    found = {where: list(trouble(source, third_parties)) for where, source in programs.items()}
    assert {where: names for where, names in found.items() if names} == {}
    assert sum("pyibc" in source for source in programs.values()) > 15


def test_other_names_are_found(third_parties):
    source = """
import pyibc, pyibc.cli, handlers.dispatch
from pyibc import Pipeline, Pipelines, relayer
from pyibc.relayer import Link, plan
from pyibc.cli import main
from localnet.chain import LocalChain
from hashlib import sha256
import yaml
"""
    assert list(trouble(source, third_parties)) == [
        "pyibc.cli",
        "handlers.dispatch",
        "pyibc.Pipelines",
        "pyibc.relayer.plan",
        "pyibc.cli",
        "localnet.chain",
        "yaml",
    ]
